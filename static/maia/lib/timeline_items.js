/** What stands in a timeline, in its order: days, messages, replies, and what was refused. */

import { dayKey } from "maia/lib/format";

/**
 * @typedef {object} Item
 * @property {string} key
 * @property {string} [day] when the first message of the day was written
 * @property {import("maia/frames").Message} [message]
 * @property {import("maia/frames").Reply} [reply]
 * @property {import("maia/outbox").Waiting} [unsent]
 */
/**
 * @typedef {Item & {after: number}} Placed an item that stands behind the message of that position
 */

/**
 * @param {readonly import("maia/frames").Message[]} messages
 * @param {readonly Placed[]} replies @param {readonly import("maia/outbox").Waiting[]} refused
 * @returns {Item[]}
 */
export function timelineItems(messages, replies, refused) {
  const unsent = refused.map((each) => ({
    key: each.clientRef,
    after: each.after ?? Infinity,
    unsent: each,
  }));
  const placed = [...replies, ...unsent].sort((a, b) =>
    a.after > b.after ? 1 : a.after < b.after ? -1 : 0,
  );
  return withPlaced(withDays(messages), placed);
}

/**
 * Puts each reply and each refused message behind the messages it came after.
 * @param {Item[]} items @param {Placed[]} placed in their order
 * @returns {Item[]}
 */
function withPlaced(items, placed) {
  if (!placed.length) return items;
  const waiting = [...placed];
  /** @type {Item[]} */ const all = [];
  for (const item of items) {
    const position = item.message?.position ?? 0;
    while (item.message && waiting.length && waiting[0].after < position)
      all.push(...waiting.splice(0, 1));
    all.push(item);
  }
  return [...all, ...waiting];
}

/** @param {readonly import("maia/frames").Message[]} messages @returns {Item[]} */
function withDays(messages) {
  /** @type {Item[]} */ const items = [];
  let day = "";
  for (const message of messages) {
    const key = dayKey(message.createdAt);
    if (key !== day) items.push({ key: `day ${key}`, day: message.createdAt });
    day = key;
    items.push({ key: message.id, message });
  }
  return items;
}

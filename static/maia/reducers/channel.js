/** Folds the frames of one open channel; a gap asks for a fresh snapshot. */

import { applyDelta, GAP, remove, upsert } from "maia/reducers/messages";
import { requested, resolved } from "maia/reducers/permissions";

/**
 * @typedef {object} Channel
 * @property {import("maia/frames").ChannelInfo} info
 * @property {number} seq
 * @property {import("maia/frames").Message[]} messages
 * @property {boolean} more older messages exist on the server
 * @property {boolean} busy
 * @property {number} queued
 * @property {import("maia/frames").Answering | undefined} answering
 * @property {Record<string, import("maia/frames").Usage>} usage
 * @property {import("maia/frames").PermissionRequest[]} permissions
 * @property {import("maia/frames").Person[]} people the first of those who see it
 * @property {number} peopleCount
 * @property {{code: string, message: string} | undefined} notice
 * @property {Replied[]} replies what the server answered to this person's slash commands
 * @property {boolean} stale a snapshot is awaited; frames until then are part of it
 */

/**
 * @typedef {{key: string, after: number, reply: import("maia/frames").Reply}} Replied `after` the
 *   message of that position
 */
/** @typedef {import("maia/frames").ChannelFrame} ChannelFrame */

/** At most this many answers to slash commands are kept. */
const MOST_REPLIES = 30;

/** @type {Record<string, (channel: Channel, frame: any) => Channel>} */
const DURABLE = {
  "message:updated": (channel, { message }) => ({
    ...channel,
    messages: upsert(channel.messages, message),
  }),
  "message:removed": (channel, { messageId }) => ({
    ...channel,
    messages: remove(channel.messages, messageId),
  }),
  "turn:changed": (channel, { busy, queued, answering }) => ({
    ...channel,
    busy,
    queued,
    answering,
    notice: busy ? channel.notice : undefined,
  }),
  "permission:requested": (channel, { request }) => ({
    ...channel,
    permissions: requested(channel.permissions, request),
  }),
  "permission:resolved": (channel, frame) => ({
    ...channel,
    permissions: resolved(channel.permissions, frame),
  }),
};

/**
 * Returns the channel of a snapshot. Older pages already loaded stay in front of it where they
 * join; requests answered while this page was open keep their answer.
 * @param {import("maia/frames").ChannelSnapshot} frame
 * @param {Channel} [known]
 * @returns {Channel}
 */
export function fromSnapshot(frame, known) {
  const older = known ? joining(known, frame) : [];
  return {
    info: frame.channel,
    seq: frame.seq,
    messages: [...older, ...frame.messages],
    more: older.length && known ? known.more : frame.more,
    busy: frame.busy,
    queued: frame.queued,
    answering: frame.answering,
    usage: frame.usage,
    permissions: [...answered(known, frame), ...frame.permissions],
    people: frame.people,
    peopleCount: frame.peopleCount,
    notice: undefined,
    replies: known?.replies ?? [],
    stale: false,
  };
}

/**
 * Returns the channel of somebody who came back and missed nothing; GAP where that is not so.
 * @param {Channel} channel
 * @param {import("maia/frames").ChannelCurrent} frame
 * @returns {Channel | typeof GAP}
 */
export function stillCurrent(channel, { seq, messageId, parts }) {
  if (seq !== channel.seq) return GAP;
  if (messageId === undefined) return { ...channel, stale: false };
  const at = channel.messages.findLastIndex((each) => each.id === messageId);
  if (at < 0) return GAP;
  const messages = channel.messages.with(at, { ...channel.messages[at], parts: parts ?? [] });
  return { ...channel, messages, stale: false };
}

/**
 * Puts the answer to a slash command behind the messages there are now.
 * @param {Channel} channel
 * @param {import("maia/frames").Reply} reply
 * @returns {Channel}
 */
export function withReply(channel, reply) {
  const { replies } = channel;
  const key = `reply ${Number(replies.at(-1)?.key.slice(6) ?? 0) + 1}`;
  const after = channel.messages.at(-1)?.position ?? 0;
  return { ...channel, replies: [...replies, { key, after, reply }].slice(-MOST_REPLIES) };
}

/** @param {Channel} known @param {import("maia/frames").ChannelSnapshot} frame */
function joining(known, frame) {
  const first = frame.messages[0];
  if (!first || known.seq < 0) return [];
  const joins = known.messages.some((each) => each.id === first.id);
  return joins ? known.messages.filter((each) => each.position < first.position) : [];
}

/** @param {Channel | undefined} known @param {import("maia/frames").ChannelSnapshot} frame */
function answered(known, frame) {
  const fresh = new Set(frame.permissions.map((each) => each.id));
  return (known?.permissions ?? []).filter(
    (each) => !fresh.has(each.id) && each.state !== "pending",
  );
}

/**
 * Returns the channel after a frame; GAP where one is missing in between.
 * @param {Channel} channel
 * @param {ChannelFrame} frame
 * @returns {Channel | typeof GAP}
 */
export function applyChannel(channel, frame) {
  if (frame.type in DURABLE) return applyDurable(channel, /** @type {any} */ (frame));
  switch (frame.type) {
    case "message:delta": {
      if (isVoid(channel, frame)) return channel;
      const messages = applyDelta(channel.messages, frame);
      if (messages === GAP) return GAP;
      if (messages === channel.messages) return channel;
      return { ...channel, messages, notice: afterMore(channel.notice) };
    }
    case "usage:changed":
      return { ...channel, usage: { ...channel.usage, [frame.agent]: frame.usage } };
    case "notice":
      return { ...channel, notice: { code: frame.code, message: frame.message } };
    default:
      return channel;
  }
}

/**
 * The server answers: that it did not is over.
 * @param {Channel["notice"]} notice
 */
function afterMore(notice) {
  return notice?.code === "retry" ? undefined : notice;
}

/**
 * Whether a delta comes from a host that lost the answer to another one.
 * @param {Channel} channel @param {import("maia/frames").MessageDelta} delta
 */
function isVoid({ answering }, { messageId, lease = 0 }) {
  return answering?.messageId === messageId && lease < (answering.lease ?? 0);
}

/**
 * @param {Channel} channel
 * @param {import("maia/frames").DurableFrame} frame
 * @returns {Channel | typeof GAP}
 */
function applyDurable(channel, frame) {
  if (frame.seq <= channel.seq) return channel;
  if (frame.seq !== channel.seq + 1) return GAP;
  return { ...DURABLE[frame.type](channel, frame), seq: frame.seq };
}

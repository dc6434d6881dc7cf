/** Folds message frames: pure functions from messages and a frame to messages, or GAP. */

/** @typedef {import("maia/frames").Message} Message */
/** @typedef {import("maia/frames").MessageDelta} MessageDelta */
/** @typedef {import("maia/frames").Part} Part */

/** Says that a frame cannot follow what is known: subscribe again. */
export const GAP = Symbol("gap");

/** At most this many messages are kept of a channel (guide §6.7). */
export const MOST = 500;

/**
 * Adds or replaces a message; the order is by position.
 * @param {Message[]} messages
 * @param {Message} message
 * @returns {Message[]}
 */
export function upsert(messages, message) {
  const at = messages.findLastIndex((each) => each.id === message.id);
  if (at >= 0 && messages[at].position === message.position) return messages.with(at, message);
  const others = at >= 0 ? messages.toSpliced(at, 1) : messages;
  const after = others.findLastIndex((each) => each.position < message.position);
  return others.toSpliced(after + 1, 0, message);
}

/**
 * @param {Message[]} messages
 * @param {string} id
 * @returns {Message[]}
 */
export function remove(messages, id) {
  return messages.filter((each) => each.id !== id);
}

/**
 * Puts an older page before what is known.
 * @param {Message[]} older
 * @param {Message[]} messages
 * @returns {Message[]}
 */
export function prepend(older, messages) {
  const known = new Set(messages.map((each) => each.id));
  return [...older.filter((each) => !known.has(each.id)), ...messages];
}

/**
 * Applies a delta to the message it names.
 * @param {Message[]} messages
 * @param {MessageDelta} delta
 * @returns {Message[] | typeof GAP}
 */
export function applyDelta(messages, delta) {
  const at = messages.findLastIndex((each) => each.id === delta.messageId);
  if (at < 0) return GAP;
  const parts = partsAfter(messages[at].parts, delta);
  if (parts === GAP) return GAP;
  return parts === messages[at].parts ? messages : messages.with(at, { ...messages[at], parts });
}

/**
 * Returns the parts after a delta, the same array when the delta is known already.
 * @param {Part[]} parts
 * @param {MessageDelta} delta
 * @returns {Part[] | typeof GAP}
 */
export function partsAfter(parts, delta) {
  if (delta.index > parts.length) return GAP;
  return delta.part ? withPart(parts, delta.index, delta.part) : withText(parts, delta);
}

/**
 * @param {Part[]} parts
 * @param {number} index
 * @param {import("maia/frames").ToolPart | import("maia/frames").PlanPart} part
 * @returns {Part[] | typeof GAP}
 */
function withPart(parts, index, part) {
  if (index === parts.length) return [...parts, part];
  const known = parts[index];
  if (known.type !== part.type) return GAP;
  return part.rev > known.rev ? parts.with(index, part) : parts;
}

/**
 * @param {Part[]} parts
 * @param {MessageDelta} delta
 * @returns {Part[] | typeof GAP}
 */
function withText(parts, { index, kind, text = "", offset, seconds }) {
  if (seconds !== undefined && index < parts.length) {
    const known = parts[index];
    if (!("text" in known)) return GAP;
    if ("seconds" in known && known.seconds === seconds) return parts;
    // A text may turn out to have been a thought: its closing tag came alone.
    return parts.with(index, { ...known, type: "thought", text, seconds });
  }
  if (index === parts.length) {
    const begun = /** @type {Part} */ ({ type: kind, text, interrupted: false });
    return offset === 0 ? [...parts, begun] : GAP;
  }
  const part = parts[index];
  if (part.type !== kind || !("text" in part)) return GAP;
  const length = part.text.length;
  if (offset > length) return GAP;
  if (offset + text.length <= length) return parts;
  return parts.with(index, { ...part, text: part.text + text.slice(length - offset) });
}

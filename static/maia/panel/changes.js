/**
 * The changes of a conversation, one entry per file: what was there before, what is there after.
 */
import { compare } from "maia/lib/diffs";

/** @typedef {import("maia/frames").Diff} Diff */
/** @typedef {{path: string, diffs: Diff[], agent?: string, at?: string}} Change */
/**
 * @typedef {{path: string, agent?: string, at?: string, diffs: Diff[], mark: "A" | "M" | "D",
 *   added: number, removed: number}} FileChange
 */

/**
 * Joined diffs by their last one: the same list gives the same objects, which are compared once.
 * @type {WeakMap<Diff, {first: Diff, whole: Diff}>}
 */
const joined = new WeakMap();

/**
 * Joins edits that follow each other: one diff from the first text to the last.
 * @param {readonly Diff[]} diffs @returns {Diff[]}
 */
export function inOne(diffs) {
  /** @type {Diff[]} */
  const out = [];
  for (const diff of diffs) {
    const before = out[out.length - 1];
    if (before && (before.newText ?? "") === (diff.oldText ?? ""))
      out[out.length - 1] = join(before, diff);
    else out.push(diff);
  }
  return out;
}

/** @param {Diff} first @param {Diff} last @returns {Diff} */
function join(first, last) {
  const known = joined.get(last);
  if (known?.first === first) return known.whole;
  const whole = { ...last, oldText: first.oldText, newFile: first.newFile };
  joined.set(last, { first, whole });
  return whole;
}

/** @param {readonly Diff[]} diffs @returns {"A" | "M" | "D"} */
function markOf(diffs) {
  if (diffs[0]?.newFile) return "A";
  const last = diffs[diffs.length - 1];
  return last?.oldText && !last.newText ? "D" : "M";
}

/**
 * Returns the files that changed, in the order given.
 * @param {readonly Change[]} changes
 * @returns {FileChange[]}
 */
export function byFile(changes) {
  return changes
    .filter((change) => change.diffs.length)
    .map((change) => {
      const diffs = inOne(change.diffs);
      const counts = diffs.map((diff) => compare(diff));
      const sum = (/** @type {"added" | "removed"} */ key) =>
        counts.reduce((all, one) => all + one[key], 0);
      return {
        ...change,
        diffs,
        mark: markOf(diffs),
        added: sum("added"),
        removed: sum("removed"),
      };
    });
}

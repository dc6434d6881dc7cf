/** Turns a change of a file into rows of a table. Pure. */

import { diffWordsWithSpace, structuredPatch } from "diff";
import { visible } from "maia/lib/visible";

/** Lines around a change. */
const AROUND = 3;
/** Longer comparisons are given up. */
const WITHIN = 600;

/**
 * @typedef {{kind: "gap" | "same" | "add" | "del", text: string, before?: number, after?: number,
 *   marks?: [number, number][]}} Row `marks` are the changed stretches of a line
 */
/** @typedef {{rows: Row[], added: number, removed: number, tooBig: boolean}} Comparison */

/** @type {WeakMap<object, Comparison>} */
const known = new WeakMap();

/**
 * Compares the two texts of a change; the same object is compared once.
 * @param {import("maia/frames").Diff} diff
 * @returns {Comparison}
 */
export function compare(diff) {
  let result = known.get(diff);
  if (!result) known.set(diff, (result = comparison(diff)));
  return result;
}

/**
 * Returns how many lines a call adds and removes.
 * @param {import("maia/frames").ToolPart} call
 * @returns {{added: number, removed: number}}
 */
export function changeOf({ diffs, cut }) {
  if (cut && !diffs.length) return cut;
  return diffs
    .map(compare)
    .reduce(
      (sum, { added, removed }) => ({ added: sum.added + added, removed: sum.removed + removed }),
      { added: 0, removed: 0 },
    );
}

/** @param {import("maia/frames").Diff} diff @returns {Comparison} */
function comparison({ oldText = "", newText = "" }) {
  const patch = structuredPatch("a", "b", visible(oldText), visible(newText), "", "", {
    context: AROUND,
    timeout: WITHIN,
  });
  if (!patch)
    return { rows: [], added: lineCount(newText), removed: lineCount(oldText), tooBig: true };
  const rows = patch.hunks.flatMap((hunk) => rowsOf(hunk, oldText !== ""));
  const count = (/** @type {string} */ kind) => rows.filter((row) => row.kind === kind).length;
  return { rows, added: count("add"), removed: count("del"), tooBig: false };
}

/** @param {string} text */
function lineCount(text) {
  return text ? text.replace(/\n$/, "").split("\n").length : 0;
}

/** @param {any} hunk @param {boolean} titled @returns {Row[]} */
function rowsOf(hunk, titled) {
  let before = hunk.oldStart;
  let after = hunk.newStart;
  /** @type {Row[]} */
  const rows = titled
    ? [
        {
          kind: "gap",
          text: `@@ ${hunk.oldStart},${hunk.oldLines} → ${hunk.newStart},${hunk.newLines} @@`,
        },
      ]
    : [];
  for (const line of hunk.lines) {
    const text = line.slice(1);
    if (line[0] === "-") rows.push({ kind: "del", text, before: before++ });
    else if (line[0] === "+") rows.push({ kind: "add", text, after: after++ });
    else if (line[0] === " ") rows.push({ kind: "same", text, before: before++, after: after++ });
  }
  return withWordMarks(rows);
}

/** Marks the words that differ in runs of as many removed as added lines. @param {Row[]} rows */
function withWordMarks(rows) {
  for (let i = 0; i < rows.length; i += 1) {
    if (rows[i].kind !== "del") continue;
    let end = i;
    while (rows[end]?.kind === "del") end += 1;
    let last = end;
    while (rows[last]?.kind === "add") last += 1;
    const pairs = Math.min(end - i, last - end);
    for (let k = 0; k < pairs; k += 1) markPair(rows[i + k], rows[end + k]);
    i = last - 1;
  }
  return rows;
}

/** @param {Row} del @param {Row} add */
function markPair(del, add) {
  if (del.text.length + add.text.length > 2_000) return;
  /** @type {[number, number][]} */ const removed = [];
  /** @type {[number, number][]} */ const added = [];
  let a = 0;
  let b = 0;
  let same = 0;
  for (const piece of diffWordsWithSpace(del.text, add.text)) {
    const { length } = piece.value;
    if (piece.removed) removed.push([a, (a += length)]);
    else if (piece.added) added.push([b, (b += length)]);
    else {
      a += length;
      b += length;
      same += piece.value.trim().length;
    }
  }
  if (same * 3 < Math.min(del.text.trim().length, add.text.trim().length)) return;
  if (removed.length) del.marks = removed;
  if (added.length) add.marks = added;
}

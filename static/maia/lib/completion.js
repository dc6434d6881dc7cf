/** What the composer offers while somebody types, and its history. Pure. */

import { fold } from "maia/lib/visible";

/** Most options at a time. */
const MOST = 12;

/** @typedef {{kind: string, label: string, insert: string, words: string}} Option */
/** @typedef {{sign: string, typed: string, from: number}} Token */
/** @typedef {Token & {options: Option[]}} Completion */

/** Commands and skills count only where a line begins; a skill may follow the names of agents. */
const TOKENS = [
  /^(?<sign>\/)(?<typed>[^\s/]*)$/,
  /^(?<sign>!)(?<typed>[^\n]*)$/,
  /^(?:\s*@[\w.-]+\s+)*(?<sign>§)(?<typed>[^\s§]*)$/,
  /(?:^|\s)(?<sign>@)(?<typed>'(?:\\'|[^'\n])*|[^\s'@]*)$/,
  /(?:^|\s)(?<sign>\$)(?<typed>[~./]*\p{L}[^\s$]*|[~./]*)$/u,
];

/**
 * Returns the sign and the word before the caret that may be completed; undefined for none.
 * @param {string} before the text before the caret
 * @returns {Token | undefined}
 */
export function tokenAt(before) {
  for (const pattern of TOKENS) {
    const groups = pattern.exec(before)?.groups;
    if (groups)
      return {
        sign: groups.sign,
        typed: groups.typed,
        from: before.length - groups.typed.length - 1,
      };
  }
  return undefined;
}

/**
 * Returns the options known here that begin with what was typed.
 * @param {Token} token
 * @param {Option[]} options
 */
export function fitting({ typed }, options) {
  const wanted = fold(typed);
  return options.filter(({ label }) => fold(label).startsWith(wanted)).slice(0, MOST);
}

/**
 * Splits a label into what stands before, in and after the part that was typed.
 * @param {string} label @param {string} typed
 */
export function hitOf(label, typed) {
  const wanted = typed.replace(/^'/, "").toLowerCase();
  const at = wanted ? label.toLowerCase().lastIndexOf(wanted) : 0;
  if (at < 0) return [label, "", ""];
  return [label.slice(0, at), label.slice(at, at + wanted.length), label.slice(at + wanted.length)];
}

/**
 * Returns the next place in a history of `length` entries; -1 is the text being typed.
 * @param {number} at @param {1 | -1} by @param {number} length
 */
export function historyStep(at, by, length) {
  return Math.max(-1, Math.min(length - 1, at + by));
}

/**
 * Returns how well `query` fits `text`, letters in order; 0 for not at all.
 * @param {string} query @param {string} text
 */
export function fit(query, text) {
  const wanted = fold(query);
  const within = fold(text);
  if (!wanted) return 1;
  const at = within.indexOf(wanted);
  if (at >= 0) return 1_000 - at + (at === 0 || /[\s/#@._-]/.test(within[at - 1]) ? 500 : 0);
  let score = 0;
  let from = 0;
  for (const char of wanted) {
    const found = within.indexOf(char, from);
    if (found < 0) return 0;
    score += found === from ? 6 : 1;
    from = found + 1;
  }
  return score;
}

/** What the composer offers while somebody types, and its history. Pure. */

/** Most options at a time. */
const MOST = 8;

/** @typedef {{name: string, words: string}} Choice */
/** @typedef {{sign: string, typed: string, from: number, options: Choice[]}} Completion */

/**
 * Returns what may complete the word before the caret; undefined for nothing. `/` counts only as
 * the first character, the others at the start of a word.
 * @param {string} before the text before the caret
 * @param {Record<string, Choice[]>} choices by sign
 * @returns {Completion | undefined}
 */
export function completionAt(before, choices) {
  const match = /(?:^|\s)([/@])([^\s/@]*)$/.exec(before);
  if (!match) return undefined;
  const [, sign, typed] = match;
  const from = before.length - typed.length - 1;
  if (sign === "/" && before.slice(0, from).trim()) return undefined;
  const options = (choices[sign] ?? [])
    .filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase())).slice(0, MOST);
  return options.length ? { sign, typed, from, options } : undefined;
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
  const wanted = query.toLowerCase();
  const within = text.toLowerCase();
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

/**
 * Characters: shows those that would hide or reorder what people agree to, and tells where an
 * address ends and which way a script runs. Pure.
 */

// Controls but tab and line ends, marks and overrides of the writing direction, and what has no
// width.
// eslint-disable-next-line no-control-regex
const HIDDEN =
  /[\0-\b\v\f\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\r(?!\n)/g;

/** Returns `text` with each such character as its number: `⟨U+202E⟩`. @param {string} text */
export function visible(text) {
  return text.replace(
    HIDDEN,
    (char) => `⟨U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/**
 * Returns what all spellings of a text have in common, as the server finds names: neither case nor
 * composition nor joiners count, all blanks are one, and σ is σ wherever it stands.
 * @param {string} text
 */
export function fold(text) {
  const letters = text.normalize("NFD").replace(/[\u200c\u200d]/g, "");
  const small = letters.toUpperCase().toLowerCase().replaceAll("ς", "σ");
  return small.normalize("NFC").replace(/\p{Zs}/gu, " ");
}

/** Marks that no address holds, and that stand right behind one where no blank is written. */
export const MARKS =
  "\\u3000-\\u3004\\u3008-\\u3020\\u3030" +
  "\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65" +
  '\\u2018-\\u201f\\u2026\\u060c\\u061b\\u061f«»‹›"';
const LINK_END = new RegExp(`[${MARKS}]`);

const CJK =
  /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{20000}-\u{3ffff}]/u;
const RTL = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Returns a name as it stands in a sentence: one that runs from right to left turns nothing around
 * it, and is turned by nothing.
 * @param {string} name
 */
export function isolated(name) {
  return RTL.test(name) ? `\u2068${name}\u2069` : name;
}

/** Returns a path whose folders stand in their order, whichever way each name runs. @param {string} path */
export function shownPath(path) {
  return path.split("/").map(isolated).join("/");
}

/** Returns a text up to the mark that ends the address it begins with. @param {string} text */
export function untilLinkEnd(text) {
  const end = text.search(LINK_END);
  return end > 0 ? text.slice(0, end) : text;
}

/** Whether a character is of a script that writes no blanks. @param {string | undefined} char */
export function isCjk(char) {
  return char !== undefined && CJK.test(char);
}

/** Whether the first letter of a text runs from right to left. @param {string} text */
export function isRightToLeft(text) {
  return RTL.test(/\p{L}/u.exec(text)?.[0] ?? "");
}

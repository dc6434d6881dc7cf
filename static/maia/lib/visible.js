/** Shows characters that would hide or reorder what people read before they agree to it. Pure. */

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

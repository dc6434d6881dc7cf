/**
 * What may be pasted into a terminal: text. A clipboard filled by a page can hold the end of the
 * paste itself (`ESC [201~`) and then keys, Enter among them, that nobody pressed.
 */

const PASTE_MARKS = /(?:\x1b\[|\x9b)20[01]~/g;
/** C0 but tab, line feed and carriage return; DEL; C1. */
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/**
 * Returns the text without what acts as a key, and whether there was any.
 * @param {string} clipboard
 */
export function pasted(clipboard) {
  const text = clipboard.replace(PASTE_MARKS, "").replace(CONTROLS, "");
  return { text, cleaned: text !== clipboard };
}

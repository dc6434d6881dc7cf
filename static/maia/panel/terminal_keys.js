/**
 * Whose key is it: the shell's or the app's, while the terminal has the focus (ui guide §5).
 *
 * Only Ctrl+Shift combinations belong to the app; everything else goes to the shell, Ctrl+K and
 * Escape included. Ctrl+Shift+Escape leaves the shell for the panel, where the app's keys work.
 */

/** @typedef {"shell" | "leave" | "copy" | "paste" | "find" | "app"} KeyOwner */
/** @typedef {Pick<KeyboardEvent, "key" | "ctrlKey" | "shiftKey" | "altKey" | "metaKey">} Key */

/** @type {Record<string, KeyOwner>} */
const OWN = { escape: "leave", c: "copy", v: "paste", f: "find" };

/** @param {Key} event @returns {KeyOwner} */
export function keyOwner(event) {
  if (!event.ctrlKey || !event.shiftKey || event.altKey || event.metaKey) return "shell";
  return OWN[event.key.toLowerCase()] ?? "app";
}

/** What the key row of narrow screens sends. */
export const KEY_ROW = /** @type {const} */ ([
  { id: "esc", label: "Esc", bytes: "\x1b" },
  { id: "tab", label: "Tab", bytes: "\t" },
  { id: "ctrl", label: "Ctrl", bytes: "" },
  { id: "up", label: "↑", bytes: "\x1b[A" },
  { id: "down", label: "↓", bytes: "\x1b[B" },
  { id: "pipe", label: "|", bytes: "|" },
  { id: "slash", label: "/", bytes: "/" },
]);

/**
 * Returns what is sent when `text` is typed while the row's Ctrl is down: Ctrl+C is 0x03.
 * @param {string} text
 */
export function withCtrl(text) {
  const code = text.toUpperCase().charCodeAt(0);
  if (text.length !== 1 || Number.isNaN(code)) return text;
  if (code === 0x20) return "\x00";
  return code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : text;
}

/**
 * Returns the arrow as the shell's mode wants it: programs such as less switch to `ESC O`.
 * @param {string} bytes @param {boolean} application DECCKM is set
 */
export const arrowBytes = (bytes, application) =>
  application ? bytes.replace("\x1b[", "\x1bO") : bytes;

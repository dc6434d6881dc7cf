/** The keyboard map (guide §5): which action a key press means. Pure. */

/**
 * @typedef {Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">}
 *   Press
 */

/**
 * Returns the action of a key press anywhere in the page, or undefined.
 * @param {Press} press
 * @returns {string | undefined} "palette", "theme", "panel", "tab-1"…"tab-4", "channel-next",
 *   "channel-previous", "unread-next", "unread-previous", "escape"
 */
export function globalAction(press) {
  const { key, altKey, shiftKey } = press;
  if (isCommand(press)) return commandAction(press);
  if (altKey && (key === "ArrowDown" || key === "ArrowUp")) {
    return `${shiftKey ? "unread" : "channel"}-${key === "ArrowDown" ? "next" : "previous"}`;
  }
  return key === "Escape" && plain(press) ? "escape" : undefined;
}

/** @param {Press} press */
function commandAction({ key, code, shiftKey, altKey }) {
  if (altKey) return undefined;
  const letter = key.toLowerCase();
  if (shiftKey) return letter === "l" ? "theme" : undefined;
  if (letter === "k") return "palette";
  if (letter === "j") return "panel";
  const digit = /^Digit([1-4])$/.exec(code ?? "")?.[1] ?? (/^[1-4]$/.test(key) ? key : undefined);
  return digit ? `tab-${digit}` : undefined;
}

/**
 * Returns the answer that a single key gives to the oldest request: Y or O, A, N, S.
 * @param {Press} press
 * @returns {"allow_once" | "allow_always" | "deny" | "stop" | undefined}
 */
export function answerOf(press) {
  if (!plain(press)) return undefined;
  const answers = /** @type {const} */ ({
    y: "allow_once",
    o: "allow_once",
    a: "allow_always",
    n: "deny",
    s: "stop",
  });
  return answers[/** @type {keyof typeof answers} */ (press.key.toLowerCase())];
}

/** Whether a key press without modifiers asks for the list of shortcuts. @param {Press} press */
export function isHelp(press) {
  return press.key === "?" && !press.ctrlKey && !press.metaKey && !press.altKey;
}

/**
 * Whether a key press sends: never with Shift, never while an input method composes.
 * @param {Press & {isComposing?: boolean, keyCode?: number}} press
 * @param {boolean} [withCtrl] Enter alone makes a new line
 */
export function sends(press, withCtrl = false) {
  return (
    press.key === "Enter" &&
    !press.shiftKey &&
    !press.altKey &&
    (!withCtrl || isCommand(press)) &&
    !composes(press)
  );
}

/**
 * Whether a key press belongs to an input method; Safari ends the composition before it tells.
 * @param {{isComposing?: boolean, keyCode?: number}} press
 */
export function composes({ isComposing, keyCode }) {
  return isComposing === true || keyCode === 229;
}

/** Whether the focus is where people type. @param {Element | null} element */
export function isTyping(element) {
  if (!element) return false;
  const field = element.matches(
    "input, textarea, select, [contenteditable]:not([contenteditable=false])",
  );
  return field || element.closest(".xterm, .cm-editor") !== null;
}

/** @param {Press} press */
function isCommand({ ctrlKey, metaKey }) {
  return ctrlKey || metaKey;
}

/** @param {Press} press */
function plain({ ctrlKey, metaKey, altKey }) {
  return !ctrlKey && !metaKey && !altKey;
}

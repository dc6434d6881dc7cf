/** Small choices this browser keeps: they vanish where storage is forbidden. */

/** @param {string} key @returns {string} "" where nothing is kept */
export function kept(key) {
  try {
    return localStorage.getItem(`maia-${key}`) ?? "";
  } catch {
    return "";
  }
}

/** Whether this person sends with Ctrl+Enter, so that Enter makes a new line. */
export function sendsWithCtrl() {
  return kept("send") === "ctrl";
}

/** @param {string} key @param {string} value */
export function keep(key, value) {
  try {
    localStorage.setItem(`maia-${key}`, value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

/** Returns what was typed in a conversation and not sent. @param {string} channel */
export function readDraft(channel) {
  return kept(`draft-${channel}`);
}

/** @param {string} channel @param {string} text */
export function writeDraft(channel, text) {
  if (text) keep(`draft-${channel}`, text);
  else forget(`draft-${channel}`);
}

/** @param {string} key */
function forget(key) {
  try {
    localStorage.removeItem(`maia-${key}`);
  } catch {
    // Nothing was kept.
  }
}

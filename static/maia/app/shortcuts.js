/** The list of shortcuts, as the page shows it. */

import { html } from "lit";
import { currentLanguage, t } from "maia/lib/i18n";
import { keep, sendsWithCtrl } from "maia/lib/kept";

/**
 * Returns the list as a template.
 * @param {() => void} changed the person chose the other key to send with
 */
export function shortcuts(changed) {
  const ctrl = t("key.ctrl");
  const shift = t("key.shift");
  const enter = t("key.enter");
  const yes = currentLanguage() === "fr" ? "O" : "Y";
  /** @type {[string[], string][]} */
  const rows = [
    [[enter], "keys.send"],
    [[`${shift} ${enter}`], "keys.line"],
    [["↑", "↓"], "keys.history"],
    [["/", "@", "$", "§", "!"], "keys.complete"],
    [["Esc"], "keys.escape"],
    [[`${ctrl} K`], "keys.palette"],
    [["Alt ↑", "Alt ↓"], "keys.channels"],
    [[`Alt ${shift} ↑`, `Alt ${shift} ↓`], "keys.unread"],
    [[`${ctrl} 1…4`], "keys.tabs"],
    [[`${ctrl} J`], "keys.panel"],
    [[yes, "A", "N", "S"], "keys.answer"],
    [[`${shift} Tab`], "keys.request"],
    [["J", "K"], "keys.messages"],
    [["E"], "keys.fold"],
    [["."], "keys.menu"],
    [[`${ctrl} F`], "keys.save"],
    [[`${ctrl} ${shift} Esc`], "keys.leave"],
    [[`${ctrl} ${shift} L`], "keys.theme"],
    [["?"], "keys.help"],
  ];
  return html`<label class="row send-choice"><input type="checkbox" class="switch"
    ?checked=${sendsWithCtrl()}
    @change=${(/** @type {Event} */ event) => choose(event, changed)}><span>${t(
      "keys.ctrlEnter",
    )}</span></label>
    <dl class="shortcuts">${rows.map(
      ([keys, words]) =>
        html`<div><dt>${keys.map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${t(words)}</dd></div>`,
    )}</dl>`;
}

/** @param {Event} event @param {() => void} changed */
function choose(event, changed) {
  keep("send", /** @type {HTMLInputElement} */ (event.target).checked ? "ctrl" : "");
  changed();
}

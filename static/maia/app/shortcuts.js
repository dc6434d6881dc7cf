/** The list of shortcuts, as the page shows it. */

import { html } from "lit";
import { currentLanguage, t } from "maia/lib/i18n";

/** Returns the list as a template. */
export function shortcuts() {
  const ctrl = t("key.ctrl");
  const shift = t("key.shift");
  const yes = currentLanguage() === "fr" ? "O" : "Y";
  /** @type {[string[], string][]} */
  const rows = [
    [["Enter"], "keys.send"], [[`${shift} Enter`], "keys.line"], [["↑", "↓"], "keys.history"], [["/", "@", "$", "§", "!"], "keys.complete"],
    [["Esc"], "keys.escape"], [[`${ctrl} K`], "keys.palette"], [["Alt ↑", "Alt ↓"], "keys.channels"], [[`Alt ${shift} ↑`, `Alt ${shift} ↓`], "keys.unread"],
    [[`${ctrl} 1…4`], "keys.tabs"], [[`${ctrl} J`], "keys.panel"], [[yes, "A", "N", "S"], "keys.answer"], [["J", "K"], "keys.messages"], [["E"], "keys.fold"],
    [[`${ctrl} ${shift} L`], "keys.theme"], [["?"], "keys.help"],
  ];
  return html`<dl class="shortcuts">${rows.map(([keys, words]) => html`<div><dt>${keys.map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${t(words)}</dd></div>`)}</dl>`;
}

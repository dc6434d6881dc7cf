/** Draws the menu of the composer. */

import { html, nothing } from "lit";
import { hitOf } from "maia/lib/completion";
import { agentAvatar, icon } from "maia/lib/dom";
import { t } from "maia/lib/i18n";

/** @type {Record<string, string>} */
const ICONS = { file: "file", folder: "folder", skill: "skill", shell: "terminal" };

/**
 * @param {import("maia/lib/completion").Completion} menu
 * @param {number} chosen -1 for none
 * @param {(index: number) => void} insert
 */
export function completionMenu(menu, chosen, insert) {
  const title = t(`complete.${menu.sign}`);
  return html`<div class="menu" id="composer-menu"
    @mousedown=${(/** @type {Event} */ event) => event.preventDefault()}>
    <div class="menu-title" aria-hidden="true">${title}</div>
    ${
      menu.options.length
        ? nothing
        : html`<p class="menu-none" role="status">${t("complete.noSkills")}</p>`
    }
    <div class="menu-list" role="listbox" aria-label=${title}>${menu.options.map(
      (
        option,
        index,
      ) => html`<button type="button" class="option" role="option" id="option-${index}"
        tabindex="-1" aria-selected=${String(index === chosen)}
        @click=${() => insert(index)}>${mark(option)}<bdi class="mono small ${
          option.words ? "" : "long"
        }">${label(menu, option)}</bdi>${
          option.words
            ? html`<span class="option-desc ellipsis grow" dir="auto">${option.words}</span>`
            : nothing
        }</button>`,
    )}</div>
    <div class="menu-foot" aria-hidden="true">${
      menu.options.length
        ? html`<span><kbd>↑</kbd><kbd>↓</kbd> ${t("menu.move")}</span><span><kbd>Tab</kbd> ${t(
            "menu.insert",
          )}</span>`
        : nothing
    }<span><kbd>Esc</kbd> ${t("menu.close")}</span></div></div>`;
}

/** @param {import("maia/lib/completion").Option} option */
function mark({ kind, label: name }) {
  if (kind === "agent") return agentAvatar(name, { size: "s" });
  return ICONS[kind] ? icon(ICONS[kind], "i-s") : nothing;
}

/**
 * @param {import("maia/lib/completion").Completion} menu
 * @param {import("maia/lib/completion").Option} option
 */
function label({ sign, typed }, { kind, label: name }) {
  const [before, hit, after] = hitOf(name, typed);
  const plain = kind === "file" || kind === "folder";
  if (before || plain)
    return html`${plain ? "" : sign}${before}<span class="hit">${hit}</span>${after}`;
  return html`<span class="hit">${sign}${hit}</span>${after}`;
}

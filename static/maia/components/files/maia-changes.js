/**
 * <maia-changes>: what the agents changed in this conversation, file by file.
 *
 * Emits `maia-open-file` {path}. The diff itself is drawn by <maia-diff>.
 */
import { html, nothing, repeat } from "lit";
import { plusMinus } from "maia/components/files/maia-diff";
import { icon, MaiaElement } from "maia/lib/dom";
import { t, time } from "maia/lib/i18n";
import { shownPath } from "maia/lib/visible";

export class MaiaChanges extends MaiaElement {
  static properties = { changes: { attribute: false } };

  constructor() {
    super();
    /** @type {import("maia/panel/changes").FileChange[]} */
    this.changes = [];
  }

  render() {
    if (!this.changes.length) {
      return html`<div
        class="empty"><h3>${t("panel.changes.empty")}</h3><p>${t(
          "panel.changes.emptyHow",
        )}</p></div>`;
    }
    return html`${this.#head()}<div class="panel-scroll" tabindex="0" role="region"
      aria-label=${t("panel.tab.changes")}>
      ${repeat(
        this.changes,
        (change) => change.path,
        (change) => this.#file(change),
      )}</div>`;
  }

  #head() {
    const total = (/** @type {"added" | "removed"} */ key) =>
      this.changes.reduce((sum, change) => sum + change[key], 0);
    return html`<div class="panel-sub"><span
      class="grow">${t("panel.changes.count", { count: this.changes.length })}</span>
      ${plusMinus({ added: total("added"), removed: total("removed") })}</div>`;
  }

  /** @param {import("maia/panel/changes").FileChange} change */
  #file(change) {
    return html`<details class="tool" open><summary>${icon("right", "i-xs chev")}
        <span class="tool-target grow ellipsis"
          title=${change.path}>${shownPath(change.path)}</span>
        <span class="mod ${change.mark.toLowerCase()}"><span
          aria-hidden="true">${change.mark}</span><span class="sr"
          >${t(`panel.changes.mark.${change.mark}`)}</span></span>
        ${plusMinus(change)}</summary>
      <div class="tool-body">${change.diffs.map(
        (diff) => html`<maia-diff .diff=${diff}></maia-diff>`,
      )}
        <div class="tool-foot"><span class="grow ellipsis">${this.#who(change)}</span>${
          change.mark === "D"
            ? nothing
            : html`
              <button class="btn s quiet"
                aria-label=${t("panel.changes.openNamed", { path: change.path })}
                @click=${() => this.#open(change.path)}>${icon("file", "i-xs")}${t(
                  "panel.changes.open",
                )}</button>`
        }</div></div></details>`;
  }

  /** @param {import("maia/panel/changes").FileChange} change */
  #who(change) {
    return [change.agent, change.at ? time(change.at) : ""].filter(Boolean).join(" · ");
  }

  /** @param {string} path */
  #open(path) {
    this.tell("maia-open-file", { path, line: null });
  }
}

customElements.define("maia-changes", MaiaChanges);

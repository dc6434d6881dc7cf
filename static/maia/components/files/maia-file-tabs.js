/**
 * <maia-file-tabs>: the row of open files. Emits `maia-file-choose` and `maia-file-close` {path}.
 */
import { html, repeat } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { visible } from "maia/lib/visible";
import { tabByKey } from "maia/panel/tablist";
import { nameOf } from "maia/panel/tree";
import { downloadUrl } from "maia/panel/workspace_api";

export class MaiaFileTabs extends MaiaElement {
  static properties = {
    workspace: { attribute: false },
    files: { attribute: false },
    active: { attribute: false },
  };

  /** Whether the next tab that is chosen gets the focus: it was chosen by a key. */
  #follows = false;

  constructor() {
    super();
    this.workspace = "";
    /** @type {import("maia/panel/open_files").OpenFile[]} */
    this.files = [];
    this.active = "";
  }

  /** @returns {HTMLElement | null} */
  get #chosen() {
    return this.querySelector('.editor-tab[aria-selected="true"]');
  }

  /** Puts the focus on the chosen tab; returns whether there is one. */
  focusTab() {
    this.#chosen?.focus();
    return Boolean(this.#chosen);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (!changed.has("active")) return;
    this.#chosen?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (this.#follows) this.focusTab();
    this.#follows = false;
  }

  render() {
    const { active } = this;
    const name = nameOf(active);
    return html`<div class="editor-tabs"><div class="tabset" role="tablist"
      aria-label=${t("panel.files.opened")} @keydown=${this.#tabKey}>
        ${repeat(
          this.files,
          (file) => file.path,
          (file, i) => this.#tab(file, i),
        )}</div>
      <span class="grow"></span>
      <a class="icon-btn s" href=${downloadUrl(this.workspace, active)} download
        aria-label=${t("panel.files.downloadNamed", { name })}
        title=${t("panel.files.download")}>${icon("download", "i-s")}</a>
      <button class="icon-btn s" aria-label=${t("panel.files.closeNamed", { name })}
        title=${t("panel.close")}
        @click=${() => this.#close(active)}>${icon("x", "i-s")}</button></div>`;
  }

  /** @param {import("maia/panel/open_files").OpenFile} file @param {number} i */
  #tab({ path, state }, i) {
    const chosen = path === this.active;
    return html`<button class="editor-tab ${state === "gone" ? "gone" : ""}" role="tab"
      id="file-tab-${i}" aria-selected=${chosen}
      tabindex=${chosen ? 0 : -1} aria-controls="file-view-${i}" title=${path}
      @click=${() => this.#choose(path)}
      @auxclick=${(/** @type {MouseEvent} */ event) =>
        event.button === 1 && this.#close(path)}><bdi>${visible(nameOf(path))}</bdi></button>`;
  }

  /** @param {string} path */
  #choose(path) {
    this.tell("maia-file-choose", { path });
  }

  /** @param {string} path */
  #close(path) {
    this.tell("maia-file-close", { path });
  }

  #tabKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Delete") {
      this.#close(this.active);
      return;
    }
    const at = this.files.findIndex((file) => file.path === this.active);
    const next = tabByKey(this.files.length, at, event.key);
    if (next < 0) return;
    event.preventDefault();
    this.#follows = next !== at;
    this.#choose(this.files[next].path);
  };
}

customElements.define("maia-file-tabs", MaiaFileTabs);

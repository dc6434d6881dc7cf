/**
 * <maia-file-menu>: what can be done with one file or folder.
 * Emits `maia-file-open`, `maia-file-create`, `maia-file-rename` and `maia-file-delete` {entry}.
 */
import { html, nothing } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { shownPath } from "maia/lib/visible";
import { downloadUrl } from "maia/panel/workspace_api";

/** Its distance from the edges of the window, in pixels. */
const EDGE = 8;

export class MaiaFileMenu extends MaiaElement {
  static properties = {
    workspace: { attribute: false },
    entry: { attribute: false },
    writes: { attribute: false },
  };

  constructor() {
    super();
    this.workspace = "";
    /** @type {import("maia/panel/tree").Entry | null} */
    this.entry = null;
    /** Whether this person may change files. */
    this.writes = false;
  }

  get #menu() {
    return /** @type {HTMLElement} */ (this.querySelector(".file-menu"));
  }

  /** @returns {HTMLElement[]} */
  get #items() {
    return [...this.#menu.querySelectorAll('[role="menuitem"]')].map(
      (each) => /** @type {HTMLElement} */ (each),
    );
  }

  /** Opens at a point of the window, whole in view. @param {number} x @param {number} y */
  async show(x, y) {
    await this.updateComplete;
    const menu = this.#menu;
    menu.showPopover();
    const [left, top] = [
      innerWidth - menu.offsetWidth - EDGE,
      innerHeight - menu.offsetHeight - EDGE,
    ];
    menu.style.setProperty("left", `${Math.max(EDGE, Math.min(x, left))}px`);
    menu.style.setProperty("top", `${Math.max(EDGE, Math.min(y, top))}px`);
    this.#items[0]?.focus();
  }

  render() {
    const { entry } = this;
    return html`<div class="menu file-menu" popover role="menu"
      aria-label=${t("panel.files.actions", { name: entry?.name ?? "" })}
      @keydown=${this.#pressed} @click=${this.#hide}>${
        entry ? this.#inside(entry) : nothing
      }</div>`;
  }

  /** @param {import("maia/panel/tree").Entry} entry */
  #inside(entry) {
    return html`<div class="menu-title" role="presentation"><span
      class="ellipsis">${shownPath(entry.path)}</span></div>
      ${entry.dir ? nothing : this.#ofFile(entry)}
      ${this.#item("copy", "panel.files.copyPath", () =>
        navigator.clipboard?.writeText(entry.path),
      )}
      ${this.writes ? this.#changing(entry) : nothing}`;
  }

  /** @param {import("maia/panel/tree").Entry} entry */
  #ofFile(entry) {
    return html`${this.#item("file", "panel.files.open", () =>
      this.tell("maia-file-open", { entry }),
    )}
      <a class="option" role="menuitem" tabindex="-1"
        href=${downloadUrl(this.workspace, entry.path)}
        download>${icon("download")}${t("panel.files.download")}</a>`;
  }

  /** @param {import("maia/panel/tree").Entry} entry */
  #changing(entry) {
    return html`${this.#item("file-plus", "panel.files.newHere", () =>
      this.tell("maia-file-create", { entry }),
    )}
      ${this.#item("pencil", "panel.files.renameAsk", () =>
        this.tell("maia-file-rename", { entry }),
      )}
      ${this.#item("trash", "panel.files.deleteAsk", () =>
        this.tell("maia-file-delete", { entry }),
      )}`;
  }

  /** @param {string} shape @param {string} key @param {() => unknown} act */
  #item(shape, key, act) {
    return html`<button class="option" role="menuitem" tabindex="-1"
      @click=${act}>${icon(shape)}${t(key)}</button>`;
  }

  #hide = () => this.#menu.hidePopover();

  #pressed = (/** @type {KeyboardEvent} */ event) => {
    const items = this.#items;
    const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Tab") this.#hide();
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    items[(step + items.length) % items.length]?.focus();
  };
}

customElements.define("maia-file-menu", MaiaFileMenu);

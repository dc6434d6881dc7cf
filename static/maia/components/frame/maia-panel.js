/**
 * <maia-panel>: the tools beside a conversation, in four tabs: Files, Terminal, Todos, Changes.
 *
 * Emits `maia-panel-tab` {tab}, `maia-panel-close` and `maia-panel-size` {width, wide}. The host is
 * the panel itself (class `panel`), a child of `.shell`.
 */
import { html, nothing } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { byFile } from "maia/panel/changes";
import {
  clampWidth,
  keepSize,
  MAX_WIDTH,
  MIN_WIDTH,
  readSize,
  START_WIDTH,
  TABS,
  widthByKey,
} from "maia/panel/size";
import { tabByKey } from "maia/panel/tablist";
import "maia/components/files/maia-file-browser";
import "maia/components/terminals/maia-terminals";
import "maia/components/conversation/maia-todos";
import "maia/components/files/maia-changes";

/** @type {Record<string, string>} */
const ICONS = { files: "folder", terminal: "terminal", todos: "todo", changes: "diff" };

export class MaiaPanel extends MaiaElement {
  static properties = {
    workspace: { attribute: false },
    tab: {},
    plan: { attribute: false },
    planAgent: { attribute: false },
    changes: { attribute: false },
    changed: { attribute: false },
    narrow: { type: Boolean },
    user: {},
    _size: { state: true },
  };

  constructor() {
    super();
    /** @type {{id: string, name: string, role: "owner" | "editor" | "viewer"} | null} */
    this.workspace = null;
    /** @type {import("maia/panel/size").Tab} */
    this.tab = "files";
    /** @type {{content: string, status: string, active?: string}[]} */
    this.plan = [];
    this.planAgent = "";
    /** @type {import("maia/panel/changes").Change[]} */
    this.changes = [];
    /**
     * @type {{workspace: string, paths?: string[], agent?: string} | null} the latest
     *   `workspace:changed`
     */
    this.changed = null;
    this.narrow = false;
    /** Whose width is kept: the id of the person. */
    this.user = "";
    /** @type {import("maia/panel/size").Size} */
    this._size = { width: null, wide: false };
    /** Views shown at least once; the others are not made, so that nothing is loaded early. */
    this._shown = new Set();
  }

  connectedCallback() {
    super.connectedCallback();
    this.classList.add("panel");
    this.setAttribute("role", "complementary");
    this.setAttribute("aria-label", t("panel.label"));
    this._size = readSize(this.user);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!TABS.includes(this.tab)) this.tab = "files";
    if (changed.has("user") && this.user) this._size = readSize(this.user);
    if (changed.has("workspace")) {
      const before = /** @type {{id: string} | null | undefined} */ (changed.get("workspace"));
      if (before?.id !== this.workspace?.id) this._shown.clear();
    }
    this._shown.add(this.tab);
  }

  updated() {
    this.#applySize();
  }

  /**
   * Shows a tab.
   * @param {import("maia/panel/size").Tab} tab
   * @param {{focus?: boolean}} [options]
   */
  async show(tab, { focus = false } = {}) {
    this.tab = tab;
    this.tell("maia-panel-tab", { tab });
    await this.updateComplete;
    if (focus) this.#tabElement(tab)?.focus();
  }

  /**
   * A click on Terminal goes on to the shell; by keyboard the focus stays on the tab.
   * @param {import("maia/panel/size").Tab} tab
   * @param {MouseEvent} event
   */
  async #clicked(tab, event) {
    await this.show(tab);
    if (tab === "terminal" && event.detail > 0) this.focusView();
  }

  /** Opens a file in the Files tab. @param {string} path @param {number | null} [line] from 1 */
  async openFile(path, line = null) {
    await this.show("files");
    await /** @type {any} */ (this.querySelector("maia-file-browser"))?.openFile(path, line);
  }

  /** @param {string} tab @returns {HTMLElement | null} */
  #tabElement(tab) {
    return this.querySelector(`#panel-tab-${tab}`);
  }

  /** Puts the focus into the view that is shown (Ctrl+1…4). */
  focusView() {
    const view = /** @type {any} */ (this.querySelector(`#panel-view-${this.tab}`));
    if (view?.focusView) view.focusView();
    else this.#tabElement(this.tab)?.focus();
  }

  render() {
    return html`${this.narrow ? nothing : this.#divider()}${this.#bar()}${
      this.workspace ? this.#views() : nothing
    }`;
  }

  #divider() {
    return html`<div class="panel-divider" role="separator" tabindex="0" aria-orientation="vertical"
      aria-label=${t("panel.width")} aria-valuemin=${MIN_WIDTH} aria-valuemax=${MAX_WIDTH}
      aria-valuenow=${this._size.width ?? START_WIDTH} @pointerdown=${this.#drag}
      @keydown=${this.#resizeByKey}
      @dblclick=${() => this.#setSize({ width: null, wide: false })}></div>`;
  }

  #bar() {
    return html`<div class="panel-bar">
      <div class="tabs" role="tablist" aria-label=${t("panel.tabs")} @keydown=${this.#tabKey}>
        ${TABS.map((tab) => this.#tabButton(tab))}
      </div>
      ${this.narrow ? this.#closeButton() : this.#wideButton()}
    </div>`;
  }

  /** @param {import("maia/panel/size").Tab} tab */
  #tabButton(tab) {
    const chosen = tab === this.tab;
    const count = this.#count(tab);
    return html`<button class="tab" role="tab" id="panel-tab-${tab}" aria-selected=${chosen}
      aria-controls="panel-view-${tab}" tabindex=${chosen ? 0 : -1}
      @click=${(/** @type {MouseEvent} */ event) => this.#clicked(tab, event)}
    >${icon(ICONS[tab], "i-s")}<span>${t(`panel.tab.${tab}`)}</span>${
      count ? html`<span class="count quiet">${count}</span>` : nothing
    }</button>`;
  }

  /** @param {string} tab */
  #count(tab) {
    return tab === "changes" ? this.changes.filter((change) => change.diffs.length).length : 0;
  }

  #wideButton() {
    return html`<button class="icon-btn" aria-pressed=${this._size.wide}
      aria-label=${t("panel.wide")}
      title=${t("panel.wide")}
      @click=${() =>
        this.#setSize({ ...this._size, wide: !this._size.wide })}>${icon("wide")}</button>`;
  }

  #closeButton() {
    return html`<button class="icon-btn" aria-label=${t("panel.close")}
      @click=${() => this.tell("maia-panel-close")}>${icon("x")}</button>`;
  }

  #views() {
    const { workspace } = this;
    return html`
      ${this.#view(
        "files",
        (hidden) => html`<maia-file-browser class="panel-view" role="tabpanel" id="panel-view-files"
          aria-labelledby="panel-tab-files" ?hidden=${hidden} .workspace=${workspace}
          .changed=${this.changed} .changes=${this.changes}></maia-file-browser>`,
      )}
      ${this.#view(
        "terminal",
        (
          hidden,
        ) => html`<maia-terminals class="panel-view dark" role="tabpanel" id="panel-view-terminal"
          aria-labelledby="panel-tab-terminal" ?hidden=${hidden} .workspace=${workspace}
          .shown=${!hidden}
          .narrow=${this.narrow} @maia-terminal-leave=${this.#leftTerminal}></maia-terminals>`,
      )}
      ${this.#view(
        "todos",
        (hidden) => html`<maia-todos class="panel-view" role="tabpanel" id="panel-view-todos"
          aria-labelledby="panel-tab-todos" ?hidden=${hidden} .plan=${this.plan}
          .agent=${this.planAgent}></maia-todos>`,
      )}
      ${this.#view(
        "changes",
        (hidden) => html`<maia-changes class="panel-view" role="tabpanel" id="panel-view-changes"
          aria-labelledby="panel-tab-changes" ?hidden=${hidden}
          .changes=${hidden ? [] : byFile(this.changes)}
          @maia-open-file=${this.#openAsked}></maia-changes>`,
      )}`;
  }

  /**
   * A view not shown yet is an empty panel, so that each tab controls something.
   * @param {string} tab
   * @param {(hidden: boolean) => unknown} make
   */
  #view(tab, make) {
    if (this._shown.has(tab)) return make(tab !== this.tab);
    return html`<div role="tabpanel" id="panel-view-${tab}" aria-labelledby="panel-tab-${tab}"
      hidden></div>`;
  }

  #openAsked = (/** @type {CustomEvent<{path: string, line?: number}>} */ event) => {
    event.stopPropagation();
    this.openFile(event.detail.path, event.detail.line);
  };

  #leftTerminal = () => this.#tabElement("terminal")?.focus();

  #tabKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const next = tabByKey(TABS.length, TABS.indexOf(this.tab), event.key);
    if (next < 0) return;
    event.preventDefault();
    this.show(TABS[next], { focus: true });
  };

  #resizeByKey = (/** @type {KeyboardEvent} */ event) => {
    const width = widthByKey(this._size.width ?? this.offsetWidth, event.key, event.shiftKey);
    if (width === null) return;
    event.preventDefault();
    this.#setSize({ width, wide: false });
  };

  #drag = (/** @type {PointerEvent} */ event) => {
    const handle = /** @type {HTMLElement} */ (event.currentTarget);
    const right = this.getBoundingClientRect().right;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (move) => {
      this._size = { width: clampWidth(right - move.clientX), wide: false };
    };
    handle.onpointerup = handle.onpointercancel = () => {
      handle.onpointermove = handle.onpointerup = handle.onpointercancel = null;
      this.#setSize(this._size);
    };
  };

  /** @param {import("maia/panel/size").Size} size */
  #setSize(size) {
    this._size = size;
    keepSize(this.user, size);
    this.tell("maia-panel-size", size);
  }

  /** The column belongs to the shell: it reads these two from its child (css/panel.css). */
  #applySize() {
    const { width, wide } = this._size;
    this.toggleAttribute("data-wide", wide && !this.narrow);
    this.toggleAttribute("data-sized", width !== null && !wide && !this.narrow);
    if (width !== null) this.parentElement?.style.setProperty("--panel-width", `${width}px`);
  }
}

customElements.define("maia-panel", MaiaPanel);

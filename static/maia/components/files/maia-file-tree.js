/**
 * <maia-file-tree>: the workspace's files as a tree, one tab stop, arrows and letters inside.
 *
 * Properties: `rows` (panel/tree), `marks`, `now`, `selected`. Emits `maia-tree-toggle` {path,
 * open},
 * `maia-tree-open` {path}, `maia-tree-more` {folder}, `maia-tree-retry` {folder}, `maia-tree-focus`
 * {entry}, `maia-tree-delete` {entry}, `maia-tree-menu` {entry, x, y}.
 */
import { html, nothing, repeat } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { visible } from "maia/lib/visible";
import { secondsSince } from "maia/panel/marks";
import { moved, typeAhead } from "maia/panel/tree";

/** Letters typed within this time belong together. */
const TYPING_MS = 700;

/** @typedef {import("maia/panel/tree").Row} Row */

export class MaiaFileTree extends MaiaElement {
  static properties = {
    rows: { attribute: false },
    marks: { attribute: false },
    now: { attribute: false },
    selected: {},
    _at: { state: true },
  };

  #typed = "";
  #typedAt = 0;
  /** Where the focused row was, so that a neighbour takes the focus when it goes away. */
  #index = 0;
  #hadFocus = false;

  constructor() {
    super();
    /** @type {Row[]} */
    this.rows = [];
    /** @type {ReadonlyMap<string, import("maia/panel/marks").Mark>} */
    this.marks = new Map();
    this.now = 0;
    this.selected = "";
    /** The key of the row that holds the tab stop. */
    this._at = "";
  }

  connectedCallback() {
    super.connectedCallback();
    this.setAttribute("role", "tree");
    this.setAttribute("aria-label", t("panel.files.tree"));
    this.addEventListener("keydown", this.#key);
    this.addEventListener("contextmenu", this.#menu);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.removeEventListener("keydown", this.#key);
    this.removeEventListener("contextmenu", this.#menu);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has("rows")) return;
    this.#hadFocus = this.contains(document.activeElement) || this.#hadFocus;
    const at = this.#stops.findIndex((row) => row.key === this._at);
    if (at >= 0) this.#index = at;
    else this._at = this.#stops[Math.min(this.#index, this.#stops.length - 1)]?.key ?? "";
  }

  updated() {
    if (
      this.#hadFocus &&
      !this.contains(document.activeElement) &&
      document.activeElement === document.body
    )
      this.#focusRow();
    this.#hadFocus = false;
  }

  get #stops() {
    return this.rows.filter((row) => row.kind !== "loading");
  }

  focusView() {
    this.#focusRow();
  }

  /** Puts the tab stop on an entry. @param {string} path */
  async reveal(path) {
    this._at = path;
    await this.updateComplete;
    this.#row(path)?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} key */
  #row(key) {
    return /** @type {HTMLElement | null} */ (
      this.querySelector(`[data-key="${CSS.escape(key)}"]`)
    );
  }

  #focusRow() {
    this.#row(this._at)?.focus();
  }

  /** @param {Row | undefined} row */
  async #go(row) {
    if (!row) return;
    this._at = row.key;
    await this.updateComplete;
    this.#focusRow();
  }

  #key = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const list = this.#stops;
    const at = list.findIndex((row) => row.key === this._at);
    if (at < 0 || !this.#handle(event, list, at)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  /**
   * Returns whether the key meant something.
   * @param {KeyboardEvent} event
   * @param {Row[]} list
   * @param {number} at
   */
  #handle(event, list, at) {
    const row = list[at];
    if (row.entry?.dir && event.key === "ArrowRight" && !row.open) return this.#toggle(row, true);
    if (row.entry?.dir && event.key === "ArrowLeft" && row.open) return this.#toggle(row, false);
    const next = moved(list, at, event.key);
    if (next >= 0) {
      this.#go(list[next]);
      return true;
    }
    if (event.key === "Delete" && row.entry)
      return this.#tell("maia-tree-delete", { entry: row.entry });
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))
      return this.#menuAt(row);
    return this.#letter(event, list, at);
  }

  /** @param {KeyboardEvent} event @param {Row[]} list @param {number} at */
  #letter(event, list, at) {
    if (event.key.length !== 1 || event.key === " ") return false;
    this.#typed = event.timeStamp - this.#typedAt < TYPING_MS ? this.#typed + event.key : event.key;
    this.#typedAt = event.timeStamp;
    const found = typeAhead(list, at, this.#typed);
    if (found >= 0) this.#go(list[found]);
    return true;
  }

  /** @param {Row} row @param {boolean} [open] */
  #toggle(row, open = !row.open) {
    return this.#tell("maia-tree-toggle", { path: row.entry?.path, open });
  }

  /** @param {string} name @param {object} detail */
  #tell(name, detail) {
    this.tell(name, detail);
    return true;
  }

  #menu = (/** @type {MouseEvent} */ event) => {
    const key = /** @type {HTMLElement} */ (event.target)
      .closest("[data-key]")
      ?.getAttribute("data-key");
    const row = this.rows.find((one) => one.key === key);
    if (!row?.entry) return;
    event.preventDefault();
    this._at = row.key;
    this.tell("maia-tree-menu", { entry: row.entry, x: event.clientX, y: event.clientY });
  };

  /** @param {Row} row */
  #menuAt(row) {
    const box = this.#row(row.key)?.getBoundingClientRect();
    if (!row.entry || !box) return false;
    return this.#tell("maia-tree-menu", { entry: row.entry, x: box.left + 40, y: box.bottom });
  }

  /** @param {Row} row */
  #pressed(row) {
    this._at = row.key;
    if (row.kind === "more") this.tell("maia-tree-more", { folder: row.folder });
    else if (row.kind === "error") this.tell("maia-tree-retry", { folder: row.folder });
    else if (row.entry?.dir) this.#toggle(row);
    else if (row.entry) this.tell("maia-tree-open", { path: row.entry.path });
  }

  render() {
    return this.#branch([...this.rows], 1);
  }

  /**
   * Takes the rows of one folder off `left` and draws them, with what is below each.
   * @param {Row[]} left
   * @param {number} level
   * @returns {unknown}
   */
  #branch(left, level) {
    /** @type {{row: Row, below: unknown}[]} */
    const here = [];
    while (left.length && left[0].level >= level) {
      const row = /** @type {Row} */ (left.shift());
      const below =
        left.length && left[0].level > level
          ? html`<ul role="group">${this.#branch(left, level + 1)}</ul>`
          : nothing;
      here.push({ row, below });
    }
    return repeat(
      here,
      ({ row }) => row.key,
      ({ row, below }) => html`<li role="none">${this.#leaf(row)}${below}</li>`,
    );
  }

  /** @param {Row} row */
  #leaf(row) {
    if (row.kind === "loading")
      return html`<span class="leaf-wait" aria-hidden="true"><span class="skel w7"></span><span
        class="skel w5"></span></span>`;
    const { entry } = row;
    return html`<button class="leaf ${entry ? "" : "leaf-note"}" role="treeitem" data-key=${row.key}
      tabindex=${row.key === this._at ? 0 : -1}
      aria-level=${row.level} aria-posinset=${row.position ?? nothing}
      aria-setsize=${row.siblings ?? nothing}
      aria-expanded=${entry?.dir ? String(Boolean(row.open)) : nothing}
      aria-selected=${entry ? String(entry.path === this.selected) : nothing}
      aria-disabled=${row.kind === "empty" ? "true" : nothing} title=${entry?.path ?? nothing}
      @focus=${() => this.#focused(row)} @click=${() => this.#pressed(row)}>${
        entry ? this.#face(row, entry) : this.#note(row)
      }</button>`;
  }

  /** @param {Row} row @param {import("maia/panel/tree").Entry} entry */
  #face(row, entry) {
    const shape = entry.dir ? (row.open ? "folder-open" : "folder") : "file";
    return html`${
      entry.dir ? icon(row.open ? "down" : "right", "i-xs") : html`<span class="leaf-gap"></span>`
    }${icon(shape)}<span
      class="ellipsis" dir="auto">${visible(entry.name)}</span>${
        entry.link
          ? html`<span class="faint" title=${t("panel.files.link")}>${icon("link", "i-xs")}</span>`
          : nothing
      }${this.#mark(entry)}`;
  }

  /** @param {Row} row */
  #note(row) {
    if (row.kind === "more") return t("panel.files.more", { count: row.left ?? 0 });
    if (row.kind === "error")
      return html`<span class="badge fail">FAIL</span><span
        class="grow ellipsis">${row.error}</span><span class="strong">${t("panel.retry")}</span>`;
    return t("panel.files.emptyFolder");
  }

  /** @param {import("maia/panel/tree").Entry} entry */
  #mark(entry) {
    const mark = this.marks.get(entry.path);
    if (!mark) return nothing;
    const seconds = secondsSince(mark, this.now);
    return html`<span class="live"><span
      class="pulse"></span>${t("panel.files.changedBy", { agent: mark.agent, seconds })}</span>`;
  }

  /** @param {Row} row */
  #focused(row) {
    this._at = row.key;
    this.tell("maia-tree-focus", { entry: row.entry ?? null });
  }
}

customElements.define("maia-file-tree", MaiaFileTree);

/**
 * <maia-file-browser>: the Files tab: the tree above, the open files below.
 *
 * Holds what is open and reads it through the API; `changed` (a `workspace:changed` frame) makes it
 * read again the folders it knows and the files it shows.
 */
import { html, nothing, repeat } from "lit";
import { t } from "maia/lib/i18n";
import { visible } from "maia/lib/visible";
import { MaiaElement, icon } from "maia/lib/dom";
import * as trees from "maia/panel/tree";
import { MARK_MS, marked, newlyChanged } from "maia/panel/marks";
import { affected, changedFile, failure, keepOpen, opened, readOpen } from "maia/panel/open_files";
import { downloadUrl, filesApi } from "maia/panel/workspace_api";
import { isImage } from "maia/panel/languages";
import { tabAfterClosing, tabByKey } from "maia/panel/tablist";
import "maia/components/files/maia-file-tree";
import "maia/components/files/maia-file-viewer";
import "maia/components/files/maia-file-dialog";

/** @typedef {import("maia/panel/tree").Entry} Entry */

export class MaiaFileBrowser extends MaiaElement {
  static properties = {
    workspace: { attribute: false },
    changed: { attribute: false },
    changes: { attribute: false },
    _tree: { state: true },
    _marks: { state: true },
    _now: { state: true },
    _files: { state: true },
    _active: { state: true },
    _focused: { state: true },
    _notice: { state: true },
    _busy: { state: true },
    _dropping: { state: true },
  };

  /** @type {any} */ #clock = null;

  constructor() {
    super();
    /** @type {{id: string, name: string, role: string} | null} */
    this.workspace = null;
    /** @type {{workspace: string, paths?: string[], agent?: string} | null} */
    this.changed = null;
    /** @type {import("maia/panel/changes").Change[]} the conversation's: they say which agent wrote a file */
    this.changes = [];
    this._tree = trees.emptyTree();
    /** @type {ReadonlyMap<string, import("maia/panel/marks").Mark>} */
    this._marks = new Map();
    this._now = 0;
    /** @type {import("maia/panel/open_files").OpenFile[]} */
    this._files = [];
    this._active = "";
    /** @type {Entry | null} */
    this._focused = null;
    this._notice = "";
    this._busy = false;
    this._dropping = false;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#clock);
    this.#clock = null;
  }

  get #writes() {
    return this.workspace?.role !== "viewer";
  }

  get #id() {
    return /** @type {{id: string}} */ (this.workspace).id;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const before = /** @type {{id: string} | null | undefined} */ (changed.get("workspace"));
    if (changed.has("workspace") && this.workspace && before?.id !== this.workspace.id) this.#begin();
    if (changed.has("changed") && this.changed && this.changed.workspace === this.workspace?.id) this.#filesChanged(this.changed);
    if (changed.has("changes")) this.#markChanges(/** @type {any} */ (changed.get("changes")) ?? []);
  }

  /** @param {import("maia/panel/changes").Change[]} before */
  #markChanges(before) {
    for (const { path, agent } of newlyChanged(before, this.changes, Date.now())) this.#mark([path], agent);
  }

  #begin() {
    this._tree = trees.emptyTree();
    this._files = [];
    this._active = "";
    this._marks = new Map();
    this._focused = null;
    this._notice = "";
    this.#list("");
    this.#reopen();
  }

  /** Opens again what was open before the panel was hidden or the page reloaded. */
  async #reopen() {
    const workspace = this.#id;
    const { paths, active } = readOpen(workspace);
    paths.forEach((path) => { this._files = opened(this._files, path, null); });
    this._active = paths.includes(active) ? active : paths[0] ?? "";
    await Promise.all(paths.map((path) => this.#read(path)));
    if (workspace !== this.workspace?.id) return;
    this._files.filter((file) => file.state === "gone" && paths.includes(file.path)).forEach((file) => this.#close(file.path));
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if ((changed.has("_files") || changed.has("_active")) && this.workspace) keepOpen(this.#id, this._files, this._active);
    if (changed.has("_active")) this.querySelector('.editor-tab[aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  focusView() {
    /** @type {any} */ (this.querySelector("maia-file-tree"))?.focusView();
  }

  /** Opens a file, at a line where one is given. @param {string} path @param {number | null} [line] */
  async openFile(path, line = null) {
    const known = this._files.some((file) => file.path === path);
    this._files = opened(this._files, path, line);
    this._active = path;
    this.#reveal(path);
    if (!known) await this.#read(path);
  }

  /** @param {string} path */
  async #reveal(path) {
    this._tree = trees.revealed(this._tree, path);
    const missing = [...this._tree.open].filter((folder) => !this._tree.folders.has(folder) && (path.startsWith(`${folder}/`) || !folder));
    await Promise.all(missing.map((folder) => this.#list(folder)));
    await this.updateComplete;
    /** @type {any} */ (this.querySelector("maia-file-tree"))?.reveal(path);
  }

  /** Reads a folder; returns the paths that are new or written since it was read before. @param {string} folder @returns {Promise<string[]>} */
  async #list(folder) {
    const workspace = this.#id;
    this._tree = trees.reading(this._tree, folder);
    const before = this._tree.folders.get(folder);
    try {
      const entries = await filesApi.list(workspace, folder);
      if (workspace !== this.workspace?.id) return [];
      this._tree = trees.received(this._tree, folder, entries);
      return before?.state === "ready" ? trees.touched(before.entries, entries) : [];
    } catch (error) {
      if (workspace !== this.workspace?.id) return [];
      if (folder && /** @type {any} */ (error).status === 404) this._tree = trees.toggled(this._tree, folder, false);
      else this._tree = trees.failed(this._tree, folder, /** @type {Error} */ (error).message);
      return [];
    }
  }

  /** @param {string} path */
  async #read(path) {
    const workspace = this.#id;
    let change;
    try {
      if (isImage(path)) change = { state: /** @type {const} */ ("image"), url: await filesApi.image(workspace, path) };
      else {
        const { text, version } = await filesApi.read(workspace, path);
        change = { state: /** @type {const} */ ("text"), text, version };
      }
    } catch (error) {
      change = failure(error);
    }
    if (workspace === this.workspace?.id) this._files = changedFile(this._files, path, change);
  }

  /** @param {{paths?: string[], agent?: string}} frame */
  async #filesChanged(frame) {
    const paths = (frame.paths ?? []).map((path) => path.replace(/^\.?\/+|\/+$/g, "").replace(/^\.$/, ""));
    affected(this._files, paths).forEach((file) => this.#read(file.path));
    const lists = await Promise.all(trees.stale(this._tree, paths).map((folder) => this.#list(folder)));
    const hidden = paths.filter((path) => path && !this._tree.folders.has(path)).map((path) => this.#nearestKnown(path));
    this.#mark([...lists.flat(), ...hidden], frame.agent);
  }

  /** Returns the closed folder that hides `path`: it carries the mark. @param {string} path */
  #nearestKnown(path) {
    let at = path;
    while (trees.parentOf(at) && !this._tree.folders.has(trees.parentOf(at))) at = trees.parentOf(at);
    return at;
  }

  /** @param {string[]} paths @param {string | undefined} agent */
  #mark(paths, agent) {
    this._now = Date.now();
    this._marks = marked(this._marks, paths, agent, this._now);
    if (this._marks.size && !this.#clock) this.#clock = setInterval(() => this.#tick(), 1000);
  }

  #tick() {
    this._now = Date.now();
    if ([...this._marks.values()].some((mark) => this._now - mark.at >= MARK_MS)) this._marks = marked(this._marks, [], null, this._now);
    if (this._marks.size) return;
    clearInterval(this.#clock);
    this.#clock = null;
  }

  #refresh = () => Promise.all([
    ...trees.stale(this._tree, []).map((folder) => this.#list(folder)),
    ...this._files.map((file) => this.#read(file.path)),
  ]);

  /** Runs something that changes files; a refusal is shown above the tree. @param {() => Promise<void>} work */
  async #doing(work) {
    this._busy = true;
    this._notice = "";
    try {
      await work();
    } catch (error) {
      this._notice = error instanceof Error ? error.message : String(error);
    } finally {
      this._busy = false;
    }
  }

  /** The folder that new files go to: the focused one, or the focused file's. */
  get #here() {
    if (!this._focused) return "";
    return this._focused.dir ? this._focused.path : trees.parentOf(this._focused.path);
  }

  get #dialog() {
    return /** @type {import("maia/components/files/maia-file-dialog").MaiaFileDialog} */ (this.querySelector("maia-file-dialog"));
  }

  #create = async (folder = this.#here) => {
    const name = await this.#dialog.askName(folder);
    if (!name) return;
    const path = trees.join(folder, name);
    await this.#doing(async () => {
      await filesApi.create(this.#id, path);
      await this.#list(trees.parentOf(path));
      await this.openFile(path);
    });
  };

  /** @param {Entry} entry */
  #delete = async (entry) => {
    if (!this.#writes || !(await this.#dialog.askDelete(entry))) return;
    await this.#doing(async () => {
      await filesApi.remove(this.#id, entry.path);
      this._files.filter((file) => file.path === entry.path || file.path.startsWith(`${entry.path}/`)).forEach((file) => this.#close(file.path));
      await this.#list(trees.parentOf(entry.path));
      await this.updateComplete;
      this.focusView();
    });
  };

  /** @param {Iterable<File>} files @param {string} folder */
  #upload(files, folder) {
    return this.#doing(async () => {
      for (const file of files) await filesApi.upload(this.#id, file, folder);
      this._tree = trees.toggled(this._tree, folder, true);
      await this.#list(folder);
    });
  }

  /** @param {string} path */
  #close(path) {
    const at = this._files.findIndex((file) => file.path === this._active);
    const closed = this._files.findIndex((file) => file.path === path);
    this._files = this._files.filter((file) => file.path !== path);
    this._active = this._files[tabAfterClosing(this._files.length, at, closed)]?.path ?? "";
    this.updateComplete.then(() => {
      if (document.activeElement === document.body) this.#focusTab() || this.focusView();
    });
  }

  #focusTab() {
    const tab = /** @type {HTMLElement | null} */ (this.querySelector('.editor-tab[aria-selected="true"]'));
    tab?.focus();
    return Boolean(tab);
  }

  #toggle = (/** @type {CustomEvent} */ event) => {
    const { path, open } = event.detail;
    this._tree = trees.toggled(this._tree, path, open);
    if (open && this._tree.folders.get(path)?.state !== "ready") this.#list(path);
  };

  #tabKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Delete") return this.#close(this._active);
    const next = tabByKey(this._files.length, this._files.findIndex((file) => file.path === this._active), event.key);
    if (next < 0) return;
    event.preventDefault();
    this._active = this._files[next].path;
    this.updateComplete.then(() => this.#focusTab());
  };

  #dragOver = (/** @type {DragEvent} */ event) => {
    if (!this.#writes || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this._dropping = true;
  };

  #drop = (/** @type {DragEvent} */ event) => {
    this._dropping = false;
    if (!this.#writes || !event.dataTransfer?.files.length) return;
    event.preventDefault();
    const key = /** @type {HTMLElement} */ (event.target).closest("[data-key]")?.getAttribute("data-key") ?? "";
    this.#upload(event.dataTransfer.files, this._tree.open.has(key) || this._tree.folders.has(key) ? key : trees.parentOf(key));
  };

  render() {
    return html`${this.#bar()}${this.#problem()}
      <maia-file-tree class="files-tree tree ${this._files.length ? "" : "alone"} ${this._dropping ? "dropping" : ""}" ?hidden=${this.#isEmpty} .rows=${trees.rows(this._tree)}
        .marks=${this._marks} .now=${this._now} .selected=${this._active}
        @maia-tree-toggle=${this.#toggle} @maia-tree-open=${(/** @type {CustomEvent} */ e) => this.openFile(e.detail.path)}
        @maia-tree-more=${(/** @type {CustomEvent} */ e) => { this._tree = trees.showMore(this._tree, e.detail.folder); }}
        @maia-tree-retry=${(/** @type {CustomEvent} */ e) => this.#list(e.detail.folder)}
        @maia-tree-focus=${(/** @type {CustomEvent} */ e) => { this._focused = e.detail.entry; }}
        @maia-tree-delete=${(/** @type {CustomEvent} */ e) => this.#delete(e.detail.entry)}
        @maia-tree-menu=${this.#openMenu}
        @dragover=${this.#dragOver} @dragleave=${() => { this._dropping = false; }} @drop=${this.#drop}></maia-file-tree>
      ${this.#isEmpty && !this._files.length ? this.#invitation() : nothing}
      ${this._files.length ? html`${this.#tabs()}${this.#viewers()}` : nothing}
      ${this.#menu()}<maia-file-dialog></maia-file-dialog>`;
  }

  get #isEmpty() {
    const root = this._tree.folders.get("");
    return root?.state === "ready" && !root.entries.length;
  }

  #invitation() {
    return html`<div class="empty" @dragover=${this.#dragOver} @drop=${this.#drop}><h3>${t("panel.files.empty")}</h3>
      <p>${t(this.#writes ? "panel.files.emptyHow" : "panel.files.emptyViewer")}</p>${this.#writes ? html`<button class="btn"
        @click=${() => this.#create()}>${icon("file-plus", "i-s")}${t("panel.files.new")}</button>` : nothing}</div>`;
  }

  #bar() {
    const workspace = /** @type {{name: string}} */ (this.workspace);
    return html`<div class="panel-sub"><span class="mono ellipsis" title=${workspace.name}>${workspace.name}</span>
      ${this._busy ? html`<span class="squares xs" role="status" aria-label=${t("panel.working")}><i></i><i></i><i></i></span>` : nothing}<span class="grow"></span>
      ${this.#writes ? html`${this.#tool("file-plus", "panel.files.new", () => this.#create())}${this.#tool("upload", "panel.files.upload", this.#chooseFiles)}` : html`<span class="badge">${t("panel.files.readOnly")}</span>`}
      ${this.#tool("restart", "panel.files.refresh", this.#refresh)}
      ${this._focused ? this.#tool("more", "panel.files.actions", this.#openMenuHere) : nothing}
      <input type="file" multiple hidden aria-label=${t("panel.files.upload")} @change=${this.#chosen}></div>`;
  }

  /** @param {string} shape @param {string} key @param {(event: Event) => unknown} act */
  #tool(shape, key, act) {
    const name = t(key, { name: this._focused?.name ?? "" });
    return html`<button class="icon-btn s" aria-label=${name} title=${name} @click=${act}>${icon(shape, "i-s")}</button>`;
  }

  #chooseFiles = () => /** @type {HTMLInputElement} */ (this.querySelector('input[type="file"]')).click();

  #chosen = (/** @type {Event} */ event) => {
    const input = /** @type {HTMLInputElement} */ (event.target);
    this.#upload([...(input.files ?? [])], this.#here).then(() => { input.value = ""; });
  };

  #problem() {
    if (!this._notice) return nothing;
    return html`<div class="banner fail" role="alert"><span class="badge fail">FAIL</span><span class="grow">${this._notice}</span>
      <button class="icon-btn s" aria-label=${t("panel.dismiss")} @click=${() => { this._notice = ""; }}>${icon("x", "i-s")}</button></div>`;
  }

  #openMenu = (/** @type {CustomEvent} */ event) => {
    const { entry, x, y } = event.detail;
    this._focused = entry;
    this.#showMenu(x, y);
  };

  #openMenuHere = (/** @type {Event} */ event) => {
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
    this.#showMenu(box.right, box.bottom + 4);
  };

  /** @param {number} x @param {number} y */
  async #showMenu(x, y) {
    await this.updateComplete;
    const menu = /** @type {HTMLElement} */ (this.querySelector(".file-menu"));
    menu.showPopover();
    menu.style.setProperty("left", `${Math.max(8, Math.min(x, innerWidth - menu.offsetWidth - 8))}px`);
    menu.style.setProperty("top", `${Math.max(8, Math.min(y, innerHeight - menu.offsetHeight - 8))}px`);
    /** @type {HTMLElement | null} */ (menu.querySelector('[role="menuitem"]'))?.focus();
  }

  #menu() {
    const entry = this._focused;
    return html`<div class="menu file-menu" popover role="menu" aria-label=${t("panel.files.actions", { name: entry?.name ?? "" })}
      @keydown=${this.#menuKey} @click=${this.#hideMenu}>${entry ? html`
      <div class="menu-title" role="presentation"><span class="ellipsis">${entry.path}</span></div>
      ${entry.dir ? nothing : this.#item("file", "panel.files.open", () => this.openFile(entry.path))}
      ${entry.dir ? nothing : html`<a class="option" role="menuitem" tabindex="-1" href=${downloadUrl(this.#id, entry.path)} download>${icon("download")}${t("panel.files.download")}</a>`}
      ${this.#item("copy", "panel.files.copyPath", () => navigator.clipboard?.writeText(entry.path))}
      ${this.#writes ? html`${this.#item("file-plus", "panel.files.newHere", () => this.#create(this.#here))}${this.#item("trash", "panel.files.deleteAsk", () => this.#delete(entry))}` : nothing}` : nothing}</div>`;
  }

  /** @param {string} shape @param {string} key @param {() => unknown} act */
  #item(shape, key, act) {
    return html`<button class="option" role="menuitem" tabindex="-1" @click=${act}>${icon(shape)}${t(key)}</button>`;
  }

  #hideMenu = () => /** @type {HTMLElement} */ (this.querySelector(".file-menu")).hidePopover();

  #menuKey = (/** @type {KeyboardEvent} */ event) => {
    const items = /** @type {HTMLElement[]} */ ([...this.querySelectorAll('.file-menu [role="menuitem"]')]);
    const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Tab") this.#hideMenu();
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    items[(step + items.length) % items.length]?.focus();
  };

  #tabs() {
    const active = this._active;
    return html`<div class="editor-tabs"><div class="tabset" role="tablist" aria-label=${t("panel.files.opened")} @keydown=${this.#tabKey}>
        ${repeat(this._files, (file) => file.path, (file, i) => html`<button class="editor-tab ${file.state === "gone" ? "gone" : ""}" role="tab" id="file-tab-${i}"
          aria-selected=${file.path === active} tabindex=${file.path === active ? 0 : -1} aria-controls="file-view-${i}" title=${file.path}
          @click=${() => { this._active = file.path; }} @auxclick=${(/** @type {MouseEvent} */ e) => e.button === 1 && this.#close(file.path)}>${visible(trees.nameOf(file.path))}</button>`)}</div>
      <span class="grow"></span>
      <a class="icon-btn s" href=${downloadUrl(this.#id, active)} download aria-label=${t("panel.files.downloadNamed", { name: trees.nameOf(active) })}
        title=${t("panel.files.download")}>${icon("download", "i-s")}</a>
      <button class="icon-btn s" aria-label=${t("panel.files.closeNamed", { name: trees.nameOf(active) })} title=${t("panel.close")}
        @click=${() => this.#close(active)}>${icon("x", "i-s")}</button></div>`;
  }

  #viewers() {
    return repeat(this._files, (file) => file.path, (file, i) => html`<maia-file-viewer class="file-host" role="tabpanel" id="file-view-${i}"
      aria-labelledby="file-tab-${i}" ?hidden=${file.path !== this._active} .file=${file} .shown=${file.path === this._active}
      .download=${downloadUrl(this.#id, file.path)} @maia-file-retry=${() => this.#retry(file.path)}></maia-file-viewer>`);
  }

  /** @param {string} path */
  #retry(path) {
    this._files = changedFile(this._files, path, { state: "loading" });
    this.#read(path);
  }
}

customElements.define("maia-file-browser", MaiaFileBrowser);

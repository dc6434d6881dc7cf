/**
 * <maia-file-browser>: the Files tab: the tree above, the open files below.
 *
 * Draws what maia/panel/workspace_files holds; `changed` (a `workspace:changed` frame) makes it
 * read
 * again the folders it knows and the files it shows.
 */
import { html, nothing, repeat } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { newlyChanged } from "maia/panel/marks";
import * as trees from "maia/panel/tree";
import { downloadUrl } from "maia/panel/workspace_api";
import { WorkspaceFiles } from "maia/panel/workspace_files";
import "maia/components/files/maia-file-tree";
import "maia/components/files/maia-file-viewer";
import "maia/components/files/maia-file-dialog";
import "maia/components/files/maia-file-menu";
import "maia/components/files/maia-file-tabs";

/** @typedef {import("maia/panel/tree").Entry} Entry */

export class MaiaFileBrowser extends MaiaElement {
  static properties = {
    workspace: { attribute: false },
    changed: { attribute: false },
    changes: { attribute: false },
    _focused: { state: true },
    _notice: { state: true },
    _busy: { state: true },
    _dropping: { state: true },
  };

  #held = new WorkspaceFiles(() => this.requestUpdate());

  constructor() {
    super();
    /** @type {{id: string, name: string, role: string} | null} */
    this.workspace = null;
    /** @type {{workspace: string, paths?: string[], agent?: string} | null} */
    this.changed = null;
    /**
     * @type {import("maia/panel/changes").Change[]} the conversation's: they say which agent wrote
     *   a file
     */
    this.changes = [];
    /** @type {Entry | null} */
    this._focused = null;
    this._notice = "";
    this._busy = false;
    this._dropping = false;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#held.marks.stop();
  }

  get #writes() {
    return this.workspace?.role !== "viewer";
  }

  get #id() {
    return /** @type {{id: string}} */ (this.workspace).id;
  }

  /** @param {Map<string, any>} before */
  willUpdate(before) {
    if (
      before.has("workspace") &&
      this.workspace &&
      before.get("workspace")?.id !== this.workspace.id
    )
      this.#begin();
    if (before.has("changed") && this.changed && this.changed.workspace === this.workspace?.id)
      this.#held.changed(this.changed);
    if (before.has("changes")) this.#markChanges(before.get("changes") ?? []);
  }

  /** @param {import("maia/panel/changes").Change[]} before */
  #markChanges(before) {
    for (const { path, agent } of newlyChanged(before, this.changes, Date.now()))
      this.#held.marks.add([path], agent);
  }

  #begin() {
    this._focused = null;
    this._notice = "";
    this.#held.start(this.#id);
  }

  get #tree() {
    return /** @type {import("maia/components/files/maia-file-tree").MaiaFileTree | null} */ (
      this.querySelector("maia-file-tree")
    );
  }

  focusView() {
    this.#tree?.focusView();
  }

  /**
   * Opens a file, at a line where one is given.
   * @param {string} path
   * @param {number | null} [line]
   */
  async openFile(path, line = null) {
    this.#reveal(path);
    await this.#held.open(path, line);
  }

  /** @param {string} path */
  async #reveal(path) {
    await this.#held.reveal(path);
    await this.updateComplete;
    this.#tree?.reveal(path);
  }

  // ---- changing files -------------------------------------------------------------------------

  /**
   * Runs something that changes files; a refusal is shown above the tree.
   * @param {() => Promise<void>} work
   */
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
    return /** @type {import("maia/components/files/maia-file-dialog").MaiaFileDialog} */ (
      this.querySelector("maia-file-dialog")
    );
  }

  #create = async () => {
    const folder = this.#here;
    const name = await this.#dialog.askName(folder);
    if (!name) return;
    const path = trees.join(folder, name);
    await this.#doing(async () => {
      await this.#held.create(path);
      await this.openFile(path);
    });
  };

  /** @param {Entry} entry */
  async #rename(entry) {
    const name = this.#writes ? await this.#dialog.askRename(entry) : "";
    if (name && name !== entry.name) await this.#doing(() => this.#held.rename(entry.path, name));
  }

  /** @param {Entry} entry */
  async #delete(entry) {
    if (!this.#writes || !(await this.#dialog.askDelete(entry))) return;
    await this.#doing(async () => {
      await this.#held.remove(entry.path);
      await this.updateComplete;
      this.focusView();
    });
  }

  /** @param {Iterable<File>} files @param {string} folder */
  #upload(files, folder) {
    return this.#doing(() => this.#held.upload(files, folder));
  }

  /** @param {string} path */
  async #close(path) {
    this.#held.close(path);
    await this.updateComplete;
    const tabs = /** @type {import("maia/components/files/maia-file-tabs").MaiaFileTabs | null} */ (
      this.querySelector("maia-file-tabs")
    );
    await tabs?.updateComplete;
    if (document.activeElement === document.body && !tabs?.focusTab()) this.focusView();
  }

  #dragOver = (/** @type {DragEvent} */ event) => {
    if (!this.#writes || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this._dropping = true;
  };

  #dragLeave = () => {
    this._dropping = false;
  };

  #drop = (/** @type {DragEvent} */ event) => {
    this._dropping = false;
    if (!this.#writes || !event.dataTransfer?.files.length) return;
    event.preventDefault();
    const key =
      /** @type {HTMLElement} */ (event.target).closest("[data-key]")?.getAttribute("data-key") ??
      "";
    const { tree } = this.#held;
    const isFolder = tree.open.has(key) || tree.folders.has(key);
    this.#upload(event.dataTransfer.files, isFolder ? key : trees.parentOf(key));
  };

  #chooseFiles = () =>
    /** @type {HTMLInputElement} */ (this.querySelector('input[type="file"]')).click();

  #chosen = async (/** @type {Event} */ event) => {
    const input = /** @type {HTMLInputElement} */ (event.target);
    await this.#upload([...(input.files ?? [])], this.#here);
    input.value = "";
  };

  // ---- drawing --------------------------------------------------------------------------------

  render() {
    const { files } = this.#held;
    return html`${this.#bar()}${this.#problem()}${this.#list()}
      ${this.#isEmpty && !files.length ? this.#invitation() : nothing}
      ${files.length ? html`${this.#tabs()}${this.#viewers()}` : nothing}
      <maia-file-menu .workspace=${this.workspace?.id} .entry=${this._focused}
        .writes=${this.#writes}
        @maia-file-open=${(/** @type {CustomEvent} */ { detail }) =>
          this.openFile(detail.entry.path)} @maia-file-create=${this.#create}
        @maia-file-rename=${(/** @type {CustomEvent} */ { detail }) => this.#rename(detail.entry)}
        @maia-file-delete=${(/** @type {CustomEvent} */ { detail }) =>
          this.#delete(detail.entry)}></maia-file-menu><maia-file-dialog></maia-file-dialog>`;
  }

  get #isEmpty() {
    const root = this.#held.tree.folders.get("");
    return root?.state === "ready" && !root.entries.length;
  }

  #list() {
    const held = this.#held;
    return html`<maia-file-tree
      class="files-tree tree ${held.files.length ? "" : "alone"} ${
        this._dropping ? "dropping" : ""
      }" ?hidden=${this.#isEmpty}
      .rows=${trees.rows(held.tree)} .marks=${held.marks.all} .now=${held.marks.now}
      .selected=${held.active}
      @maia-tree-toggle=${(/** @type {CustomEvent} */ { detail }) =>
        held.toggle(detail.path, detail.open)}
      @maia-tree-open=${(/** @type {CustomEvent} */ { detail }) => this.openFile(detail.path)}
      @maia-tree-more=${(/** @type {CustomEvent} */ { detail }) => held.showMore(detail.folder)}
      @maia-tree-retry=${(/** @type {CustomEvent} */ { detail }) => held.list(detail.folder)}
      @maia-tree-focus=${(/** @type {CustomEvent} */ { detail }) => {
        this._focused = detail.entry;
      }}
      @maia-tree-delete=${(/** @type {CustomEvent} */ { detail }) => this.#delete(detail.entry)}
      @maia-tree-menu=${this.#openMenu}
      @dragover=${this.#dragOver} @dragleave=${this.#dragLeave}
      @drop=${this.#drop}></maia-file-tree>`;
  }

  #invitation() {
    return html`<div class="empty" @dragover=${this.#dragOver}
      @drop=${this.#drop}><h3>${t("panel.files.empty")}</h3>
      <p>${t(this.#writes ? "panel.files.emptyHow" : "panel.files.emptyViewer")}</p>${
        this.#writes
          ? html`<button class="btn"
            @click=${this.#create}>${icon("file-plus", "i-s")}${t("panel.files.new")}</button>`
          : nothing
      }</div>`;
  }

  #bar() {
    const workspace = /** @type {{name: string}} */ (this.workspace);
    return html`<div class="panel-sub"><span class="mono ellipsis" dir="auto"
      title=${workspace.name}>${workspace.name}</span>
      ${
        this._busy
          ? html`<span class="squares xs" role="status"
            aria-label=${t("panel.working")}><i></i><i></i><i></i></span>`
          : nothing
      }<span class="grow"></span>
      ${
        this.#writes
          ? html`${this.#tool("file-plus", "panel.files.new", this.#create)}${this.#tool(
              "upload",
              "panel.files.upload",
              this.#chooseFiles,
            )}`
          : html`<span class="badge">${t("panel.files.readOnly")}</span>`
      }
      ${this.#tool("restart", "panel.files.refresh", () => this.#held.refresh())}
      ${this._focused ? this.#tool("more", "panel.files.actions", this.#openMenuHere) : nothing}
      <input type="file" multiple hidden aria-label=${t("panel.files.upload")}
        @change=${this.#chosen}></div>`;
  }

  /** @param {string} shape @param {string} key @param {(event: Event) => unknown} act */
  #tool(shape, key, act) {
    const name = t(key, { name: this._focused?.name ?? "" });
    return html`<button class="icon-btn s" aria-label=${name} title=${name}
      @click=${act}>${icon(shape, "i-s")}</button>`;
  }

  #problem() {
    if (!this._notice) return nothing;
    return html`<div class="banner fail" role="alert"><span class="badge fail">FAIL</span><span
      class="grow">${this._notice}</span>
      <button class="icon-btn s" aria-label=${t("panel.dismiss")} @click=${() => {
        this._notice = "";
      }}>${icon("x", "i-s")}</button></div>`;
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
    /** @type {import("maia/components/files/maia-file-menu").MaiaFileMenu} */ (
      this.querySelector("maia-file-menu")
    ).show(x, y);
  }

  #tabs() {
    return html`<maia-file-tabs .workspace=${this.#id} .files=${this.#held.files}
      .active=${this.#held.active}
      @maia-file-choose=${(/** @type {CustomEvent} */ { detail }) => this.#held.choose(detail.path)}
      @maia-file-close=${(/** @type {CustomEvent} */ { detail }) =>
        this.#close(detail.path)}></maia-file-tabs>`;
  }

  #viewers() {
    const { files, active } = this.#held;
    return repeat(
      files,
      (file) => file.path,
      (file, i) => html`<maia-file-viewer class="file-host" role="tabpanel" id="file-view-${i}"
        aria-labelledby="file-tab-${i}" ?hidden=${file.path !== active} .file=${file}
        .shown=${file.path === active}
        .download=${downloadUrl(this.#id, file.path)}
        @maia-file-retry=${() => this.#held.retry(file.path)}></maia-file-viewer>`,
    );
  }
}

customElements.define("maia-file-browser", MaiaFileBrowser);

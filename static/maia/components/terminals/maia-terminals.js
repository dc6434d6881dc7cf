/**
 * <maia-terminals>: the Terminal tab, this person's shells in the workspace.
 *
 * Shells live on the server: after a reload they are listed and joined again. The first one is
 * opened when the tab is first shown and there is none.
 */
import { html, nothing, repeat } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { composes } from "maia/lib/keys";
import { tabAfterClosing, tabByKey } from "maia/panel/tablist";
import { terminalsApi } from "maia/panel/workspace_api";
import "maia/components/terminals/maia-terminal";

const READER = "maia.terminal.screenReader";

/** @typedef {{id: string, name: string, state: string, code: number | null}} Shell */

export class MaiaTerminals extends MaiaElement {
  static properties = {
    workspace: { attribute: false },
    shown: { type: Boolean },
    narrow: { type: Boolean },
    _shells: { state: true },
    _active: { state: true },
    _status: { state: true },
    _error: { state: true },
    _size: { state: true },
    _reader: { state: true },
    _renaming: { state: true },
  };

  /** The focus was asked for before the shells were known. */
  #focusWanted = false;

  constructor() {
    super();
    /** @type {{id: string, name: string, role: string} | null} */
    this.workspace = null;
    this.shown = false;
    this.narrow = false;
    /** @type {Shell[]} */
    this._shells = [];
    this._active = "";
    /** @type {"idle" | "loading" | "opening" | "ready" | "error"} */
    this._status = "idle";
    this._error = "";
    this._size = "";
    this._reader = localStorage.getItem(READER) === "1";
    this._renaming = "";
  }

  get #viewer() {
    return this.workspace?.role === "viewer";
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const before = /** @type {{id: string} | undefined} */ (changed.get("workspace"));
    if (before && before.id !== this.workspace?.id)
      Object.assign(this, { _shells: [], _active: "", _status: "idle" });
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has("_renaming") && this._renaming)
      /** @type {HTMLInputElement | null} */ (this.querySelector(".term-name"))?.select();
    if (this.shown && this._status === "idle" && this.workspace && !this.#viewer) this.#load();
  }

  focusView() {
    const shell = /** @type {any} */ (
      this.querySelector(`maia-terminal[data-id="${CSS.escape(this._active)}"]`)
    );
    if (shell) shell.focusView();
    else if (this._status === "idle" || this._status === "loading") this.#focusWanted = true;
    else this.querySelector("button")?.focus();
  }

  async #load() {
    await this.#try("loading", async (workspace) => {
      const shells = await terminalsApi.list(workspace);
      this._shells = shells.map(asShell);
      this._active = this._shells[0]?.id ?? "";
      if (!shells.length) await this.#add(workspace);
    });
    if (!this.#focusWanted) return;
    this.#focusWanted = false;
    await this.updateComplete;
    this.focusView();
  }

  #open = async () => {
    await this.#try("opening", (workspace) => this.#add(workspace));
    await this.updateComplete;
    this.focusView();
  };

  /** @param {string} workspace */
  async #add(workspace) {
    const shell = asShell(await terminalsApi.open(workspace));
    this._shells = [...this._shells, shell];
    this._active = shell.id;
  }

  /** @param {"loading" | "opening"} status @param {(workspace: string) => Promise<void>} work */
  async #try(status, work) {
    const { id } = /** @type {{id: string}} */ (this.workspace);
    this._status = status;
    this._error = "";
    try {
      await work(id);
      this._status = "ready";
    } catch (error) {
      this._status = "error";
      this._error = error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {string} id */
  async #close(id) {
    const shell = this._shells.find((one) => one.id === id);
    if (!shell) return;
    const at = this._shells.findIndex((one) => one.id === this._active);
    const closed = this._shells.indexOf(shell);
    this._shells = this._shells.filter((one) => one.id !== id);
    this._active = this._shells[tabAfterClosing(this._shells.length, at, closed)]?.id ?? "";
    await this.updateComplete;
    this.focusView();
    await terminalsApi.close(id).catch((error) => {
      if (error.status !== 404) this._error = error.message;
    });
  }

  /** @param {string} id @param {string} name */
  async #rename(id, name) {
    this._renaming = "";
    const shell = this._shells.find((one) => one.id === id);
    if (!shell || !name.trim() || name.trim() === shell.name) return;
    this.#patch(id, { name: name.trim() });
    await terminalsApi.rename(id, name.trim()).catch((error) => {
      this._error = error.message;
      this.#patch(id, { name: shell.name });
    });
  }

  /** @param {string} id @param {Partial<Shell>} change */
  #patch(id, change) {
    this._shells = this._shells.map((one) => (one.id === id ? { ...one, ...change } : one));
  }

  #state = (/** @type {CustomEvent} */ event) => {
    const { id, state, code } = event.detail;
    this.#patch(id, { state, code });
  };

  #sized = (/** @type {CustomEvent} */ event) => {
    if (event.detail.id === this._active)
      this._size = `${event.detail.cols} × ${event.detail.rows}`;
  };

  #tabKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.target instanceof HTMLInputElement) return;
    const at = this._shells.findIndex((one) => one.id === this._active);
    if (event.key === "Delete") return void this.#close(this._active);
    if (event.key === "F2") {
      this._renaming = this._active;
      return;
    }
    const next = tabByKey(this._shells.length, at, event.key);
    if (next < 0) return;
    event.preventDefault();
    this._active = this._shells[next].id;
    this.updateComplete.then(() =>
      /** @type {HTMLElement | null} */ (
        this.querySelector('[role="tab"][aria-selected="true"]')
      )?.focus(),
    );
  };

  #toggleReader = () => {
    this._reader = !this._reader;
    localStorage.setItem(READER, this._reader ? "1" : "0");
  };

  render() {
    if (this.#viewer)
      return html`<div
        class="empty dark-empty"><h3>${t("panel.terminal.viewer")}</h3><p>${t(
          "panel.terminal.viewerWhy",
        )}</p></div>`;
    return html`${this.#bar()}${this.#problem()}${this.#body()}${this.#foot()}`;
  }

  #bar() {
    const active = this._shells.find((one) => one.id === this._active);
    return html`<div class="term-tabs">
      <div class="tabset" role="tablist" aria-label=${t("panel.terminal.tabs")}
        @keydown=${this.#tabKey}>
        ${repeat(
          this._shells,
          (shell) => shell.id,
          (shell) => this.#tab(shell),
        )}</div>
      <button class="icon-btn s" aria-label=${t("panel.terminal.new")}
        title=${t("panel.terminal.new")}
        ?disabled=${this._status === "opening"} @click=${this.#open}>${icon("plus", "i-s")}</button>
      <span class="grow"></span>
      ${
        active
          ? html`
            <button class="icon-btn s" aria-pressed=${this._reader}
              aria-label=${t("panel.terminal.reader")}
              title=${t("panel.terminal.reader")}
              @click=${this.#toggleReader}>${icon("read", "i-s")}</button>
            <button class="icon-btn s" aria-label=${t("panel.terminal.find")}
              title="${t("panel.terminal.find")} (Ctrl+Shift+F)"
              @click=${this.#find}>${icon("search", "i-s")}</button>
            <button class="icon-btn s"
              aria-label=${t("panel.terminal.closeNamed", { name: active.name })}
              title=${t("panel.terminal.closeNamed", { name: active.name })}
              @click=${() => this.#close(active.id)}>${icon("x", "i-s")}</button>`
          : nothing
      }
    </div>`;
  }

  #find = () => /** @type {any} */ (this.querySelector("maia-terminal:not([hidden])"))?.find();

  /** @param {Shell} shell */
  #tab(shell) {
    const chosen = shell.id === this._active;
    if (this._renaming === shell.id) return this.#nameField(shell);
    return html`<button class="term-tab" role="tab" id="term-tab-${shell.id}"
      aria-selected=${chosen} tabindex=${chosen ? 0 : -1}
      aria-controls="term-${shell.id}" title=${t("panel.terminal.renameHow")} @click=${() => {
        this._active = shell.id;
      }}
      @dblclick=${() => {
        this._renaming = shell.id;
      }}><bdi>${shell.name}</bdi>${
        shell.state === "exited"
          ? html`<span class="term-over">${t("panel.terminal.over")}</span>`
          : nothing
      }</button>`;
  }

  /** @param {Shell} shell */
  #nameField(shell) {
    return html`<input class="term-name" dir="auto" .value=${shell.name} maxlength="64"
      aria-label=${t("panel.terminal.name")}
      @keydown=${(/** @type {KeyboardEvent} */ event) => this.#nameKey(event, shell)}
      @blur=${(/** @type {FocusEvent} */ event) =>
        this.#rename(shell.id, /** @type {HTMLInputElement} */ (event.target).value)}>`;
  }

  /** @param {KeyboardEvent} event @param {Shell} shell */
  #nameKey(event, shell) {
    event.stopPropagation();
    if (composes(event)) return;
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (event.key === "Escape") field.value = shell.name;
    if (event.key === "Escape" || event.key === "Enter") field.blur();
  }

  #problem() {
    if (!this._error) return nothing;
    return html`<div class="term-notice fail" role="alert"><span class="badge fail">FAIL</span><span
      class="grow">${this._error}</span>
      <button class="btn s"
        @click=${this._shells.length ? this.#open : () => this.#load()}>${t(
          "panel.retry",
        )}</button></div>`;
  }

  #body() {
    if (!this._shells.length && this._status === "ready") {
      return html`<div class="empty dark-empty"><p>${t("panel.terminal.none")}</p>
        <button class="btn"
          @click=${this.#open}>${icon("plus", "i-s")}${t("panel.terminal.new")}</button></div>`;
    }
    if (!this._shells.length)
      return html`<div class="term-wait" aria-busy="true">${
        this._status === "error"
          ? nothing
          : html`<span class="squares"><i></i><i></i><i></i></span>`
      }</div>`;
    return repeat(
      this._shells,
      (shell) => shell.id,
      (shell) => html`<maia-terminal class="term-host" role="tabpanel" id="term-${shell.id}"
        data-id=${shell.id} aria-labelledby="term-tab-${shell.id}"
        ?hidden=${shell.id !== this._active} .terminal=${shell}
        .shown=${this.shown && shell.id === this._active} .narrow=${this.narrow}
        .screenReader=${this._reader}
        @maia-terminal-state=${this.#state} @maia-terminal-size=${this.#sized}
        @maia-terminal-closed=${() => this.#close(shell.id)}></maia-terminal>`,
    );
  }

  #foot() {
    const active = this._shells.find((one) => one.id === this._active);
    const state = active?.state ?? (this._status === "error" ? "lost" : "connecting");
    if (!active && this._status === "ready") return nothing;
    return html`<div class="panel-foot" role="status">${
      state === "open" ? html`<span class="pulse"></span>` : html`<span class="dot stopped"></span>`
    }
      <span>${t(`panel.terminal.state.${state}`)}</span><span class="grow"></span>
      ${
        this.narrow ? nothing : html`<span class="ellipsis">${t("panel.terminal.leaveHow")}</span>`
      }<span class="num nowrap">${active ? this._size : ""}</span></div>`;
  }
}

/** @param {{id: string, name?: string, code?: number | null}} shell @returns {Shell} */
function asShell(shell) {
  return {
    id: shell.id,
    name: shell.name || "bash",
    state: "connecting",
    code: shell.code ?? null,
  };
}

customElements.define("maia-terminals", MaiaTerminals);

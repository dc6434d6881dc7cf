/**
 * <maia-file-dialog>: asks for the name of a file, new or not, or whether to delete something.
 *
 * `askName(folder)`, `askRename(entry)` and `askDelete(entry)` return what the person decided; ""
 * and false for no.
 */
import { html, nothing } from "lit";
import { MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";

export class MaiaFileDialog extends MaiaElement {
  static properties = { _ask: { state: true }, _error: { state: true } };

  /** @type {(answer: any) => void} */ #answer = () => undefined;

  constructor() {
    super();
    /**
     * @type {{kind: "name", folder: string} | {kind: "rename" | "delete", entry:
     *   import("maia/panel/tree").Entry} | null}
     */
    this._ask = null;
    this._error = "";
  }

  get #dialog() {
    return /** @type {HTMLDialogElement} */ (this.querySelector("dialog"));
  }

  /** @param {string} folder @returns {Promise<string>} */
  askName(folder) {
    return this.#open({ kind: "name", folder }, "");
  }

  /** @param {import("maia/panel/tree").Entry} entry @returns {Promise<string>} */
  askRename(entry) {
    return this.#open({ kind: "rename", entry }, "");
  }

  /** @param {import("maia/panel/tree").Entry} entry @returns {Promise<boolean>} */
  askDelete(entry) {
    return this.#open({ kind: "delete", entry }, false);
  }

  /** @param {NonNullable<MaiaFileDialog["_ask"]>} ask @param {any} no */
  async #open(ask, no) {
    this._ask = ask;
    this._error = "";
    await this.updateComplete;
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    this.#dialog.showModal();
    /** @type {HTMLElement | null} */ (this.querySelector("[data-first]"))?.focus();
    if (ask.kind === "rename") this.#selectStem(ask.entry);
    const answer = await new Promise((resolve) => {
      this.#answer = resolve;
      this.#dialog.onclose = () => resolve(no);
    });
    this.#dialog.close();
    this._ask = null;
    if (before?.isConnected) before.focus();
    return answer;
  }

  render() {
    return html`<dialog class="file-dialog" aria-labelledby="file-dialog-title"
      @keydown=${(/** @type {Event} */ event) => event.stopPropagation()}>${
        this._ask?.kind === "name"
          ? this.#name(this._ask.folder)
          : this._ask?.kind === "rename"
            ? this.#name("", this._ask.entry)
            : this._ask
              ? this.#delete(this._ask.entry)
              : nothing
      }</dialog>`;
  }

  /** Selects a name but for its ending. @param {import("maia/panel/tree").Entry} entry */
  #selectStem({ name, dir }) {
    const dot = dir ? -1 : name.lastIndexOf(".");
    const field = /** @type {HTMLInputElement | null} */ (this.querySelector("#file-dialog-name"));
    field?.setSelectionRange(0, dot > 0 ? dot : name.length);
  }

  /** @param {string} folder @param {import("maia/panel/tree").Entry} [entry] */
  #name(folder, entry) {
    const made = folder ? t("panel.files.nameIn", { folder }) : t("panel.files.nameHint");
    const hint = entry ? t("panel.files.renameHint") : made;
    return html`<form class="stack" @submit=${this.#named}><h2
      id="file-dialog-title">${
        entry ? t("panel.files.renameTitle", { name: entry.name }) : t("panel.files.new")
      }</h2>
      <div class="field"><label for="file-dialog-name">${t("panel.files.name")}</label>
        <input class="input mono" id="file-dialog-name" name="name" dir="auto" data-first
          autocomplete="off"
          spellcheck="false" maxlength="255"
          aria-invalid=${this._error ? "true" : nothing} aria-describedby="file-dialog-hint"
          .value=${entry?.name ?? ""}>
        ${
          this._error
            ? html`<span class="error-text" id="file-dialog-hint">${this._error}</span>`
            : html`<span class="hint" id="file-dialog-hint">${hint}</span>`
        }</div>
      <div class="row"><span class="grow"></span>${this.#cancel("")}<button
        class="btn primary">${
          entry ? t("panel.files.rename") : t("panel.files.create")
        }</button></div></form>`;
  }

  #named = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name"))
      .trim()
      .replace(/^\/+/, "");
    const isRenamed = this._ask?.kind === "rename";
    const isDeep = isRenamed && name.includes("/");
    if (!name || isDeep || name.endsWith("/") || name.split("/").includes(".."))
      this._error = t(isRenamed ? "panel.files.renameBad" : "panel.files.nameBad");
    else this.#answer(name);
  };

  /** @param {import("maia/panel/tree").Entry} entry */
  #delete(entry) {
    return html`<form class="stack" @submit=${this.#confirmed}><h2
      id="file-dialog-title">${t("panel.files.deleteTitle", { name: entry.name })}</h2>
      <p>${t(entry.dir ? "panel.files.deleteFolder" : "panel.files.deleteFile", {
        path: entry.path,
      })}</p>
      <div class="row"><span class="grow"></span>${this.#cancel(false, true)}<button
        class="btn danger solid">${t("panel.files.delete")}</button></div></form>`;
  }

  #confirmed = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    this.#answer(true);
  };

  /** @param {any} no @param {boolean} [first] */
  #cancel(no, first = false) {
    return html`<button class="btn" type="button" ?data-first=${first}
      @click=${() => this.#answer(no)}>${t("panel.cancel")}</button>`;
  }
}

customElements.define("maia-file-dialog", MaiaFileDialog);

/**
 * <maia-file-viewer>: one open file: its text in CodeMirror, a picture, or why neither is shown.
 *
 * Properties: `file` (panel/open_files), `download` (address), `editable`. Emits `maia-file-retry`
 * {path} and `maia-file-place` {path, line, column}.
 */
import { html, nothing } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { makeEditor } from "maia/panel/editor";
import { extension, languageName } from "maia/panel/languages";
import { replacement } from "maia/panel/open_files";

export class MaiaFileViewer extends MaiaElement {
  static properties = {
    file: { attribute: false },
    download: {},
    editable: { type: Boolean },
    shown: { type: Boolean },
    _place: { state: true },
    _pixels: { state: true },
  };

  /** @type {any} */ #editor = null;
  #making = false;
  #jumped = 0;

  constructor() {
    super();
    /** @type {import("maia/panel/open_files").OpenFile | null} */
    this.file = null;
    this.download = "";
    this.editable = false;
    this.shown = false;
    /** @type {[number, number]} */
    this._place = [1, 1];
    this._pixels = "";
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#editor?.view.destroy();
    this.#editor = null;
    this.#making = false;
  }

  get #hasText() {
    return (
      this.file?.text !== undefined && (this.file.state === "text" || this.file.state === "gone")
    );
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (!this.#hasText || !this.shown) return;
    if (!this.#editor) return void this.#make();
    if (changed.has("file")) this.#bringUpToDate();
    if (changed.has("editable")) this.#editor.setEditable(this.editable);
    if (changed.has("shown")) this.#editor.view.requestMeasure();
    this.#jump();
  }

  focusView() {
    /** @type {HTMLElement | null} */
    const first = this.querySelector("button, a, [tabindex]");
    if (this.#editor) this.#editor.view.focus();
    else first?.focus();
  }

  async #make() {
    if (this.#making) return;
    this.#making = true;
    const file = /** @type {import("maia/panel/open_files").OpenFile} */ (this.file);
    const editor = await makeEditor(
      /** @type {HTMLElement} */ (this.querySelector(".editor-host")),
      {
        text: file.text ?? "",
        extension: extension(file.path),
        editable: this.editable,
        label: t("panel.file.content", { path: file.path }),
        phrases: searchPhrases(),
        onPlace: (line, column) => {
          this._place = [line, column];
        },
      },
    );
    if (!this.isConnected) return editor.view.destroy();
    this.#editor = editor;
    this.#bringUpToDate();
    this.#jump();
  }

  #bringUpToDate() {
    const { view } = this.#editor;
    const before = view.state.doc.toString();
    const after = (this.file?.text ?? "").replace(/\r\n?/g, "\n");
    if (before !== after) view.dispatch({ changes: replacement(before, after) });
  }

  #jump() {
    const { line, jump = 0 } = this.file ?? {};
    if (!line || jump === this.#jumped) return;
    this.#jumped = jump;
    this.#editor.showLine(line);
  }

  render() {
    if (!this.file) return nothing;
    return html`${this.#banner()}${this.#body(this.file)}${this.#foot()}`;
  }

  #banner() {
    if (this.file?.state !== "gone" || this.file.text === undefined) return nothing;
    return html`<div class="conflict" role="status"><div
      class="row">${icon("warn", "i-s")}<span>${t("panel.file.goneKept")}</span></div></div>`;
  }

  /** @param {import("maia/panel/open_files").OpenFile} file */
  #body(file) {
    if (this.#hasText) return html`<div class="editor-host"></div>`;
    if (file.state === "loading")
      return html`<div class="editor-wait" aria-busy="true" aria-label=${t("panel.loading")}
        role="status">${[7, 5, 9, 3, 7].map((w) => html`<span class="skel w${w}"></span>`)}</div>`;
    if (file.state === "image") return this.#image(file);
    return this.#instead(file);
  }

  /** @param {import("maia/panel/open_files").OpenFile} file */
  #image(file) {
    return html`<div class="picture" tabindex="0" role="group"
      aria-label=${t("panel.file.picture", { path: file.path })}><img
        src=${file.url ?? ""} alt=${file.path} @load=${this.#loaded}></div>`;
  }

  #loaded = (/** @type {Event} */ event) => {
    const image = /** @type {HTMLImageElement} */ (event.target);
    this._pixels = `${image.naturalWidth} × ${image.naturalHeight}`;
  };

  /** @param {import("maia/panel/open_files").OpenFile} file */
  #instead(file) {
    const failed = file.state === "error";
    return html`<div class="empty">${failed ? html`<span class="badge fail">FAIL</span>` : nothing}
      <h3>${t(`panel.file.${file.state}`)}</h3><p>${
        failed ? file.error : t(`panel.file.${file.state}Why`)
      }</p>
      ${
        failed
          ? html`<button class="btn"
            @click=${() => this.tell("maia-file-retry", { path: file.path })}>${icon(
              "restart",
              "i-s",
            )}${t("panel.retry")}</button>`
          : nothing
      }
      ${
        file.state === "gone" || failed
          ? nothing
          : html`<a class="btn" href=${this.download}
            download>${icon("download", "i-s")}${t("panel.files.download")}</a>`
      }</div>`;
  }

  #foot() {
    const file = /** @type {import("maia/panel/open_files").OpenFile} */ (this.file);
    if (file.state === "image")
      return html`<div class="panel-foot"><span class="num">${this._pixels}</span></div>`;
    if (!this.#hasText) return nothing;
    const [line, column] = this._place;
    return html`<div
      class="panel-foot"><span>${languageName(file.path) || t("panel.file.plain")}</span>
      <span class="num">${t("panel.file.place", { line, column })}</span><span class="grow"></span>
      <span class="ellipsis" title=${this.editable ? "" : t("panel.file.readOnly")}>${t(
        this.editable ? "panel.file.saved" : "panel.file.readOnly",
      )}</span></div>`;
  }
}

/** CodeMirror's own words and the keys of ours. */
const PHRASES = {
  Find: "field",
  Replace: "replacement",
  next: "next",
  previous: "previous",
  all: "all",
  "match case": "case",
  "by word": "word",
  regexp: "regexp",
  replace: "replace",
  "replace all": "replaceAll",
  close: "close",
};

/** Returns what CodeMirror's search says, in the page's language. */
function searchPhrases() {
  return Object.fromEntries(
    Object.entries(PHRASES).map(([word, key]) => [word, t(`panel.search.${key}`)]),
  );
}

customElements.define("maia-file-viewer", MaiaFileViewer);

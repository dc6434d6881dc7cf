/**
 * <maia-dialog>: one dialog for the page: a question, or a form for a channel.
 * `ask` and `form` return what was answered, undefined when it was closed.
 */
import { html, nothing } from "lit";
import { agentAvatar, icon, keepFocus, MaiaElement, squares } from "maia/lib/dom";
import { sentenceOf } from "maia/lib/errors";
import { t } from "maia/lib/i18n";

/**
 * @typedef {object} Question
 * @property {string} title
 * @property {string} [text]
 * @property {string} [action] the words of the button that does it
 * @property {boolean} [danger] it destroys something: the focus starts on Cancel
 * @property {{words: string, value: string}[]} [others] other ways to answer
 * @property {Field[]} [fields]
 * @property {unknown} [content] a template instead of text
 * @property {(values: any) => Promise<unknown>} [submit] errors stay in the dialog
 */
/**
 * @typedef {{name: string, label: string, value?: string, required?: boolean, pattern?: string,
 *   max?: number, choices?: {name: string, about: string}[], many?: boolean}} Field
 */

export class MaiaDialog extends MaiaElement {
  static properties = {
    _question: { state: true },
    _error: { state: true },
    _busy: { state: true },
  };

  constructor() {
    super();
    /** @type {Question | undefined} */
    this._question = undefined;
    this._error = "";
    this._busy = false;
    /** @type {(value: any) => void} */
    this._settle = () => undefined;
    /** @type {() => void} puts the focus back to where it was before */
    this._return = () => undefined;
  }

  /** @returns {HTMLDialogElement} */
  get _dialog() {
    return /** @type {HTMLDialogElement} */ (this.querySelector("dialog"));
  }

  /**
   * Shows a question; returns the form's values (`answer` names the button), undefined if closed.
   * @param {Question} question
   * @returns {Promise<any>}
   */
  async show(question) {
    if (this._dialog.open) this._dialog.close();
    this._return = keepFocus();
    this._question = question;
    this._error = "";
    this._busy = false;
    await this.updateComplete;
    this.querySelector("form")?.reset();
    this._dialog.showModal();
    const start = question.danger ? "[data-cancel]" : "input, [type=submit], [data-cancel]";
    /** @type {HTMLElement | null} */ (this.querySelector(start))?.focus();
    return new Promise((resolve) => {
      this._settle = resolve;
    });
  }

  /** Shows other content in the dialog that is open. @param {unknown} content */
  fill(content) {
    if (this._question) this._question = { ...this._question, content };
  }

  /** Closes the question as a person does, unanswered. */
  close() {
    this._dialog.close();
  }

  render() {
    const question = this._question;
    return html`<dialog class="dialog" aria-labelledby="dialog-title" @close=${this._closed}
      @click=${this._clicked}>${
        question
          ? html`
            <form method="dialog" @submit=${this._submit} novalidate>
            <div class="dialog-head"><h2 id="dialog-title"
              class="grow">${question.title}</h2><button
                class="icon-btn" type="button" aria-label=${t("close")} @click=${() =>
                  this._dialog.close()}>${icon("x")}</button></div>
            <div class="dialog-body stack" tabindex=${question.content ? "0" : nothing}>${
              question.text ? html`<p>${question.text}</p>` : nothing
            }${question.content ?? nothing}
              ${(question.fields ?? []).map((field) => this._field(field))}
              ${
                this._error
                  ? html`<p class="error-text"
                    role="alert">${icon("fail", "i-s")}${this._error}</p>`
                  : nothing
              }</div>
            <div class="dialog-foot">${
              question.action
                ? html`<button class="btn" type="button" data-cancel
                  @click=${() => this._dialog.close()}>${t("cancel")}</button>
                  ${(question.others ?? []).map(
                    (each) =>
                      html`<button class="btn" type="button"
                        @click=${() => this._done({ answer: each.value })}>${each.words}</button>`,
                  )}
                  <button class="btn ${question.danger ? "danger solid" : "primary"}" type="submit"
                    aria-busy=${this._busy ? "true" : nothing}>${
                      this._busy ? squares("xs") : nothing
                    }${question.action}</button>`
                : html`<button class="btn" type="button" data-cancel
                  @click=${() => this._dialog.close()}>${t("close")}</button>`
            }</div>
          </form>`
          : nothing
      }</dialog>`;
  }

  /** @param {Field} field */
  _field(field) {
    if (field.choices) return this._choices(field);
    return html`<label class="field"><span class="label">${field.label}</span><input class="input"
      dir="auto" name=${field.name} .defaultValue=${field.value ?? ""} autocomplete="off"
      ?required=${field.required} maxlength=${field.max ?? 200}></label>`;
  }

  /** @param {Field} field */
  _choices({ name, label, choices = [], many = true }) {
    return html`<fieldset><legend class="label">${label}</legend>${choices.map(
      (each, index) => html`<label class="dialog-choice"><input class=${many ? "check" : ""}
        type=${many ? "checkbox" : "radio"}
        name=${name} value=${each.name}
        ?checked=${index === 0}>${agentAvatar(each.name, { size: "s" })}<span
          class="grow"><b dir="auto">${each.name}</b> <span class="faint"
            dir="auto">${each.about}</span></span></label>`,
    )}</fieldset>`;
  }

  _closed = () => {
    this._settle(undefined);
    this._return();
  };

  /** @param {MouseEvent} event */
  _clicked = (event) => {
    if (event.target === this._dialog) this._dialog.close();
  };

  /** @param {SubmitEvent} event */
  _submit = async (event) => {
    event.preventDefault();
    const question = /** @type {Question} */ (this._question);
    const values = this._values(/** @type {HTMLFormElement} */ (event.target));
    const missing = question.fields?.find((field) => field.required && !values[field.name]);
    if (missing) {
      this._error = t("field.required", { label: missing.label });
      return;
    }
    if (this._busy) return;
    this._busy = true;
    this._error = "";
    try {
      await question.submit?.(values);
      this._done(values);
    } catch (error) {
      this._error = sentenceOf(error);
    } finally {
      this._busy = false;
    }
  };

  /** @param {HTMLFormElement} form @returns {Record<string, any>} */
  _values(form) {
    const data = new FormData(form);
    const entries = (this._question?.fields ?? []).map(({ name, choices, many = true }) => [
      name,
      choices && many ? data.getAll(name).map(String) : String(data.get(name) ?? "").trim(),
    ]);
    return { answer: "do", ...Object.fromEntries(entries) };
  }

  /** @param {any} values */
  _done(values) {
    this._settle(values);
    this._dialog.close();
  }
}

customElements.define("maia-dialog", MaiaDialog);

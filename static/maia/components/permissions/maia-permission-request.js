/**
 * <maia-permission-request>: a request that waits for an answer, in the conversation.
 * What it asks of the server goes through `calls` (maia/lib/request_calls).
 */
import { html, nothing } from "lit";
import { drawDenyMenu, drawRuleMenu, rulesOf } from "maia/components/permissions/answer_menus";
import { EditedCommand } from "maia/components/permissions/edited_command";
import { drawReasons } from "maia/components/permissions/request_reasons";
import { drawEditButton, drawRequestedCall } from "maia/components/permissions/requested_call";
import { icon, MaiaElement, squares } from "maia/lib/dom";
import { sentenceOf } from "maia/lib/errors";
import { currentLanguage, pieces, t } from "maia/lib/i18n";
import { answerOf, composes, isTyping } from "maia/lib/keys";
import { powersOf } from "maia/lib/rule_words";
import { commandOf } from "maia/lib/tools";
import { wholeCall } from "maia/lib/whole_call";
import "maia/components/permissions/maia-proposal";

/** A request this young ignores keys, so that typing never answers by accident. */
const GUARD = 600;
const MANY_REFUSALS = 3;

export class MaiaPermissionRequest extends MaiaElement {
  static properties = {
    request: { attribute: false },
    calls: { attribute: false },
    keyed: { attribute: false },
    mayAnswer: { attribute: false },
    owner: { attribute: false },
    own: { attribute: false },
    others: { attribute: false },
    me: { attribute: false },
    _menu: { state: true },
    _rule: { state: true },
    _scope: { state: true },
    _sending: { state: true },
    _error: { state: true },
    _read: { state: true },
  };

  constructor() {
    super();
    /** @type {import("maia/frames").PermissionRequest} */
    this.request = /** @type {any} */ (undefined);
    /** @type {import("maia/lib/request_calls").RequestCalls} */
    this.calls = /** @type {any} */ (undefined);
    /** Whether one-key answers act on this request: the oldest that waits. */
    this.keyed = false;
    this.mayAnswer = true;
    /** Whether a rule may be written for the whole workspace. */
    this.owner = false;
    /**
     * Whether the reader asked for the turn: they edit, others propose; a rule "for me" covers its
     * next calls.
     */
    this.own = true;
    /** Who reads it. */
    this.me = 0;
    /** How many other requests wait for this person, here and elsewhere. */
    this.others = 0;
    this._edited = new EditedCommand({
      call: () => this._call,
      judge: (input) => this.calls.judge({ id: this.request.id, input }),
      onChange: () => this.requestUpdate(),
      onTyped: () => {
        this._rule = undefined;
      },
      onEnd: () => this._focus(),
    });
    /** @type {"" | "always" | "deny"} */
    this._menu = "";
    /**
     * @type {string | undefined} what would be written, one rule a line; undefined: the first offer
     */
    this._rule = undefined;
    this._scope = "person";
    /** @type {string} the option that is on its way */
    this._sending = "";
    this._error = "";
    this._appeared = 0;
    /** @type {import("maia/frames").ToolPart | undefined} all of a call that came shortened */
    this._read = undefined;
  }

  /** All of the call; nothing is allowed before it can be seen. */
  get _call() {
    return this._read ?? this.request.toolCall;
  }

  async _readAll() {
    const { channel, messageId, toolCall } = this.request;
    try {
      this._read = {
        ...(await wholeCall({ channel, messageId, call: toolCall.id })),
        cut: undefined,
      };
    } catch (error) {
      this._error = error instanceof Error ? error.message : String(error);
    }
  }

  connectedCallback() {
    super.connectedCallback();
    this._appeared = performance.now();
    document.addEventListener("keydown", this._pressed);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener("keydown", this._pressed);
  }

  firstUpdated() {
    if (this.request.toolCall.cut) this._readAll();
    const { activeElement } = document;
    const free = !activeElement || activeElement === document.body;
    if (this.mayAnswer && free) this._focus({ preventScroll: true });
  }

  /** Puts the focus on the card, where one key answers. @param {FocusOptions} [options] */
  _focus(options) {
    /** @type {HTMLElement | null} */ (this.querySelector(".perm"))?.focus(options);
  }

  render() {
    const { request } = this;
    const id = `perm-${request.id}`;
    return html`<section class="perm" role="group" aria-labelledby=${id} tabindex="-1">
      <div class="perm-head"><span class="badge ask">ASK</span><span class="perm-title grow"
        id=${id}>${this._title()}</span>
        ${
          this.others > 0
            ? html`<a class="chip tiny" href="/inbox">${t("perm.others", { n: this.others })}</a>`
            : nothing
        }
        ${
          request.rejections
            ? html`<span class="tiny faint">${t("perm.refusals", { n: request.rejections })}</span>`
            : nothing
        }</div>
      ${
        request.toolCall.truncated
          ? html`<p class="perm-why"><span class="badge warn">${t(
              "tool.truncated",
            )}</span> ${t("tool.truncatedWhy")}</p>`
          : nothing
      }${this._what()}${
        this.request.proposal
          ? html`<maia-proposal .calls=${this.calls} .request=${this.request}
            .own=${this.own && this.mayAnswer} .me=${this.me}></maia-proposal>`
          : nothing
      }${this._edited.drawVerdict()}${drawReasons(request, {
        own: this.own,
        edited: Boolean(this._edited.input && this._edited.judged),
      })}${this._powers()}${this._tired()}${
        this._error
          ? html`<p class="error-text perm-error"
            role="alert">${icon("fail", "i-s")}${this._error}</p>`
          : nothing
      }
      ${
        this.mayAnswer
          ? this._answers()
          : html`<p
            class="perm-why perm-wait">${t("perm.notYours", { who: request.starter.name })}</p>`
      }
    </section>`;
  }

  _title() {
    const { kind, name } = this.request.toolCall;
    return t(`perm.title.${kind}`, { agent: this.request.agent, tool: name });
  }

  _what() {
    const call = this._call;
    if (commandOf(call) && !call.cut && this._edited.text !== undefined)
      return this._edited.draw(this.request.id);
    const words = this.own
      ? t("perm.edit")
      : t("perm.editOther", { who: this.request.starter.name });
    return drawRequestedCall(call, {
      part: this.request.reason.part,
      button: this.mayAnswer ? drawEditButton(words, Boolean(this._sending), this._edit) : nothing,
    });
  }

  /** After three refusals Stop is the likely answer. */
  _tired() {
    if (!this.mayAnswer || this.request.rejections < MANY_REFUSALS) return nothing;
    return html`<p
      class="perm-why perm-tired">${icon("stop", "i-xs")}${t("perm.tired", {
        n: this.request.rejections,
      })}</p>`;
  }

  _edit = async () => {
    this._edited.begin();
    await this.updateComplete;
    this.querySelector("textarea")?.focus();
  };

  /** The rules that "always" may write: for the edited command its own. */
  _offers() {
    return this._edited.input ? (this._edited.judged?.offers ?? []) : this.request.offers;
  }

  /** That a program of the command can run others: with the menu open each offer says so. */
  _powers() {
    const powers = powersOf(this._offers()[0]);
    return powers && this._menu !== "always" ? html`<p class="perm-why">${powers}</p>` : nothing;
  }

  _answers() {
    if (!this.own && this._edited.text !== undefined) return this._proposing();
    const always = this._edited.input
      ? this._offers().length > 0
      : this.request.options.some((each) => each.kind === "allow_always");
    return html`<div class="perm-actions"><span class="perm-pair">
        ${this._button(
          "allow_once",
          "primary",
          t("perm.once"),
          currentLanguage() === "fr" ? "O" : "Y",
        )}
        ${
          always
            ? this._button("allow_always", "", t("perm.always"), "A", this._menu === "always")
            : nothing
        }
      </span><span class="perm-pair"><span
        class="btn-pair">${this._button("deny", "", t("perm.deny"), "N")}<button class="btn"
          aria-label=${t("perm.denyWhy")} title=${t("perm.denyWhy")}
          aria-expanded=${String(this._menu === "deny")} ?disabled=${Boolean(this._sending)}
          @click=${() => this._toggle("deny")}>${icon("down", "i-xs")}</button></span>
        ${this._button(
          "stop",
          this.request.rejections < MANY_REFUSALS ? "danger" : "danger solid",
          html`${icon("stop", "i-xs")}${t("stop")}`,
          "S",
        )}
      </span></div>${
        this.keyed && !this._menu
          ? html`<p class="perm-keys tiny faint">${pieces("perm.keys", {
              key: html`<kbd>${t("key.shift")} Tab</kbd>`,
            })}</p>`
          : nothing
      }${this._openMenu()}`;
  }

  /** What runs in somebody else's home, they decide: another command is proposed to them. */
  _proposing() {
    const who = this.request.starter.name;
    return html`<div class="perm-actions"><button class="btn primary" data-option="propose"
      ?disabled=${Boolean(this._sending) || !this._edited.input}
      @click=${this._propose}>${t("perm.propose", { who })}</button></div>
      <p class="perm-why">${t("perm.proposeWhy", { who })}</p>`;
  }

  _propose = async () => {
    const input = this._edited.input;
    if (!input || this._sending) return;
    const { id, digest } = this.request;
    if (await this._sent("propose", () => this.calls.propose({ id, input, digest })))
      this._edited.end();
    this._sending = "";
  };

  /**
   * @param {string} option @param {string} look @param {unknown} words @param {string} key
   * @param {boolean} [expanded]
   */
  _button(option, look, words, key, expanded) {
    const busy = this._sending === option;
    const unseen = option.startsWith("allow") && Boolean(this._call.cut);
    return html`<button class="btn ${look}"
      ?disabled=${(Boolean(this._sending) && !busy) || unseen} aria-busy=${busy ? "true" : nothing}
      aria-expanded=${expanded === undefined ? nothing : String(expanded)} data-option=${option}
      @click=${() => this._choose(option)}>${words}${
        busy ? html` ${squares("xs")}` : this.keyed ? html` <kbd>${key}</kbd>` : nothing
      }</button>`;
  }

  _openMenu() {
    const { request } = this;
    const menu = { request, busy: Boolean(this._sending), pressed: this._closed };
    if (this._menu === "deny")
      return drawDenyMenu({
        ...menu,
        submit: this._submitDeny,
        cancel: () => this._toggle("deny"),
      });
    if (this._menu !== "always") return nothing;
    const offers = this._offers();
    return drawRuleMenu({
      ...menu,
      offers,
      submit: this._submitAlways,
      cancel: () => this._toggle("always"),
      rule: this._rule ?? (offers[0] ? rulesOf(offers[0]) : ""),
      chooseRule: (rule) => {
        this._rule = rule;
      },
      scope: this._scope,
      chooseScope: (scope) => {
        this._scope = scope;
      },
      owner: this.owner,
      own: this.own,
    });
  }

  /** @param {KeyboardEvent} event */
  _closed = (event) => {
    if (event.key !== "Escape" || composes(event)) return;
    event.preventDefault();
    event.stopPropagation();
    this._menu = "";
    this._focus();
  };

  /** @param {KeyboardEvent} event */
  _pressed = (event) => {
    if (!this.keyed || !this.mayAnswer || event.defaultPrevented || event.repeat) return;
    if (isTyping(document.activeElement) || document.querySelector("dialog[open]")) return;
    const option = answerOf(event);
    if (!option || performance.now() - this._appeared < GUARD) return;
    event.preventDefault();
    this._choose(option);
  };

  /** @param {string} option */
  _choose(option) {
    if (this._sending || (option.startsWith("allow") && this._call.cut)) return;
    if (option === "allow_always") this._toggle("always");
    else this._answer({ option });
  }

  /** @param {"always" | "deny"} menu */
  async _toggle(menu) {
    this._menu = this._menu === menu ? "" : menu;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (
      this.querySelector(".perm-menu input:checked, .perm-menu input, .perm-menu textarea")
    )?.focus();
  }

  /** @param {SubmitEvent} event */
  _submitAlways = (event) => {
    event.preventDefault();
    const rule = String(
      new FormData(/** @type {HTMLFormElement} */ (event.target)).get("rule") ?? "",
    ).trim();
    this._answer({ option: "allow_always", rule, scope: this._scope });
  };

  /** @param {SubmitEvent} event */
  _submitDeny = (event) => {
    event.preventDefault();
    const word = String(
      new FormData(/** @type {HTMLFormElement} */ (event.target)).get("word") ?? "",
    ).trim();
    this._answer({ option: "deny", instruction: word });
  };

  /** @param {{option: string, [field: string]: any}} fields */
  async _answer(fields) {
    const input = fields.option.startsWith("allow") ? this._edited.input : undefined;
    const { id, digest } = this.request;
    await this._sent(fields.option, () =>
      this.calls.answer({ id, digest, ...fields, ...(input && { input }) }),
    );
  }

  /**
   * Sends something; returns whether it was taken.
   * @param {string} what
   * @param {() => Promise<any>} send
   */
  async _sent(what, send) {
    this._sending = what;
    this._error = "";
    try {
      await send();
      return true;
    } catch (error) {
      this._sending = "";
      this._error = sentenceOf(error);
      return false;
    }
  }
}

customElements.define("maia-permission-request", MaiaPermissionRequest);

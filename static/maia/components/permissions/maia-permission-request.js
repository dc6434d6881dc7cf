/**
 * <maia-permission-request>: a request that waits for an answer, in the conversation.
 * What it asks of the server goes through `calls` (maia/lib/request_calls).
 */
import { html, live, nothing } from "lit";
import { MaiaElement, icon, squares } from "maia/lib/dom";
import { sentenceOf } from "maia/lib/errors";
import { answerOf, isTyping } from "maia/lib/keys";
import { currentLanguage, pieces, t } from "maia/lib/i18n";
import { commandOf, decidingParts, inputOf, pathOf, targetOf } from "maia/lib/tools";
import { coversOf, powersOf, whyOf } from "maia/lib/rule_words";
import { visible } from "maia/lib/visible";
import { wholeCall } from "maia/lib/whole_call";
import "maia/components/files/maia-diff";
import "maia/components/permissions/maia-proposal";

/** A request this young ignores keys, so that typing never answers by accident. */
const GUARD = 600;
/** The rules look at an edited command once nobody typed for so long. */
const JUDGE_AFTER = 350;
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
    _edited: { state: true },
    _judged: { state: true },
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
    /** Whether the reader asked for the turn: they edit, others propose; a rule "for me" covers its next calls. */
    this.own = true;
    /** Who reads it. */
    this.me = 0;
    /** How many other requests wait for this person, here and elsewhere. */
    this.others = 0;
    /** @type {string | undefined} the command as it was edited */
    this._edited = undefined;
    /** @type {any} what the rules say about it: verdict, sentence, offers */
    this._judged = undefined;
    /** @type {"" | "always" | "deny"} */
    this._menu = "";
    /** @type {string | undefined} what would be written, one rule a line; undefined: the first offer */
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
      this._read = { ...(await wholeCall({ channel, messageId, call: toolCall.id })), cut: undefined };
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
    if (this.mayAnswer && free) /** @type {HTMLElement | null} */ (this.querySelector(".perm"))?.focus({ preventScroll: true });
  }

  render() {
    const { request } = this;
    const id = `perm-${request.id}`;
    return html`<section class="perm" role="group" aria-labelledby=${id} tabindex="-1">
      <div class="perm-head"><span class="badge ask">ASK</span><span class="perm-title grow" id=${id}>${this._title()}</span>
        ${this.others > 0 ? html`<a class="chip tiny" href="/inbox">${t("perm.others", { n: this.others })}</a>` : nothing}
        ${request.rejections ? html`<span class="tiny faint">${t("perm.refusals", { n: request.rejections })}</span>` : nothing}</div>
      ${this._what()}${this.request.proposal ? html`<maia-proposal .calls=${this.calls} .request=${this.request} .own=${this.own && this.mayAnswer} .me=${this.me}></maia-proposal>` : nothing}${this._verdict()}${this._why()}${this._powers()}${this._tired()}${this._error ? html`<p class="error-text perm-error" role="alert">${icon("fail", "i-s")}${this._error}</p>` : nothing}
      ${this.mayAnswer ? this._answers() : html`<p class="perm-why perm-wait">${t("perm.notYours", { who: request.starter.name })}</p>`}
    </section>`;
  }

  _title() {
    const { kind, name } = this.request.toolCall;
    return t(`perm.title.${kind}`, { agent: this.request.agent, tool: name });
  }

  _what() {
    const toolCall = this._call;
    if (toolCall.cut) return html`<pre class="perm-cmd" aria-busy="true">${t("tool.reading")}</pre>`;
    const command = commandOf(toolCall);
    if (command && this._edited !== undefined) return this._editor(command);
    if (command) {
      return html`<div class="perm-line"><pre class="perm-cmd" tabindex="0"><span class="pr">$ </span>${decidingParts(toolCall, this.request.reason.part)
        .map(({ text, decides }) => (decides ? html`<mark>${text}</mark>` : text))}</pre>${this.mayAnswer ? html`<button class="icon-btn s" aria-label=${this._editWords()}
        title=${this._editWords()} ?disabled=${Boolean(this._sending)} @click=${this._edit}>${icon("pencil", "i-s")}</button>` : nothing}</div>`;
    }
    if (toolCall.diffs.length) {
      return html`<div class="perm-diffs">${toolCall.diffs.map((diff) => html`<div class="perm-file mono">${visible(diff.path)}${
        diff.newFile ? html` <span class="badge">${t("tool.newFile")}</span>` : nothing}</div><maia-diff .diff=${diff}></maia-diff>`)}</div>`;
    }
    const target = visible(pathOf(toolCall)) || targetOf(toolCall);
    const input = Object.keys(inputOf(toolCall)).length > 1 ? visible(toolCall.input) : "";
    return html`<pre class="perm-cmd" tabindex="0"><span class="pr">${toolCall.name} </span>${target}${input && target !== input ? `\n${input}` : ""}</pre>`;
  }

  _editWords() {
    return this.own ? t("perm.edit") : t("perm.editOther", { who: this.request.starter.name });
  }

  /** @param {string} command */
  _editor(command) {
    const rows = Math.min(12, Math.max(2, (this._edited ?? "").split("\n").length));
    return html`<div class="perm-edit"><label class="sr" for="edit-${this.request.id}">${t("perm.edited")}</label><textarea class="textarea mono" id="edit-${this.request.id}"
        rows=${rows} maxlength="100000" spellcheck="false" autocomplete="off" .value=${live(this._edited ?? "")} @input=${this._typed} @keydown=${this._editKey}></textarea>
      <div class="row wrap"><span class="tiny faint grow">${t("perm.asked", { command })}</span><button class="btn quiet s" @click=${this._unedit}>${t("perm.unedit")}</button></div></div>`;
  }

  /** What the rules say about the edited command. */
  _verdict() {
    const judged = this._judged;
    if (this._edited === undefined || !judged) return nothing;
    const look = { allow: "ok", ask: "ask", deny: "fail" }[/** @type {"allow"|"ask"|"deny"} */ (judged.verdict)] ?? "";
    return html`<p class="perm-why" role="status"><span class="badge ${look}">${judged.verdict.toUpperCase()}</span> ${visible(judged.sentence)}</p>`;
  }

  /** After three refusals Stop is the likely answer. */
  _tired() {
    if (!this.mayAnswer || this.request.rejections < MANY_REFUSALS) return nothing;
    return html`<p class="perm-why perm-tired">${icon("stop", "i-xs")}${t("perm.tired", { n: this.request.rejections })}</p>`;
  }

  _edit = async () => {
    this._edited = inputOf(this._call).command;
    await this.updateComplete;
    this.querySelector("textarea")?.focus();
  };

  _unedit = () => {
    this._edited = undefined;
    this._judged = undefined;
    this._rule = undefined;
    clearTimeout(this._judging);
  };

  /** @param {InputEvent} event */
  _typed = (event) => {
    this._edited = /** @type {HTMLTextAreaElement} */ (event.target).value;
    this._rule = undefined;
    clearTimeout(this._judging);
    this._judging = setTimeout(() => this._judge(), JUDGE_AFTER);
  };

  /** @param {KeyboardEvent} event */
  _editKey = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this._unedit();
    /** @type {HTMLElement | null} */ (this.querySelector(".perm"))?.focus();
  };

  async _judge() {
    const input = this._input();
    if (!input) {
      this._judged = undefined;
      return;
    }
    try {
      const judged = await this.calls.judge({ id: this.request.id, input });
      if (this._input()?.command === input.command) this._judged = judged;
    } catch (error) {
      this._judged = { verdict: "ask", sentence: /** @type {any} */ (error).message, offers: [] };
    }
  }

  /** The edited input, undefined where it is the one that was asked for. */
  _input() {
    const asked = inputOf(this._call);
    if (this._edited === undefined || this._edited === asked.command) return undefined;
    return { ...asked, command: this._edited };
  }

  /** The rules that "always" may write: for the edited command its own. */
  _offers() {
    return this._input() ? (this._judged?.offers ?? []) : this.request.offers;
  }

  _why() {
    const { reason, folder } = this.request;
    const where = folder ? html`<span class="perm-folder">${pieces("perm.folder", { folder: html`<code>${folder}</code>` })}</span>` : nothing;
    const trust = reason.untrusted ? html`<br>${pieces(this.own ? "perm.untrusted" : "perm.untrustedBy", { who: this.request.starter.name, file: html`<a href=${`/w/${this.request.workspace}/rules`}>.maia/settings.json</a>` })}` : nothing;
    if (this._input() && this._judged) return html`<p class="perm-why">${where}</p>`; // it was about another command
    const byRule = reason.rule && (!reason.code || reason.code === "rule");
    const links = reason.links?.length ? html`<br>${pieces("perm.links", { links: html`<code>${reason.links.map(visible).join(", ")}</code>` })}` : nothing;
    if (!byRule) return html`<p class="perm-why">${whyOf(reason)} ${where}${links}${trust}</p>`;
    const words = { rule: html`<code>${visible(reason.rule ?? "")}</code>`, scope: t(`scope.${reason.scope ?? "site"}`), who: reason.by ?? "", file: this._file(reason) };
    const key = reason.scope === "earlier" ? "perm.byGone" : reason.file ? "perm.byFile" : reason.by ? "perm.byRuleOf" : "perm.byRule";
    return html`<p class="perm-why">${pieces(key, words)} ${reason.part ? pieces("perm.because", { part: html`<code>${visible(reason.part)}</code>` }) : nothing} ${where}${links}${trust}</p>`;
  }

  /** The file a rule stands in, or stood in: then with the way to where one has looked. @param {import("maia/frames").Reason} reason */
  _file({ file, scope }) {
    const name = html`<code>${file ?? ""}</code>`;
    return scope === "earlier" ? html`<a href=${`/w/${this.request.workspace}/rules`}>${name}</a>` : name;
  }

  /** That a program of the command can run others: with the menu open each offer says so. */
  _powers() {
    const said = powersOf(this._offers()[0]);
    return said && this._menu !== "always" ? html`<p class="perm-why">${said}</p>` : nothing;
  }

  _answers() {
    if (!this.own && this._edited !== undefined) return this._proposing();
    const always = this._input() ? this._offers().length > 0 : this.request.options.some((each) => each.kind === "allow_always");
    return html`<div class="perm-actions"><span class="perm-pair">
        ${this._button("allow_once", "primary", t("perm.once"), currentLanguage() === "fr" ? "O" : "Y")}
        ${always ? this._button("allow_always", "", t("perm.always"), "A", this._menu === "always") : nothing}
        </span><span class="perm-pair"><span class="btn-pair">${this._button("deny", "", t("perm.deny"), "N")}<button class="btn" aria-label=${t("perm.denyWhy")} title=${t("perm.denyWhy")}
          aria-expanded=${String(this._menu === "deny")} ?disabled=${Boolean(this._sending)} @click=${() => this._toggle("deny")}>${icon("down", "i-xs")}</button></span>
        ${this._button("stop", this.request.rejections < MANY_REFUSALS ? "danger" : "danger solid", html`${icon("stop", "i-xs")}${t("stop")}`, "S")}
      </span></div>${this.keyed && !this._menu ? html`<p class="perm-keys tiny faint">${pieces("perm.keys", { key: html`<kbd>${t("key.shift")} Tab</kbd>` })}</p>` : nothing}${this._menu === "always" ? this._always() : this._menu === "deny" ? this._deny() : nothing}`;
  }

  /** What runs in somebody else's home, they decide: another command is proposed to them. */
  _proposing() {
    const who = this.request.starter.name;
    return html`<div class="perm-actions"><button class="btn primary" data-option="propose" ?disabled=${Boolean(this._sending) || !this._input()} @click=${this._propose}>${t("perm.propose", { who })}</button></div>
      <p class="perm-why">${t("perm.proposeWhy", { who })}</p>`;
  }

  _propose = async () => {
    const input = this._input();
    if (!input || this._sending) return;
    const { id, digest } = this.request;
    if (await this._sent("propose", () => this.calls.propose({ id, input, digest }))) this._unedit();
    this._sending = "";
  };

  /**
   * @param {string} option @param {string} look @param {unknown} words @param {string} key
   * @param {boolean} [expanded]
   */
  _button(option, look, words, key, expanded) {
    const busy = this._sending === option;
    const unseen = option.startsWith("allow") && Boolean(this._call.cut);
    return html`<button class="btn ${look}" ?disabled=${(Boolean(this._sending) && !busy) || unseen} aria-busy=${busy ? "true" : nothing}
      aria-expanded=${expanded === undefined ? nothing : String(expanded)} data-option=${option}
      @click=${() => this._choose(option)}>${words}${busy ? html` ${squares("xs")}` : this.keyed ? html` <kbd>${key}</kbd>` : nothing}</button>`;
  }

  _always() {
    const offers = this._offers();
    const chosen = this._rule ?? (offers[0] ? rulesOf(offers[0]) : "");
    return html`<form class="perm-menu" @submit=${this._submitAlways} @keydown=${this._closed}>
      <fieldset><legend class="label">${t("perm.rule")}</legend>
        ${offers.map((/** @type {import("maia/frames").RuleOffer} */ offer) => html`<label class="perm-offer"><input type="radio" name="offer-${this.request.id}" .checked=${rulesOf(offer) === chosen}
          @change=${() => { this._rule = rulesOf(offer); }}><span>${[offer.rule, ...(offer.also ?? [])].map((rule) => html`<code>${visible(rule)}</code>`)}${coversOf(offer) ? html`<span class="hint">${coversOf(offer)}</span>` : nothing}${powersOf(offer) ? html`<span class="hint">${powersOf(offer)}</span>` : nothing}</span></label>`)}
        ${this.request.definition ? html`<span class="hint">${t("perm.bound", { tool: this.request.toolCall.name })}</span>` : nothing}
      </fieldset>
      <label class="field"><span class="label">${t("perm.ruleEdit")}</span><textarea class="textarea mono" name="rule" rows=${Math.max(1, chosen.split("\n").length)}
        .value=${live(chosen)} required autocomplete="off" spellcheck="false" @input=${(/** @type {any} */ event) => { this._rule = event.target.value; }}></textarea></label>
      <fieldset class="row wrap"><legend class="label">${t("perm.scope")}</legend>
        ${["person", "workspace"].map((scope) => html`<label class="row"><input type="radio" name="scope-${this.request.id}" .checked=${this._scope === scope}
          ?disabled=${scope === "workspace" && !this.owner} @change=${() => { this._scope = scope; }}>${t(`perm.scope.${scope}`)}</label>`)}
      </fieldset>${this._about()}
      <div class="row"><button class="btn primary s" ?disabled=${Boolean(this._sending)}>${t("perm.write")}</button>
        <button class="btn quiet s" type="button" @click=${() => this._toggle("always")}>${t("cancel")}</button></div></form>`;
  }

  /** For whom a rule will not hold. */
  _about() {
    const { name } = this.request.starter;
    const said = [this.owner ? "" : t("perm.ownersOnly"), this.own || this._scope !== "person" ? "" : t("perm.notTheirs", { who: name })].filter(Boolean);
    return said.length ? html`<p class="hint">${said.join(" ")}</p>` : nothing;
  }

  _deny() {
    return html`<form class="perm-menu" @submit=${this._submitDeny} @keydown=${this._closed}>
      <label class="field"><span class="label">${t("perm.word", { agent: this.request.agent })}</span><input class="input" name="word" maxlength="4000"
        autocomplete="off" placeholder=${t("perm.wordHint")}></label>
      <div class="row"><button class="btn s" ?disabled=${Boolean(this._sending)}>${t("perm.deny")}</button>
        <button class="btn quiet s" type="button" @click=${() => this._toggle("deny")}>${t("cancel")}</button></div></form>`;
  }

  /** @param {KeyboardEvent} event */
  _closed = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this._menu = "";
    /** @type {HTMLElement | null} */ (this.querySelector(".perm"))?.focus();
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
    /** @type {HTMLElement | null} */ (this.querySelector(".perm-menu input:checked, .perm-menu input, .perm-menu textarea"))?.focus();
  }

  /** @param {SubmitEvent} event */
  _submitAlways = (event) => {
    event.preventDefault();
    const rule = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("rule") ?? "").trim();
    this._answer({ option: "allow_always", rule, scope: this._scope });
  };

  /** @param {SubmitEvent} event */
  _submitDeny = (event) => {
    event.preventDefault();
    const word = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("word") ?? "").trim();
    this._answer({ option: "deny", instruction: word });
  };

  /** @param {{option: string, [field: string]: any}} fields */
  async _answer(fields) {
    const input = fields.option.startsWith("allow") ? this._input() : undefined;
    const { id, digest } = this.request;
    await this._sent(fields.option, () => this.calls.answer({ id, digest, ...fields, ...(input && { input }) }));
  }

  /** Sends something; returns whether it was taken. @param {string} what @param {() => Promise<any>} send */
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

/** Returns the rules of an offer, one a line. @param {import("maia/frames").RuleOffer} offer */
function rulesOf({ rule, also }) {
  return [rule, ...(also ?? [])].join("\n");
}

customElements.define("maia-permission-request", MaiaPermissionRequest);

/**
 * <maia-composer>: the prompt. Emits `maia-send` {text}, `maia-attach` {text}, `maia-slash` {name},
 * `maia-stop`, `maia-draft` {text}. It knows no socket.
 */
import { html, nothing } from "lit";
import { drawEffect } from "maia/components/conversation/line_effect";
import { readLine, trimmed } from "maia/components/conversation/line_kind";
import { Completer } from "maia/lib/completer";
import { historyStep } from "maia/lib/completion";
import { completionMenu } from "maia/lib/completion_menu";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { readDraft, sendsWithCtrl, writeDraft } from "maia/lib/kept";
import { composes, sends } from "maia/lib/keys";
import { isTooLong } from "maia/outbox";
import "maia/components/conversation/maia-context-bar";

export class MaiaComposer extends MaiaElement {
  static properties = {
    channelId: { attribute: false },
    label: { attribute: false },
    agents: { attribute: false },
    commands: { attribute: false },
    history: { attribute: false },
    busyAgent: { attribute: false },
    readOnly: { attribute: false },
    usage: { attribute: false },
    usageAgent: { attribute: false },
    readContext: { attribute: false },
    complete: { attribute: false },
    _menu: { state: true },
    _chosen: { state: true },
    _text: { state: true },
    _asked: { state: true },
  };

  constructor() {
    super();
    this.channelId = "";
    /** The name of the conversation, for labels. */
    this.label = "";
    /** @type {{name: string, title: string, member: boolean}[]} */
    this.agents = [];
    /** @type {{name: string, words: string, argument?: string}[]} */
    this.commands = [];
    /** @type {string[]} what this person sent here, oldest first */
    this.history = [];
    /** Who answers now, "" for nobody. */
    this.busyAgent = "";
    this.readOnly = false;
    /** @type {import("maia/frames").Usage | undefined} */
    this.usage = undefined;
    this.usageAgent = "";
    /**
     * @type {(agent: string) => Promise<Record<string, any>>} what fills the context of an agent
     */
    this.readContext = async () => ({});
    /**
     * @type {(sign: string, typed: string, signal: AbortSignal) =>
     *   Promise<import("maia/lib/completion").Option[]>} what the server offers
     */
    this.complete = async () => [];
    /** @type {import("maia/lib/completion").Completion | undefined} */
    this._menu = undefined;
    this._chosen = 0;
    this._text = "";
    /** The line that begins like a command and was asked about. */
    this._asked = "";
    this._completer = new Completer(
      (...asked) => this.complete(...asked),
      (menu) => this._show(menu),
    );
    this._at = -1;
    this._kept = "";
  }

  connectedCallback() {
    super.connectedCallback();
    this.classList.add("composer-host");
  }

  /** @returns {HTMLTextAreaElement | null} */
  get field() {
    return this.querySelector("textarea");
  }

  /** Puts a text into the field and the caret at its end. @param {string} text */
  set(text) {
    const { field } = this;
    if (!field) return;
    field.value = text;
    field.focus();
    field.setSelectionRange(text.length, text.length);
    this._typed();
  }

  focus() {
    this.field?.focus();
  }

  /** Whether the completion menu was open and is closed now (Esc). */
  closeMenu() {
    const open = this._menu !== undefined;
    this._completer.close();
    return open;
  }

  /** @param {Map<PropertyKey, any>} changed */
  updated(changed) {
    if (changed.has("_chosen"))
      this.querySelector(`#option-${this._chosen}`)?.scrollIntoView({ block: "nearest" });
    if (!changed.has("channelId") || !this.field) return;
    this.field.value = readDraft(this.channelId);
    this._text = this.field.value;
    this._at = -1;
    this.closeMenu();
  }

  render() {
    if (this.readOnly)
      return html`<div class="composer-box"><p
        class="muted small">${t("composer.viewer")}</p></div>`;
    const key = this.busyAgent ? "composer.waits" : "composer.placeholder";
    return html`${this._completion()}
      <form class="composer-box" @submit=${this._submit}>
      <div class="composer-line"><span class="prompt"
        aria-hidden="true">${icon("prompt", "i-s")}</span>
        <textarea rows="2" id="composer-field" dir="auto" aria-autocomplete="list"
          aria-controls=${this._menu ? "composer-menu" : nothing}
          aria-label=${t("composer.label", { name: this.label })}
          aria-activedescendant=${
            this._menu && this._chosen >= 0 ? `option-${this._chosen}` : nothing
          }
          placeholder=${t(key, { name: this.label, agent: this.busyAgent })}
          aria-describedby="composer-hint"
          @input=${this._typed} @keydown=${this._pressed} @click=${this._complete}
          @blur=${() => this.closeMenu()}></textarea></div>
      ${this._effect()}
      <div class="composer-tools">
        ${this._sigil("/", t("composer.commands"))}${this._sigil(
          "@",
          t("composer.mention"),
        )}${this._sigil(
          "$",
          t("composer.file"),
        )}${this._sigil("§", t("composer.skill"))}${this._sigil("!", t("composer.shell"))}
        <span class="grow"></span>
        <button class="btn primary s" type="submit">${t("send")} ${icon("enter", "i-xs")}</button>
      </div></form>
      <div class="composer-foot"><span class="only-wide ellipsis" id="composer-hint">${t(
        sendsWithCtrl() ? "composer.hintCtrl" : "composer.hint",
      )}</span><span class="grow only-wide"></span>
      ${
        this.usage
          ? html`<span class="faint only-wide">${this.usageAgent}</span><maia-context-bar
            .usage=${this.usage} .agent=${this.usageAgent}
            .read=${this.readContext}></maia-context-bar>`
          : nothing
      }</div>`;
  }

  _effect() {
    return drawEffect({
      text: this._text,
      commands: this.commands,
      agents: this.agents,
      asked: this._asked === this._text,
      plain: () => this.set(`\\${trimmed(this._text)}`),
      attach: () => this.tell("maia-attach", { text: trimmed(this._text) }),
    });
  }

  /** @param {string} sign @param {string} words */
  _sigil(sign, words) {
    return html`<button type="button" class="sigil" aria-label=${words} title=${words}
      @click=${() => this._insertSign(sign)}>${sign}</button>`;
  }

  _completion() {
    return this._menu
      ? completionMenu(this._menu, this._chosen, (index) => this._insert(index))
      : nothing;
  }

  _typed = () => {
    this._at = -1;
    this._text = this.field?.value ?? "";
    writeDraft(this.channelId, this._text);
    this._complete();
  };

  _complete = () => {
    const { field } = this;
    if (!field || field.selectionStart !== field.selectionEnd) return;
    this._completer.look(field.value.slice(0, field.selectionStart), (sign) => this._known(sign));
  };

  /** @param {string} sign @returns {import("maia/lib/completion").Option[]} */
  _known(sign) {
    if (sign === "/")
      return this.commands.map(({ name, words }) => ({
        kind: "command",
        label: name,
        insert: `/${name} `,
        words,
      }));
    if (sign !== "@") return [];
    return this.agents.map(({ name, title, member }) => ({
      kind: "agent",
      label: name,
      insert: `@${name} `,
      words: member ? title : `${title} · ${t("complete.absent")}`,
    }));
  }

  /**
   * What ran before is only offered: Enter runs what was typed.
   * @param {import("maia/lib/completion").Completion | undefined} menu
   */
  _show(menu) {
    const same =
      menu && this._menu?.sign === menu.sign && this._menu.options.length === menu.options.length;
    if (!same) this._chosen = menu?.sign === "!" ? -1 : 0;
    this._menu = menu;
  }

  /** @param {KeyboardEvent} event */
  _pressed = (event) => {
    if (composes(event)) return;
    if (this._menu && this._menuKey(event)) return;
    if (sends(event, sendsWithCtrl())) {
      event.preventDefault();
      this._send();
    } else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && plainKey(event)) {
      this._recall(event);
    }
  };

  /** @param {KeyboardEvent} event */
  _menuKey(event) {
    const { options, sign, typed } = /** @type {import("maia/lib/completion").Completion} */ (
      this._menu
    );
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const option = options[this._chosen];
    const done = !option || option.insert.trim() === `${sign}${typed}`;
    if (!options.length && event.key !== "Escape") return false;
    if (step)
      this._chosen =
        (Math.max(this._chosen, step > 0 ? -1 : 0) + step + options.length) % options.length;
    else if (event.key === "Tab") this._insert(Math.max(this._chosen, 0));
    else if (sends(event) && !done) this._insert(this._chosen);
    else if (event.key === "Escape") this.closeMenu();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  /** A folder goes on; anything else is complete. @param {number} index */
  _insert(index) {
    const { field, _menu: menu } = this;
    const option = menu?.options[index];
    if (!field || !menu || !option) return;
    field.setRangeText(option.insert, menu.from, field.selectionStart, "end");
    this._typed();
    if (option.kind !== "folder") this.closeMenu();
    field.focus();
  }

  /** @param {string} sign */
  _insertSign(sign) {
    const { field } = this;
    if (!field) return;
    const before = field.value.slice(0, field.selectionStart);
    const first = "/!§".includes(sign);
    const text = first ? sign : `${before && !/\s$/.test(before) ? " " : ""}${sign}`;
    if (first && field.value) field.setRangeText(sign, 0, field.value.length, "end");
    else field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    field.focus();
    this._typed();
  }

  /** @param {KeyboardEvent} event */
  _recall(event) {
    const { field } = this;
    if (!field) return;
    const before = field.value.slice(0, field.selectionStart);
    const after = field.value.slice(field.selectionEnd);
    const edge = event.key === "ArrowUp" ? !before.includes("\n") : !after.includes("\n");
    if (
      !edge ||
      (event.key === "ArrowUp" && field.selectionStart !== 0 && field.value && this._at < 0)
    )
      return;
    if (this._at < 0) this._kept = field.value;
    const at = historyStep(this._at, event.key === "ArrowUp" ? 1 : -1, this.history.length);
    if (at === this._at) return;
    event.preventDefault();
    this._at = at;
    field.value = at < 0 ? this._kept : this.history[this.history.length - 1 - at];
    field.setSelectionRange(field.value.length, field.value.length);
    this._text = field.value;
    writeDraft(this.channelId, field.value);
  }

  /** @param {SubmitEvent} event */
  _submit = (event) => {
    event.preventDefault();
    this._send();
  };

  /** Nothing is deleted by a line alone. @param {string} command */
  _askToDelete(command) {
    const names = command.replace(/^\S+\s+/, "");
    this.tell("maia-confirm", {
      title: t("effect.delete"),
      text: `${names}. ${t("reply.final")}`,
      action: t("delete.do"),
      command,
      done: () => this.set(""),
    });
  }

  _send() {
    const { field } = this;
    const text = trimmed(field?.value ?? "");
    if (!field || !text.trim() || isTooLong(text)) return;
    const names = this.agents.map((each) => each.name);
    const { kind, name } = readLine(text, this.commands, names);
    if (kind === "unknown" && name === text.trim() && this._asked !== field.value) {
      this._asked = field.value;
      this._text = field.value;
      return;
    }
    if (kind === "command" && name === "delete" && text.trim().includes(" ")) {
      this._askToDelete(text.trim());
      return;
    }
    if (kind === "command" && `/${name}` === text.trim()) this.tell("maia-slash", { name });
    else this.tell("maia-send", { text });
    this._asked = "";
    field.value = "";
    this._typed();
    this.closeMenu();
    field.focus();
  }
}

/** @param {KeyboardEvent} event */
function plainKey(event) {
  return !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
}

customElements.define("maia-composer", MaiaComposer);

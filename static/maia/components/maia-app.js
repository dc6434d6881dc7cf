/**
 * <maia-app>: the page. The only element that knows the store: it gives the others their
 * properties, and turns their events into commands.
 */
import { html, nothing } from "lit";
import { MaiaElement, ghostMask, icon, isNarrow } from "maia/lib/dom";
import { news } from "maia/lib/announce";
import { call } from "maia/lib/api";
import { api } from "maia/lib/api";
import { answeringNow, changedFiles, contextAgent, latestPlan, sentTexts } from "maia/lib/conversation";
import { t } from "maia/lib/i18n";
import { keep, kept } from "maia/lib/kept";
import { globalAction, isHelp, isTyping } from "maia/lib/keys";
import { Watching } from "maia/lib/signals";
import { paletteEntries } from "maia/palette_entries";
import { libraryView } from "maia/library_view";
import { shortcuts } from "maia/shortcuts";
import { pathOf, placeOf, postQuietly, submitForm } from "maia/page";
import "maia/components/maia-activity";
import "maia/components/maia-banners";
import "maia/components/maia-composer";
import "maia/components/maia-dialog";
import "maia/components/maia-palette";
import "maia/components/maia-panel";
import "maia/components/maia-sidebar";
import "maia/components/maia-timeline";
import "maia/components/maia-toasts";
import "maia/components/maia-topbar";

const TABS = ["files", "terminal", "todos", "changes"];
/** The commands of the composer that this page carries out itself. */
const SLASH = ["stop", "invite"];

export class MaiaApp extends Watching(MaiaElement) {
  static properties = {
    page: { attribute: false },
    store: { attribute: false },
    _workspace: { state: true },
    _channel: { state: true },
    _panel: { state: true },
    _tab: { state: true },
    _side: { state: true },
    _sheet: { state: true },
    _stopping: { state: true },
    _narrow: { state: true },
  };

  constructor() {
    super();
    /** @type {import("maia/page").Page} */
    this.page = /** @type {any} */ (undefined);
    /** @type {import("maia/store").Store} */
    this.store = /** @type {any} */ (undefined);
    this._workspace = "";
    this._channel = "";
    this._panel = kept("panel") !== "closed";
    this._tab = kept("panel-tab") || "files";
    /** Whether the drawer (one column) is open. */
    this._side = false;
    /** Whether the panel's sheet (one column) is open. */
    this._sheet = false;
    this._stopping = false;
    this._narrow = isNarrow();
    /** @type {import("maia/reducers/channel").Channel | undefined} */
    this._before = undefined;
    /** Whether the person left the conversation (/exit) and opened no other. */
    this._left = false;
    /** The channel that was open and in the list. */
    this._seen = "";
  }

  connectedCallback() {
    super.connectedCallback();
    const place = placeOf(location.pathname);
    this._workspace = this.page.workspaces.some((each) => each.id === place.workspace) ? place.workspace : this.page.workspace;
    if (place.channel) this._openChannel(place.channel);
    this.store.watch(this._workspace);
    document.addEventListener("keydown", this._pressed);
    window.addEventListener("popstate", this._moved);
    window.addEventListener("online", this._retry);
    document.addEventListener("visibilitychange", this._woke);
    matchMedia("(max-width: 820px)").addEventListener("change", (event) => { this._narrow = event.matches; });
    for (const [name, does] of Object.entries(this._events())) this.addEventListener(name, /** @type {any} */ (does));
  }

  /** Component events and what they do. @returns {Record<string, (event: CustomEvent) => void>} */
  _events() {
    const { store } = this;
    return {
      "maia-go": ({ detail }) => this.go(detail.channel),
      "maia-direct": ({ detail }) => this._direct(detail.agent),
      "maia-workspace": ({ detail }) => this._switch(detail.id),
      "maia-new-channel": () => this.newChannel(),
      "maia-rename": () => this.rename(),
      "maia-clear": () => this.clear(),
      "maia-delete": () => this.remove(),
      "maia-invite": () => this.invite(),
      "maia-library": () => this.library(),
      "maia-remove-member": ({ detail }) => this._do("channel:remove-member", { channel: this._channel, agent: detail.agent }),
      "maia-palette": () => this._palette(),
      "maia-theme": () => this.toggleTheme(),
      "maia-language": ({ detail }) => submitForm(this.page.urls.language, { language: detail.language, next: location.pathname }),
      "maia-close": () => { this._side = false; this._sheet = false; },
      "maia-side": () => { this._side = true; },
      "maia-panel": () => this.togglePanel(),
      "maia-panel-tab": ({ detail }) => { this._tab = detail.tab; keep("panel-tab", detail.tab); },
      "maia-panel-close": () => { this._sheet = false; },
      "maia-open-file": (event) => this._openFile(event),
      "maia-send": ({ detail }) => this._send(detail.text),
      "maia-slash": ({ detail }) => this._slash(detail.name),
      "maia-command": ({ detail }) => this._send(detail.text),
      "maia-confirm": ({ detail }) => this._dialog.show({ title: detail.title, text: detail.text, action: detail.action, danger: true,
        submit: async () => this._send(detail.command) }),
      "maia-context": ({ detail }) => { detail.result = api.get(`/api/channels/${this._channel}/context`, { agent: detail.agent }); },
      "maia-stop": () => this.stop(),
      "maia-answer": ({ detail }) => { const { id, option, rule, scope, instruction, input, digest } = detail;
        detail.result = store.command("permission:answer", { id, option, rule, scope, instruction, input, digest }); },
      "maia-edit": ({ detail }) => { detail.result = api.post(`/api/permissions/${detail.id}/edit`, { input: detail.input }); },
      "maia-resume": ({ detail }) => this._do("turn:resume", { channel: this._channel, message: detail.message.id }),
      "maia-queued-remove": ({ detail }) => this._takeBack(detail.message, false),
      "maia-queued-edit": ({ detail }) => this._takeBack(detail.message, true),
      "maia-outbox-again": ({ detail }) => store.outbox.again(detail.clientRef),
      "maia-outbox-remove": ({ detail }) => store.outbox.retire(detail.clientRef),
      "maia-older": ({ detail }) => store.older(this._channel).catch(detail.failed),
      "maia-read": ({ detail }) => store.command("channel:read", { channel: this._channel, position: detail.position }).catch(() => undefined),
      "maia-copy": ({ detail }) => this._copy(detail.text),
      "maia-quote": ({ detail }) => this._quote(detail.text),
      "maia-retry": () => store.socket.reconnect(),
    };
  }

  // ---- where we are ---------------------------------------------------------------------------

  get workspace() {
    return this.page.workspaces.find((each) => each.id === this._workspace);
  }

  /** The channels of this workspace; undefined until the server told. */
  get channels() {
    return this.store.state.value.channels?.filter((each) => each.workspace === this._workspace);
  }

  get channel() {
    return this.store.state.value.open[this._channel];
  }

  get info() {
    return this.channel?.info ?? this.channels?.find((each) => each.id === this._channel);
  }

  /** Opens a channel and puts its address into the bar. @param {string} id @param {{replace?: boolean}} [options] */
  go(id, { replace = false } = {}) {
    const workspace = this.store.state.value.channels?.find((each) => each.id === id)?.workspace ?? this._workspace;
    if (workspace !== this._workspace) {
      this._workspace = workspace;
      this.store.watch(workspace);
    }
    this._left = false;
    this._openChannel(id);
    const path = pathOf(workspace, id);
    if (location.pathname !== path) history[replace ? "replaceState" : "pushState"]({}, "", path);
    this._side = false;
    if (!this._narrow) this._focusComposer();
  }

  /** The first channel that opens brings the composer with it. */
  async _focusComposer() {
    await this.updateComplete;
    await this._composer?.updateComplete;
    this._composer?.focus();
  }

  /** @param {string} id */
  _openChannel(id) {
    this._channel = id;
    this._stopping = false;
    if (!id) return;
    keep(`channel-${this._workspace}`, id);
    this.store.open(id);
  }

  _moved = () => {
    const { workspace, channel } = placeOf(location.pathname);
    if (workspace && workspace !== this._workspace) this._switch(workspace, channel);
    else this._openChannel(channel);
  };

  /** @param {string} id @param {string} [channel] */
  _switch(id, channel = "") {
    this._workspace = id;
    this.store.watch(id);
    if (channel) this._openChannel(channel);
    else {
      this._openChannel("");
      history.pushState({}, "", pathOf(id));
    }
  }

  /** Chooses what to show when the address names no channel, or when the channel was deleted. */
  _settle() {
    const { channels } = this;
    if (!channels || !this._workspace) return;
    const known = (/** @type {string} */ id) => channels.some((each) => each.id === id);
    const gone = this._seen === this._channel && !known(this._channel);
    if (known(this._channel)) this._seen = this._channel;
    if (this._channel && !gone) return;
    if (this._left && !gone) return;
    if (gone && this._channel) this._toasts?.show({ level: "info", words: t("channel.gone") });
    const last = kept(`channel-${this._workspace}`);
    const latest = channels.toSorted((a, b) => (a.lastActivity < b.lastActivity ? 1 : -1))[0]?.id ?? "";
    const next = known(last) ? last : latest;
    if (next) this.go(next, { replace: true });
    else this._channel = "";
  }

  // ---- what people do -------------------------------------------------------------------------

  /** Carries out a command; says so if it is refused. @param {string} type @param {Record<string, any>} fields */
  async _do(type, fields) {
    try {
      return await this.store.command(type, fields);
    } catch (error) {
      this._failed(error);
      return undefined;
    }
  }

  /** @param {any} error */
  _failed(error) {
    const words = error.code === "offline" ? t("offline.command") : error.message;
    this._toasts?.show({ level: "fail", words });
  }

  /** @param {string} text */
  _send(text) {
    this._timeline?.pin();
    this.store.say(this._channel, text);
    if (/^\/exit\s*$/i.test(text)) this._leave();
  }

  /** Leaves the conversation: nothing is open until one is chosen. */
  _leave() {
    this._left = true;
    this._openChannel("");
    history.pushState({}, "", pathOf(this._workspace));
  }

  /** @param {string} agent */
  async _direct(agent) {
    const known = this.channels?.find((each) => each.direct === agent);
    const result = known ? { channel: known.id } : await this._do("channel:direct", { workspace: this._workspace, agent });
    if (result) this.go(result.channel);
  }

  /** Stops the answer; asks first if that drops queued messages. */
  async stop() {
    const { channel } = this;
    if (!channel?.busy || channel.info.role === "viewer" || this._stopping) return;
    let keepQueued = false;
    if (channel.queued) {
      const n = channel.queued;
      const answer = await this._dialog.show({ title: t("stop.title"), text: t("stop.queued", { n }), action: t("stop.drop", { n }), danger: true,
        others: [{ words: t("stop.keep"), value: "keep" }] });
      if (!answer) return;
      keepQueued = answer.answer === "keep";
    }
    this._stopping = true;
    await this._do("channel:cancel", { channel: channel.info.id, keepQueued });
    this._stopping = false;
  }

  async newChannel() {
    const choices = this.page.agents.map(({ name, title }) => ({ name, about: title }));
    const answer = await this._dialog.show({
      title: t("channel.new"), action: t("create"),
      fields: [{ name: "name", label: t("field.name"), required: true, max: 64 }, { name: "description", label: t("field.description"), max: 200 },
        { name: "members", label: t("agents"), choices }],
      submit: async (values) => {
        const { name, description, members } = values;
        values.result = await this.store.command("channel:create", { workspace: this._workspace, name, description, members });
      },
    });
    if (answer?.result) this.go(answer.result.channel);
  }

  rename() {
    const { info } = this;
    if (!info || info.direct) return undefined;
    return this._dialog.show({
      title: t("channel.rename"), action: t("save"),
      fields: [{ name: "name", label: t("field.name"), value: info.name, required: true, max: 64 },
        { name: "description", label: t("field.description"), value: info.description, max: 200 }],
      submit: ({ name, description }) => this.store.command("channel:rename", { channel: info.id, name, description }),
    });
  }

  clear() {
    const { info } = this;
    return info && this._dialog.show({ title: t("clear.title", { name: nameOf(info) }), text: t("clear.text"), action: t("clear.do"), danger: true,
      submit: () => this.store.command("channel:clear", { channel: info.id }) });
  }

  remove() {
    const { info } = this;
    return info && this._dialog.show({ title: t("delete.title", { name: nameOf(info) }), text: t("delete.text"), action: t("delete.do"), danger: true,
      submit: () => this.store.command("channel:delete", { channel: info.id }) });
  }

  invite() {
    const { info } = this;
    if (!info || info.direct) return undefined;
    const choices = this.page.agents.filter(({ name }) => !info.members.includes(name)).map(({ name, title }) => ({ name, about: title }));
    if (!choices.length) return this._dialog.show({ title: t("invite"), text: t("invite.none") });
    return this._dialog.show({ title: t("invite"), action: t("invite.do"), fields: [{ name: "agent", label: t("agents"), choices, many: false, required: true }],
      submit: ({ agent }) => this.store.command("channel:add-member", { channel: info.id, agent }) });
  }

  help() {
    this._dialog.show({ title: t("shortcuts"), content: shortcuts() });
  }

  /** Shows what agents find in this workspace besides the conversation, and what is broken. */
  async library() {
    try {
      const found = await call("GET", `/api/workspaces/${this.info?.workspace ?? this._workspace}/library`);
      this._dialog.show({ title: t("library"), content: libraryView(found) });
    } catch (error) {
      this._failed(error);
    }
  }

  /** @param {string} name */
  _slash(name) {
    if (name === "stop") this.stop();
    else if (name === "invite") this.invite();
    else this._send(`/${name}`);
  }

  /** @param {import("maia/frames").Message} message @param {boolean} edit */
  async _takeBack(message, edit) {
    const result = await this._do("message:remove", { channel: this._channel, message: message.id });
    if (result && edit) this._composer?.set(result.text ?? "");
  }

  /** @param {string} text */
  async _copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this._toasts?.show({ level: "ok", words: t("copied") });
    } catch {
      this._toasts?.show({ level: "fail", words: t("copy.failed") });
    }
  }

  /** @param {string} text */
  _quote(text) {
    const quoted = text.trim().split("\n").map((line) => `> ${line}`).join("\n");
    this._composer?.set(`${quoted}\n\n${this._composer.field?.value ?? ""}`);
  }

  toggleTheme() {
    const root = document.documentElement;
    root.dataset.theme = isDark() ? "light" : "dark";
    if (this.page.urls.theme) postQuietly(this.page.urls.theme, { theme: root.dataset.theme }).catch(() => undefined);
    this.requestUpdate();
  }

  togglePanel() {
    if (this._narrow) this._sheet = !this._sheet;
    else {
      this._panel = !this._panel;
      keep("panel", this._panel ? "open" : "closed");
    }
  }

  /** @param {string} tab */
  async showTab(tab) {
    if (this._narrow) this._sheet = true;
    else this._panel = true;
    await this.updateComplete;
    await this._panelElement?.show(tab);
    this._panelElement?.focusView();
  }

  /** @param {CustomEvent<{path: string, line?: number | null}>} event */
  async _openFile(event) {
    if (this._narrow) this._sheet = true;
    else this._panel = true;
    await this.updateComplete;
    this._panelElement?.openFile(event.detail.path.replace(/^\/workspace\//, ""), event.detail.line ?? null);
  }

  _retry = () => {
    if (!this.store.socket.online) this.store.socket.reconnect();
  };

  _woke = () => {
    if (!document.hidden && this.store.connection.value.state === "waiting") this.store.socket.connect();
  };

  // ---- keys -----------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  _pressed = (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const inTerminal = /** @type {Element} */ (event.target)?.closest?.(".xterm");
    const action = inTerminal && !event.shiftKey ? undefined : globalAction(event);
    if (action === "escape") {
      this._escape(event);
    } else if (action && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      this._act(action);
    } else if (isHelp(event) && !isTyping(document.activeElement) && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      this.help();
    }
  };

  /** @param {string} action */
  _act(action) {
    if (action === "palette") this._palette();
    else if (action === "theme") this.toggleTheme();
    else if (action === "panel") this.togglePanel();
    else if (action.startsWith("tab-")) this.showTab(TABS[Number(action.slice(4)) - 1]);
    else this._step(action.startsWith("unread"), action.endsWith("next") ? 1 : -1);
  }

  /** Esc closes what is on top, else stops the answer. @param {KeyboardEvent} event */
  _escape(event) {
    if (document.querySelector("dialog[open], [popover]:popover-open")) return;
    event.preventDefault();
    if (this._composer?.closeMenu()) return;
    if (this._side || this._sheet) {
      this._side = false;
      this._sheet = false;
    } else {
      this.stop();
    }
  }

  /** @param {boolean} unread @param {1 | -1} by */
  _step(unread, by) {
    const all = [...(this.channels ?? [])].sort((a, b) => Number(Boolean(a.direct)) - Number(Boolean(b.direct)));
    const at = all.findIndex((each) => each.id === this._channel);
    for (let i = 1; i <= all.length; i += 1) {
      const next = all[(at + by * i + all.length * 2) % all.length];
      if (next && (!unread || next.unread || next.waiting)) {
        if (next.id !== this._channel) this.go(next.id);
        return;
      }
    }
  }

  _palette() {
    const palette = /** @type {any} */ (this.querySelector("maia-palette"));
    palette.entries = paletteEntries(this);
    palette.show();
  }

  // ---- drawing --------------------------------------------------------------------------------

  /** @returns {any} */ get _composer() { return this.querySelector("maia-composer"); }
  /** @returns {any} */ get _timeline() { return this.querySelector("maia-timeline"); }
  /** @returns {any} */ get _dialog() { return this.querySelector("maia-dialog"); }
  /** @returns {any} */ get _toasts() { return this.querySelector("maia-toasts"); }
  /** @returns {any} */ get _panelElement() { return this.querySelector("maia-panel"); }

  updated() {
    const words = news(this._before, this.channel);
    this._before = this.channel;
    const live = this.querySelector("#announce");
    if (words.length && live) live.textContent = words.join(" ");
    if (this.channel && !this.channel.busy) this._stopping = false;
    this._titles();
    this._settle();
  }

  /** How many requests wait for this person's answer, in all workspaces. */
  get _waitsForMe() {
    return (this.store.state.value.channels ?? []).reduce((sum, each) => sum + each.forMe, 0);
  }

  /** The tab's title and icon tell that something waits. */
  _titles() {
    const channels = this.store.state.value.channels ?? [];
    const asks = this._waitsForMe;
    const unread = channels.reduce((sum, each) => sum + (each.id === this._channel ? 0 : each.unread), 0);
    const sign = asks ? "❓ " : unread ? `(${unread}) ` : "";
    document.title = `${sign}${this.info ? `${nameOf(this.info)} · ` : ""}MAIA`;
    const link = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
    const href = link?.href.replace(/mark(?:-asks)?\.svg$/, asks ? "mark-asks.svg" : "mark.svg");
    if (link && href && link.href !== href) link.href = href;
  }

  render() {
    const { store, page } = this;
    const state = store.state.value;
    const online = store.connection.value.state === "online";
    const shell = `shell ${this._panel ? "with-panel" : "no-panel"} ${this._side ? "side-open" : ""} ${this._sheet ? "panel-open" : ""} ${online ? "" : "offline"}`;
    return html`<div class=${shell} id="shell">
      <maia-sidebar .page=${page} .workspace=${this.workspace} .channels=${this.channels} .current=${this._channel} .states=${this._states(state)}
        .waitsForMe=${this._waitsForMe} .online=${online} .dark=${isDark()} ?inert=${this._narrow && !this._side}></maia-sidebar>
      <main class="main" id="main" tabindex="-1" ?inert=${this._narrow && (this._side || this._sheet)}>${this._main(online)}</main>
      ${this._panelView()}
      <button class="scrim" tabindex="-1" aria-label=${t("close")} @click=${() => { this._side = false; this._sheet = false; }}></button></div>
      <maia-palette></maia-palette><maia-dialog></maia-dialog><maia-toasts></maia-toasts>
      <div class="sr" id="announce" role="status" aria-live="polite"></div>`;
  }

  /** An agent that answers in any channel we see is busy. @param {import("maia/reducers/app").State} state */
  _states(state) {
    const busy = Object.values(state.open).flatMap((each) => (each.answering && !each.answering.command ? [each.answering.agent] : []));
    return { ...state.agents, ...Object.fromEntries(busy.map((name) => [name, { state: "busy" }])) };
  }

  /** @param {boolean} online */
  _main(online) {
    const { store, channel, info } = this;
    const { release } = store.state.value;
    return html`<maia-topbar .info=${info} .people=${channel?.people ?? []} .busy=${online && Boolean(channel?.busy)} .panelOpen=${this._narrow ? this._sheet : this._panel}></maia-topbar>
      <maia-banners .connection=${store.connection.value} .caughtUp=${store.caughtUp.value} .newRelease=${Boolean(release) && release !== this.page.release}
        .signIn=${this.page.urls.signIn}></maia-banners>
      ${this._channel ? this._conversation(online) : this._welcome()}`;
  }

  /** @param {boolean} online */
  _conversation(online) {
    const { store, channel, info, page } = this;
    const names = this._agentNames ??= new Set(page.agents.map((each) => each.name));
    const viewer = info?.role === "viewer";
    const agent = channel ? contextAgent(channel) : "";
    return html`<maia-timeline .channel=${channel} .outbox=${store.waiting.value} .me=${page.user} .agents=${names} .refused=${store.refused.value[this._channel]} .waitsForMe=${this._waitsForMe}></maia-timeline>
      <div class="composer"><maia-activity .answering=${channel && answeringNow(channel)} .busy=${Boolean(channel?.busy)} .queued=${channel?.queued ?? 0} .notice=${channel?.notice}
        .stopping=${this._stopping} .viewer=${viewer} .mine=${info?.role === "owner" || channel?.answering?.starter?.id === page.user.id} .online=${online}></maia-activity>
      <maia-composer .channelId=${this._channel} .label=${info ? nameOf(info) : ""} .agents=${this._mentions()} .commands=${this._commands()}
        .history=${channel ? sentTexts(channel.messages, page.user.id) : []} .busyAgent=${channel?.busy ? busyName(channel) : ""}
        .readOnly=${viewer} .complete=${this._complete} .usage=${channel?.usage[agent]} .usageAgent=${agent}></maia-composer></div>`;
  }

  /** What the server offers after a sign. @param {string} kind @param {string} prefix @param {AbortSignal} signal */
  _complete = async (kind, prefix, signal) =>
    (await call("GET", `/api/channels/${this._channel}/complete`, { query: { kind, prefix }, signal })).options;

  _mentions() {
    const members = this.info?.direct ? [this.info.direct] : (this.info?.members ?? []);
    return this.page.agents.map(({ name, title }) => ({ name, title, member: members.includes(name) })).sort((a, b) => Number(b.member) - Number(a.member));
  }

  _commands() {
    const direct = Boolean(this.info?.direct);
    const here = SLASH.filter((name) => !direct || name !== "invite").map((name) => ({ name, words: t(`slash.${name}`) }));
    return [...(this.page.commands ?? []), ...here];
  }

  _welcome() {
    if (!this.channels) return html`<div class="timeline"></div>`;
    const agent = this.page.agents[0];
    return html`<div class="timeline"><div class="empty welcome">${ghostMask()}<h2 class="empty-title">${t("welcome.title", { name: this.page.user.name })}</h2><p>${t("welcome.text")}</p>
      <div class="row wrap">${agent ? html`<button class="btn primary" @click=${() => this._direct(agent.name)}>${icon("chat", "i-s")}${t("welcome.direct", { agent: agent.name })}</button>` : nothing}
      ${this.workspace?.role === "viewer" ? nothing : html`<button class="btn" @click=${() => this.newChannel()}>${icon("plus", "i-s")}${t("channel.new")}</button>`}</div></div></div>`;
  }

  _panelView() {
    if (!this._panel && !this._narrow) return nothing;
    const messages = this.channel?.messages;
    if (messages !== this._derivedFrom) {
      this._derivedFrom = messages;
      this._plan = latestPlan(messages ?? []);
      this._changes = changedFiles(messages ?? []);
    }
    return html`<maia-panel .workspace=${this.workspace ?? null} .tab=${this._tab} .plan=${this._plan?.entries ?? []} .planAgent=${this._plan?.agent ?? ""} .changes=${this._changes ?? []}
      .changed=${this.store.changed.value ?? null} .narrow=${this._narrow} .user=${String(this.page.user.id)} ?inert=${this._narrow && !this._sheet}></maia-panel>`;
  }
}

/** Who or what a new message waits for. @param {import("maia/reducers/channel").Channel} channel */
function busyName({ answering }) {
  return (answering?.command ? answering.starter?.name : answering?.agent) ?? "…";
}

/** @param {import("maia/frames").ChannelInfo} info */
function nameOf(info) {
  return info.direct || `#${info.name}`;
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

customElements.define("maia-app", MaiaApp);

/**
 * <maia-app>: the page. It knows the store: it gives the other elements their properties, and what
 * they tell goes to the modules of maia/app, each of which has one subject.
 */
import { html, nothing } from "lit";
import { eventsOf } from "maia/app/events";
import { FocusKeeper } from "maia/app/focus";
import { Keyboard } from "maia/app/keyboard";
import { Layout } from "maia/app/layout";
import { Offers } from "maia/app/offers";
import { paletteEntries } from "maia/app/palette_entries";
import { Place } from "maia/app/place";
import { Questions } from "maia/app/questions";
import { Talk } from "maia/app/talk";
import { isDark, toggleTheme } from "maia/app/theme";
import { showTitle } from "maia/app/title";
import { drawWelcome } from "maia/app/welcome";
import { announcements } from "maia/lib/announce";
import { api } from "maia/lib/api";
import {
  answeringNow,
  changedFiles,
  contextAgent,
  latestPlan,
  nameOf,
  sentTexts,
  waitsFor,
} from "maia/lib/conversation";
import { MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { requestCalls } from "maia/lib/request_calls";
import { Watching } from "maia/lib/signals";
import "maia/components/conversation/maia-activity";
import "maia/components/frame/maia-banners";
import "maia/components/conversation/maia-composer";
import "maia/components/frame/maia-dialog";
import "maia/components/frame/maia-palette";
import "maia/components/frame/maia-panel";
import "maia/components/frame/maia-sidebar";
import "maia/components/conversation/maia-timeline";
import "maia/components/frame/maia-toasts";
import "maia/components/frame/maia-topbar";

const ONE_COLUMN = "(max-width: 820px)";

export class MaiaApp extends Watching(MaiaElement) {
  /**
   * Made with `new`, by maia/main.
   * @param {import("maia/page").Page} page @param {import("maia/store").Store} store
   */
  constructor(page, store) {
    super();
    this.page = page;
    this.store = store;
    this.layout = new Layout();
    this.place = new Place({
      page,
      store,
      onGone: () => this.toasts.show({ level: "info", words: t("channel.gone") }),
    });
    this.questions = new Questions({ page, store, place: this.place, dialog: () => this.dialog });
    this.talk = new Talk({
      store,
      place: this.place,
      questions: this.questions,
      timeline: () => this.timeline,
      composer: () => this.composer,
      toast: (toast) => this.toasts.show(toast),
    });
    this.offers = new Offers({ page, place: this.place });
    this.keyboard = new Keyboard(this);
    this.focusKeeper = new FocusKeeper(() => this.querySelector("#timeline"));
    this.requestCalls = requestCalls((command) => store.socket.send(command));
    this._agents = new Set(page.agents.map((each) => each.name));
    /** @type {import("maia/reducers/channel").Channel | undefined} */
    this._before = undefined;
    /** @type {import("maia/frames").Message[] | undefined} what plan and changes were taken from */
    this._derivedFrom = undefined;
    this._plan = latestPlan([]);
    this._changes = changedFiles([]);
  }

  /** @returns {import("maia/components/conversation/maia-composer").MaiaComposer | null} */
  get composer() {
    return this.querySelector("maia-composer");
  }
  /** @returns {import("maia/components/conversation/maia-timeline").MaiaTimeline | null} */
  get timeline() {
    return this.querySelector("maia-timeline");
  }
  /** @returns {import("maia/components/frame/maia-panel").MaiaPanel | null} */
  get panel() {
    return this.querySelector("maia-panel");
  }
  get dialog() {
    return /** @type {import("maia/components/frame/maia-dialog").MaiaDialog} */ (
      this.querySelector("maia-dialog")
    );
  }
  get toasts() {
    return /** @type {import("maia/components/frame/maia-toasts").MaiaToasts} */ (
      this.querySelector("maia-toasts")
    );
  }

  connectedCallback() {
    super.connectedCallback();
    const { store } = this;
    this.layout.follow(matchMedia(ONE_COLUMN));
    this.place.start();
    document.addEventListener("keydown", this.keyboard.pressed);
    document.addEventListener("focusin", this.focusKeeper.moved);
    window.addEventListener("popstate", () => this.place.follow());
    window.addEventListener("online", () => {
      if (!store.socket.online) store.socket.reconnect();
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && store.connection.value.state === "waiting") store.socket.connect();
    });
    for (const [name, does] of Object.entries(eventsOf(this)))
      this.addEventListener(name, /** @type {EventListener} */ (does));
  }

  // ---- going somewhere ------------------------------------------------------------------------

  /** Opens a conversation, ready to type. @param {string} id */
  async go(id) {
    this.place.go(id);
    this.layout.close();
    if (this.layout.narrow.value) return;
    await this.updateComplete;
    await this.composer?.updateComplete;
    this.composer?.focus();
  }

  /** @param {string} agent */
  async openDirect(agent) {
    const channel = await this.talk.direct(agent);
    if (channel) this.go(channel);
  }

  async newChannel() {
    const channel = await this.questions.newChannel();
    if (channel) this.go(channel);
  }

  showHelp() {
    return this.questions.help(() => this.composer?.requestUpdate());
  }

  async showPalette() {
    const palette = /** @type {import("maia/components/frame/maia-palette").MaiaPalette} */ (
      this.querySelector("maia-palette")
    );
    palette.entries = paletteEntries(this);
    palette.look = this.place.channelId.value ? this.#findFiles : undefined;
    palette.show();
  }

  // ---- what is beside the conversation --------------------------------------------------------

  /** Opens the drawer and goes into it. */
  async openSide() {
    this.layout.side.value = true;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (
      this.querySelector("#side .side-brand .icon-btn.only-narrow")
    )?.focus();
  }

  /**
   * Closes drawer and sheet and goes back to the button that opens them; returns whether one was
   * open.
   */
  closeSides() {
    const opener = this.layout.side.value ? "maia-topbar .icon-btn" : "maia-topbar [aria-pressed]";
    const open = this.layout.close();
    if (open)
      this.updateComplete.then(() =>
        /** @type {HTMLElement | null} */ (this.querySelector(opener))?.focus(),
      );
    return open;
  }

  /** @param {import("maia/panel/size").Tab} tab */
  async showTab(tab) {
    this.layout.showPanel();
    await this.updateComplete;
    await this.panel?.show(tab);
    this.panel?.focusView();
  }

  /** @param {string} path @param {number | null} line */
  async openFile(path, line) {
    this.layout.showPanel();
    await this.updateComplete;
    this.panel?.openFile(path.replace(/^\/workspace\//, ""), line);
  }

  toggleTheme() {
    toggleTheme(this.page.urls.theme);
    this.requestUpdate();
  }

  // ---- drawing --------------------------------------------------------------------------------

  updated() {
    const { channel } = this.place;
    const words = announcements(this._before, channel);
    this._before = channel;
    const live = this.querySelector("#announce");
    if (words.length && live) live.textContent = words.join(" ");
    if (channel && !channel.busy) this.talk.ended();
    showTitle({ info: this.place.info, asks: this.#waitsForMe, unread: this.#unreadElsewhere });
    this.focusKeeper.check();
    const next = this.place.settle();
    if (next) this.place.go(next, { replace: true });
  }

  /** How many requests wait for this person's answer, in all workspaces. */
  get #waitsForMe() {
    return (this.store.state.value.channels ?? []).reduce((sum, each) => sum + each.forMe, 0);
  }

  get #unreadElsewhere() {
    const here = this.place.channelId.value;
    return (this.store.state.value.channels ?? []).reduce(
      (sum, each) => sum + (each.id === here ? 0 : each.unread),
      0,
    );
  }

  render() {
    const { store, page, layout, place } = this;
    const state = store.state.value;
    const online = store.connection.value.state === "online";
    const [narrow, side, sheet] = [layout.narrow.value, layout.side.value, layout.sheet.value];
    const shell = [
      "shell",
      layout.panel.value ? "with-panel" : "no-panel",
      side && "side-open",
      sheet && "panel-open",
      !online && "offline",
    ].filter(Boolean);
    return html`<div class=${shell.join(" ")} id="shell">
      <maia-sidebar .page=${page} .workspaces=${place.workspaces} .workspace=${place.workspace}
        .channels=${place.channels} .current=${place.channelId.value} .states=${agentStates(state)}
        .waitsForMe=${this.#waitsForMe} .online=${online} .dark=${isDark()}
        ?inert=${narrow && !side}></maia-sidebar>
      <main class="main" id="main" tabindex="-1"
        ?inert=${narrow && (side || sheet)}>${this.#main(online)}</main>
      ${this.#panel()}
      <button class="scrim" tabindex="-1" aria-label=${t("close")}
        @click=${() => this.closeSides()}></button></div>
      <maia-palette></maia-palette><maia-dialog></maia-dialog><maia-toasts></maia-toasts>
      <div class="sr" id="announce" role="status" aria-live="polite"></div>`;
  }

  /** @param {boolean} online */
  #main(online) {
    const { store, place } = this;
    const { channel } = place;
    const { release } = store.state.value;
    return html`<maia-topbar .info=${place.info} .people=${channel?.people ?? []}
      .peopleCount=${channel?.peopleCount ?? 0}
      .busy=${online && Boolean(channel?.busy)}
      .panelOpen=${this.layout.panelOpen.value}></maia-topbar>
      <maia-banners .connection=${store.connection.value} .caughtUp=${store.caughtUp.value}
        .away=${store.state.value.away} .newRelease=${
          Boolean(release) && release !== this.page.release
        }
        .signIn=${this.page.urls.signIn}></maia-banners>
      ${place.channelId.value ? this.#conversation(online) : this.#welcome()}`;
  }

  /** @param {boolean} online */
  #conversation(online) {
    const { store, page, place } = this;
    const { channel, info } = place;
    const id = place.channelId.value;
    const viewer = info?.role === "viewer";
    const refused = store.refused.value[id];
    const agent = channel ? contextAgent(channel) : "";
    return html`<maia-timeline .channel=${channel} .outbox=${store.waiting.value} .me=${page.user}
      .agents=${this._agents} .refused=${refused} .waitsForMe=${this.#waitsForMe}
      .calls=${this.requestCalls} .older=${this.#older}></maia-timeline>
      ${
        refused
          ? nothing
          : html`<div class="composer"><maia-activity
            .answering=${channel && answeringNow(channel)} .busy=${Boolean(channel?.busy)}
            .queued=${channel?.queued ?? 0} .notice=${channel?.notice}
            .stopping=${this.talk.stopping.value} .viewer=${viewer}
            .mine=${info?.role === "owner" || channel?.answering?.starter?.id === page.user.id}
            .online=${online}></maia-activity>
            <maia-composer .channelId=${id} .label=${info ? nameOf(info) : ""}
              .agents=${this.offers.agents}
              .commands=${this.offers.commands}
              .history=${
                channel ? sentTexts(channel.messages, page.user.id, store.outbox.refusedIn(id)) : []
              } .busyAgent=${waitsFor(channel)}
              .readOnly=${viewer} .complete=${this.offers.complete} .usage=${channel?.usage[agent]}
              .usageAgent=${agent} .readContext=${this.#readContext}></maia-composer></div>`
      }`;
  }

  /** Loads the messages before the first one. */
  #older = () => this.store.older(this.place.channelId.value);

  /** What fills the context of an agent here. @param {string} agent */
  #readContext = (agent) =>
    api.get(`/api/channels/${this.place.channelId.value}/context`, { agent });

  /**
   * The files whose names fit, for the palette.
   * @param {string} query
   * @param {AbortSignal} signal
   */
  #findFiles = async (query, signal) =>
    (await this.offers.files(query, signal)).map((path) => ({
      group: t("palette.fileGroup"),
      words: path,
      sign: "file",
      run: () => this.openFile(path, null),
    }));

  #welcome() {
    const { page, place } = this;
    if (!place.channels) return html`<div class="timeline"></div>`;
    return drawWelcome({
      name: page.user.name,
      agent: page.agents[0]?.name,
      viewer: place.workspace?.role === "viewer",
      openDirect: (agent) => this.openDirect(agent),
      newChannel: () => this.newChannel(),
    });
  }

  #panel() {
    const { layout, store, place } = this;
    const narrow = layout.narrow.value;
    if (!layout.panel.value && !narrow) return nothing;
    const messages = place.channel?.messages;
    if (messages !== this._derivedFrom) {
      this._derivedFrom = messages;
      this._plan = latestPlan(messages ?? []);
      this._changes = changedFiles(messages ?? []);
    }
    return html`<maia-panel .workspace=${place.workspace ?? null} .tab=${layout.tab.value}
      .plan=${this._plan.entries} .planAgent=${this._plan.agent} .changes=${this._changes}
      .changed=${store.changed.value ?? null} .narrow=${narrow} .user=${String(this.page.user.id)}
      ?inert=${narrow && !layout.sheet.value}></maia-panel>`;
  }
}

/**
 * An agent that answers in any channel we see is busy.
 * @param {import("maia/reducers/app").State} state
 */
function agentStates(state) {
  const busy = Object.values(state.open).flatMap((each) =>
    each.answering && !each.answering.command ? [each.answering.agent] : [],
  );
  return { ...state.agents, ...Object.fromEntries(busy.map((name) => [name, { state: "busy" }])) };
}

customElements.define("maia-app", MaiaApp);

/**
 * <maia-sidebar>: workspaces, channels, direct conversations, agents, and who is signed in.
 * Emits `maia-go` {channel}, `maia-direct` {agent}, `maia-workspace` {id}, `maia-new-channel`,
 * `maia-palette`, `maia-theme`, `maia-language`, `maia-close`.
 */
import { html, nothing, repeat } from "lit";
import { brand } from "maia/lib/brand";
import { agentAvatar, icon, MaiaElement, personAvatar, squares } from "maia/lib/dom";
import { unreadCount } from "maia/lib/format";
import { currentLanguage, t } from "maia/lib/i18n";

export class MaiaSidebar extends MaiaElement {
  static properties = {
    page: { attribute: false },
    workspaces: { attribute: false },
    workspace: { attribute: false },
    channels: { attribute: false },
    current: { attribute: false },
    states: { attribute: false },
    waitsForMe: { attribute: false },
    online: { attribute: false },
    dark: { attribute: false },
  };

  constructor() {
    super();
    /** @type {import("maia/page").Page} */
    this.page = /** @type {any} */ (undefined);
    /** @type {import("maia/page").Workspace[]} those this person reaches */
    this.workspaces = [];
    /** @type {import("maia/page").Workspace | undefined} the one that is shown */
    this.workspace = undefined;
    /** @type {import("maia/frames").ChannelInfo[] | undefined} those of this workspace */
    this.channels = undefined;
    /** The id of the channel that is open. */
    this.current = "";
    /** @type {Record<string, {state: string, error?: string}>} */
    this.states = {};
    /** How many requests wait for this person, in all workspaces. */
    this.waitsForMe = 0;
    this.online = true;
    this.dark = false;
  }

  /** @param {Map<PropertyKey, any>} changed */
  updated(changed) {
    const before = changed.get("channels");
    if (changed.has("current") || (changed.has("channels") && !before))
      this.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest" });
  }

  render() {
    /** @type {import("maia/frames").ChannelInfo[]} */
    const channels = this.channels ?? [];
    const named = channels.filter((each) => !each.direct);
    const direct = channels.filter((each) => each.direct);
    return html`<nav class="side" id="side" aria-label=${t("workspace")}>
      <div class="side-brand"><a href="/" aria-label="MAIA">${brand()}</a><span class="grow"></span>
        <button class="icon-btn" aria-label=${t("theme.change")} title=${t("theme.change")}
          @click=${() => this.tell("maia-theme")}>${icon(this.dark ? "sun" : "moon")}</button>
        <button class="icon-btn only-narrow" aria-label=${t("close")}
          @click=${() => this.tell("maia-close")}>${icon("x")}</button></div>
      <div class="side-top">${this._workspaces()}
        <button class="jump" @click=${() => this.tell("maia-palette")}>${icon("search", "i-s")}<span
          class="grow">${t("jump")}</span><kbd>${t("key.ctrl")} K</kbd></button></div>
      <div class="side-scroll" tabindex="-1">
        <div class="side-h"><h2>${t("channels")}</h2>${
          this._mayWrite()
            ? html`<button class="icon-btn s" aria-label=${t("channel.new")}
              title=${t("channel.new")}
              @click=${() => this.tell("maia-new-channel")}>${icon("plus", "i-s")}</button>`
            : nothing
        }</div>
        ${
          this.channels
            ? nothing
            : html`<div class="stack side-skeleton"><span class="skel w7"></span><span
              class="skel w5"></span></div>`
        }
        ${repeat(
          named,
          (each) => each.id,
          (each) => this._channel(each),
        )}
        ${
          this.channels && !named.length
            ? html`<p class="side-empty">${t("channels.none")}</p>`
            : nothing
        }
        ${direct.length ? html`<div class="side-h"><h2>${t("direct")}</h2></div>` : nothing}
        ${repeat(
          direct,
          (each) => each.id,
          (each) => this._channel(each),
        )}
        <div class="side-h"><h2>${t("agents")}</h2></div>
        ${this.page.agents.map((agent) => this._agent(agent))}
      </div>
      <div class="side-foot">${this._links()}${this._me()}</div></nav>`;
  }

  _mayWrite() {
    return this.workspace !== undefined && this.workspace.role !== "viewer";
  }

  _workspaces() {
    const { workspaces, workspace: now } = this;
    if (!now) return nothing;
    return html`<button class="ws" popovertarget="ws-menu"
      aria-label=${t("workspace.switch", { name: now.name })}>${tile(now)}<span class="grow"><span
        class="ws-name ellipsis" dir="auto">${now.name}</span><span
          class="ws-sub"><span
            class="ellipsis">${describe(now)}</span></span></span>${icon("updown", "i-s")}</button>
      <div class="menu ws-menu" popover id="ws-menu"><div
        class="menu-title">${t("workspaces")}</div>
      ${workspaces.map(
        (each) => html`<button class="option"
          aria-current=${each.id === now.id ? "true" : nothing} popovertarget="ws-menu"
          popovertargetaction="hide"
          @click=${() => this.tell("maia-workspace", { id: each.id })}>${tile(each)}<span
            class="grow ellipsis" dir="auto">${each.name}</span>${
              each.id === now.id ? icon("check", "i-s") : nothing
            }</button>`,
      )}
      <hr><a class="option" href="/w/new">${icon("plus")}<span
        class="grow">${t("workspace.new")}</span></a>
      <a class="option" href=${`/w/${now.id}/settings`}>${icon("gear")}<span
        class="grow">${t("workspace.settings")}</span></a>
    </div>`;
  }

  /** @param {import("maia/frames").ChannelInfo} channel */
  _channel(channel) {
    const current = channel.id === this.current;
    const unread = channel.unread > 0 && !current;
    const mark = channel.direct ? agentAvatar(channel.direct, { size: "s" }) : icon("hash");
    return html`<a class="nav ${unread ? "unread" : ""}"
      href=${`/w/${channel.workspace}/c/${channel.id}`} aria-current=${current ? "page" : nothing}
      data-channel=${channel.id}
      @click=${(/** @type {MouseEvent} */ event) => this._go(event, channel.id)}>${mark}<span
        class="grow ellipsis" dir="auto">${channel.direct || channel.name}</span>${this._sign(
          channel,
          unread,
        )}</a>`;
  }

  /** @param {import("maia/frames").ChannelInfo} channel @param {boolean} unread */
  _sign(channel, unread) {
    if (channel.waiting)
      return html`<span class="count ask" aria-hidden="true">?</span><span
        class="sr">${t("channel.waiting", { n: channel.waiting })}</span>`;
    if (channel.busy)
      return html`${this.online ? squares("xs") : nothing}<span
        class="sr">${t("channel.busy")}</span>`;
    return unread
      ? html`<span class="count" aria-hidden="true">${unreadCount(channel.unread)}</span><span
        class="sr">${
          channel.unread > 99 ? t("channel.unreadMany") : t("channel.unread", { n: channel.unread })
        }</span>`
      : nothing;
  }

  /** @param {MouseEvent} event @param {string} channel */
  _go(event, channel) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    this.tell("maia-go", { channel });
  }

  /** @param {import("maia/page").Agent} agent */
  _agent(agent) {
    const { state, error } = this.states[agent.name] ?? { state: "ready", error: undefined };
    const look = this.online ? state : "stopped";
    return html`<div class="nav-row"><button class="nav"
      title=${error || agent.description || agent.title} @click=${() =>
        this.tell("maia-direct", { agent: agent.name })}>
        ${agentAvatar(agent.name, { size: "s", state: look })}<span
          class="grow ellipsis">${agent.name}</span><span class="st ${look}">${
            this.online ? t(`agent.${state}`) : t("agent.unknown")
          }</span></button></div>`;
  }

  _links() {
    const { urls, administrator } = this.page;
    const n = this.waitsForMe;
    const rules = administrator ? urls.rules : this.workspace && `/w/${this.workspace.id}/rules`;
    return html`${
      urls.inbox
        ? html`<a class="nav" href=${urls.inbox}>${icon("bell")}<span
          class="grow">${t("inbox")}</span>${
            n
              ? html`<span class="count ask" aria-hidden="true">${n}</span><span
                class="sr">${t("channel.waiting", { n })}</span>`
              : nothing
          }</a>`
        : nothing
    }
      ${
        rules
          ? html`<a class="nav" href=${rules}>${icon("shield")}<span
            class="grow">${t("rules")}</span></a>`
          : nothing
      }
      ${administrator ? this._administration() : nothing}`;
  }

  _administration() {
    const { urls } = this.page;
    return html`${
      urls.people
        ? html`<a class="nav" href=${urls.people}>${icon("users")}<span
          class="grow">${t("people")}</span></a>`
        : nothing
    }
      ${
        urls.models
          ? html`<a class="nav" href=${urls.models}>${icon("chip")}<span
            class="grow">${t("models")}</span></a>`
          : nothing
      }`;
  }

  _me() {
    const { user, urls, administrator } = this.page;
    const other = currentLanguage() === "fr" ? "en" : "fr";
    return html`<div class="me">${personAvatar(user, "m")}<span class="grow"><span
      class="strong ellipsis" dir="auto">${user.name}</span><br><span
        class="tiny faint">${t(administrator ? "me.admin" : "me.member")} · <bdi>${
          user.username
        }</bdi></span></span>
      <button class="icon-btn" lang=${other} aria-label=${t(`language.${other}`)}
        title=${t(`language.${other}`)} @click=${() =>
          this.tell("maia-language", {
            language: other,
          })}><span class="tiny strong">${other.toUpperCase()}</span></button>
      ${
        urls.account
          ? html`<a class="icon-btn" href=${urls.account} aria-label=${t("settings")}
            title=${t("settings")}>${icon("gear")}</a>`
          : nothing
      }</div>`;
  }
}

/** @param {import("maia/page").Workspace} workspace */
function tile({ name, personal }) {
  return html`<span class="ws-tile ${personal ? "" : "b"}"
    aria-hidden="true">${[...name].slice(0, 2).join("").toLowerCase()}</span>`;
}

/** @param {import("maia/page").Workspace} workspace */
function describe({ personal, role }) {
  return personal ? t("workspace.personal") : t(`role.${role}`);
}

customElements.define("maia-sidebar", MaiaSidebar);

/**
 * <maia-topbar>: name and members of the conversation. Emits `maia-side`, `maia-panel`,
 * `maia-rename`, `maia-delete`, `maia-info`, `maia-clear`, `maia-invite`, `maia-remove-member`
 * {agent}.
 */
import { html, nothing } from "lit";
import { agentAvatar, icon, MaiaElement, personAvatar } from "maia/lib/dom";
import { t } from "maia/lib/i18n";

export class MaiaTopbar extends MaiaElement {
  static properties = {
    info: { attribute: false },
    people: { attribute: false },
    peopleCount: { attribute: false },
    busy: { attribute: false },
    panelOpen: { attribute: false },
  };

  constructor() {
    super();
    /** @type {import("maia/frames").ChannelInfo | undefined} */
    this.info = undefined;
    /** @type {import("maia/frames").Person[]} the first of them */
    this.people = [];
    this.peopleCount = 0;
    this.busy = false;
    this.panelOpen = false;
  }

  render() {
    return html`<header class="topbar">
      <button class="icon-btn only-narrow" aria-label=${t("side.open")} aria-controls="side"
        @click=${() => this.tell("maia-side")}>${icon("menu")}</button>
      ${this._title()}
      <span class="grow"></span>
      ${this._members()}${this._menu()}
      <button class="icon-btn" aria-pressed=${String(this.panelOpen)} aria-label=${t("panel.side")}
        title=${t("panel.side")} @click=${() => this.tell("maia-panel")}>${icon("panel")}</button>
      ${this.busy ? html`<span class="thread" aria-hidden="true"></span>` : nothing}</header>`;
  }

  _title() {
    const { info } = this;
    if (!info) return html`<h1><span class="ellipsis">MAIA</span></h1>`;
    const mark = info.direct ? agentAvatar(info.direct, { size: "s" }) : icon("hash");
    return html`<h1>${mark}<span class="ellipsis" dir="auto">${info.direct || info.name}</span></h1>
      ${
        info.description
          ? html`<span class="topbar-desc ellipsis" dir="auto">${info.description}</span>`
          : nothing
      }`;
  }

  _members() {
    const { info, people } = this;
    if (!info || info.direct) return nothing;
    const more = this.peopleCount - people.length;
    const names = [
      ...people.map((each) => each.name),
      ...(more > 0 ? [t("members.more", { n: more })] : []),
      ...info.members,
    ];
    return html`<span class="avs only-wide" role="img"
      aria-label=${t("members", { names: names.join(", ") })}>${people
        .slice(0, 5)
        .map((each) =>
          personAvatar(each, "s"),
        )}${info.members.slice(0, 5).map((name) => agentAvatar(name, { size: "s" }))}</span>`;
  }

  _menu() {
    const { info } = this;
    if (!info) return nothing;
    const viewer = info.role === "viewer";
    const entry = (
      /** @type {string} */ name,
      /** @type {string} */ sign,
      /** @type {string} */ words,
      danger = false,
    ) => html`<button class="option ${danger ? "danger" : ""}"
      popovertarget="channel-menu" popovertargetaction="hide"
      @click=${() => this.tell(name)}>${icon(sign)}<span>${words}</span></button>`;
    return html`<button class="icon-btn" popovertarget="channel-menu"
      aria-label=${t("channel.menu")} title=${t("channel.menu")}>${icon("more")}</button>
      <div class="menu channel-menu" popover id="channel-menu">
      ${
        info.direct || viewer
          ? nothing
          : html`${entry("maia-invite", "plus", t("invite"))}
            ${info.members.map(
              (agent) => html`<button class="option" popovertarget="channel-menu"
                popovertargetaction="hide"
                @click=${() => this.tell("maia-remove-member", { agent })}>${agentAvatar(agent, {
                  size: "s",
                })}<span>${t("member.remove", { agent })}</span></button>`,
            )}
            <hr>${entry("maia-rename", "pencil", t("channel.rename"))}`
      }
      <a class="option"
        href=${`/w/${info.workspace}/c/${info.id}/sessions`}>${icon("history")}<span>${t(
          "sessions",
        )}</span></a>
      ${entry("maia-info", "info", t("info"))}
      ${viewer ? nothing : entry("maia-clear", "trash", t("channel.clear"))}
      ${info.direct || viewer ? nothing : entry("maia-delete", "trash", t("channel.delete"), true)}
    </div>`;
  }
}

customElements.define("maia-topbar", MaiaTopbar);

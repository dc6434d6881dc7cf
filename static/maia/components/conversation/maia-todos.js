/**
 * <maia-todos>: the steps the agent of this conversation works through.
 */
import { html, nothing } from "lit";
import { agentAvatar, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";

/** Past this many steps the squares say nothing that the figures do not. */
const MOST_SQUARES = 20;
/** @type {Record<string, {mark: string, row: string}>} */
const LOOK = {
  completed: { mark: "☑", row: "done" },
  in_progress: { mark: "▶", row: "now" },
  pending: { mark: "☐", row: "" },
};

export class MaiaTodos extends MaiaElement {
  static properties = { plan: { attribute: false }, agent: {} };

  constructor() {
    super();
    /** @type {{content: string, status: string, active?: string}[]} */
    this.plan = [];
    this.agent = "";
  }

  render() {
    if (!this.plan.length) {
      return html`<div
        class="empty"><h3>${t("panel.todos.empty")}</h3><p>${t("panel.todos.emptyHow")}</p></div>`;
    }
    return html`${this.#head()}<div class="panel-scroll" tabindex="0" role="region"
      aria-label=${t("panel.tab.todos")}>
      <ul class="todo" data-pad>${this.plan.map((entry) => this.#row(entry))}</ul></div>`;
  }

  #head() {
    const done = this.plan.filter((entry) => entry.status === "completed").length;
    const all = this.plan.length;
    return html`<div class="panel-sub">${
      this.agent ? agentAvatar(this.agent, { size: "s" }) : nothing
    }<span class="strong ellipsis">${this.agent || t("panel.todos.title")}</span>
      <span class="grow"></span>
      <span class="ctx" role="img" aria-label=${t("panel.todos.progress", { done, all })}>
        ${
          all <= MOST_SQUARES
            ? html`<span class="ctx-squares" aria-hidden="true">${this.plan.map((_, i) =>
                i < done ? html`<i class="on"></i>` : html`<i></i>`,
              )}</span>`
            : nothing
        }
        <span>${done} / ${all}</span></span></div>`;
  }

  /** @param {{content: string, status: string, active?: string}} entry */
  #row(entry) {
    const look = LOOK[entry.status] ?? LOOK.pending;
    const text = entry.status === "in_progress" && entry.active ? entry.active : entry.content;
    return html`<li class=${look.row}><span class="box" aria-hidden="true">${look.mark}</span><span
      class="sr"
    >${t(`panel.todos.status.${LOOK[entry.status] ? entry.status : "pending"}`)}</span><span
      class="txt" dir="auto">${text}</span></li>`;
  }
}

customElements.define("maia-todos", MaiaTodos);

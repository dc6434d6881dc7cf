/** The welcome of a workspace where no conversation is open. */
import { html, nothing } from "lit";
import { ghostMask, icon } from "maia/lib/dom";
import { t } from "maia/lib/i18n";

/**
 * @param {object} welcome
 * @param {string} welcome.name who is welcome
 * @param {string | undefined} welcome.agent the agent to talk to
 * @param {boolean} welcome.viewer whether they only read here
 * @param {(agent: string) => void} welcome.openDirect
 * @param {() => void} welcome.newChannel
 */
export function drawWelcome({ name, agent, viewer, openDirect, newChannel }) {
  return html`<div class="timeline"><div class="empty welcome">${ghostMask()}<h2
      class="empty-title">${t("welcome.title", { name })}</h2><p>${t("welcome.text")}</p>
        <div class="row wrap">${
          agent
            ? html`<button class="btn primary"
              @click=${() => openDirect(agent)}>${icon("chat", "i-s")}${t("welcome.direct", {
                agent,
              })}</button>`
            : nothing
        }
          ${
            viewer
              ? nothing
              : html`<button class="btn" @click=${newChannel}>${icon("plus", "i-s")}${t(
                  "channel.new",
                )}</button>`
          }</div></div></div>`;
}

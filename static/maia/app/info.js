/**
 * Info: what a dialog tells about a conversation: who is in it, each agent's model and context, and
 * what agents find.
 */

import { html, nothing } from "lit";
import { api } from "maia/lib/api";
import { agentAvatar, personAvatar } from "maia/lib/dom";
import { tokens } from "maia/lib/format";
import { t } from "maia/lib/i18n";

/** @typedef {{name: string, description: string, source: string, path: string}} Entry */
/** @typedef {{file: string, entry?: string, message: string}} Warning */
/**
 * @typedef {{instructions: string | null, skills: Entry[], tools: Entry[], warnings: Warning[]}}
 *   Library
 */
/**
 * @typedef {{agent: string, model: string, session?: string, used: number, size: number}} Context
 */

/** So many people come in one page. */
const PEOPLE_PAGE = 100;

/**
 * @typedef {object} People
 * @property {import("maia/frames").Person[]} people
 * @property {boolean} more whether there may be others
 */

/**
 * Asks the server for the people of a workspace after those that are known.
 * @param {string} workspace
 * @param {import("maia/frames").Person[]} known
 * @returns {Promise<People>} with those that are known
 */
export async function readPeople(workspace, known) {
  const found = await api.get(`/api/workspaces/${workspace}/members`, { skip: known.length });
  return { people: [...known, ...found], more: found.length === PEOPLE_PAGE };
}

/**
 * Asks the server what is not on the page yet.
 * @param {import("maia/frames").ChannelInfo} info
 * @param {import("maia/frames").Person[]} people those of a direct conversation
 * @returns {Promise<{library: Library, contexts: (Context | undefined)[]} & People>}
 */
export async function readInfo({ id, workspace, direct, members }, people) {
  const context = (/** @type {string} */ agent) =>
    api.get(`/api/channels/${id}/context`, { agent }).catch(() => undefined);
  const [library, found, ...contexts] = await Promise.all([
    api.get(`/api/workspaces/${workspace}/library`),
    direct ? { people, more: false } : readPeople(workspace, []),
    ...(direct ? [direct] : members).map(context),
  ]);
  return { library, contexts, ...found };
}

/**
 * @param {object} known
 * @param {import("maia/frames").ChannelInfo} known.info
 * @param {import("maia/frames").Person[]} known.people
 * @param {import("maia/page").Agent[]} known.agents
 * @param {Library} known.library
 * @param {(Context | undefined)[]} known.contexts
 * @param {(() => void) | undefined} known.morePeople shows the next of them, if there are any
 */
export function infoView({ info, people, agents, library, contexts, morePeople }) {
  const { instructions, skills, tools, warnings } = library;
  const names = info.direct ? [info.direct] : info.members;
  return html`${warnings.length ? broken(warnings) : nothing}
    ${info.description ? html`<p>${info.description}</p>` : nothing}
    ${section(
      "agents",
      "info.noAgents",
      names.map((name, i) =>
        agentRow(
          name,
          agents.find((each) => each.name === name),
          contexts[i],
        ),
      ),
    )}
    ${section("info.people", "", [
      ...people.map(
        (person) =>
          html`<div class="info-row">${personAvatar(person, "s")}<b
            class="ellipsis">${person.name}</b><span
              class="faint ellipsis">${person.username}</span></div>`,
      ),
      ...(morePeople
        ? [
            html`<button type="button" class="btn quiet s"
            @click=${morePeople}>${t("info.morePeople")}</button>`,
          ]
        : []),
    ])}
    <section class="library"><h3>${t("info.instructions")}</h3>${
      instructions
        ? html`<p>${t("library.instructions", { file: instructions })}</p>`
        : html`<p class="muted small">${t("library.noInstructions")}</p>`
    }</section>
    ${section(
      "library.skills",
      "library.noSkills",
      skills.map((each) => found("§", each)),
    )}
    ${section(
      "library.tools",
      "library.noTools",
      tools.map((each) => found("", each)),
    )}`;
}

/** What was skipped, first: somebody has to mend it. @param {Warning[]} warnings */
function broken(warnings) {
  return html`<section
    class="note warn info-broken"><div><h3>${t("info.broken", {
      n: warnings.length,
    })}</h3><ul>${warnings.map(
      ({ file, entry, message }) =>
        html`<li><code>${file}</code>${
          entry ? html` <code>${entry}</code>` : nothing
        }<br>${message}</li>`,
    )}</ul></div></section>`;
}

/**
 * @param {string} title
 * @param {string} none what is said of an empty list
 * @param {unknown[]} rows
 */
function section(title, none, rows) {
  return html`<section class="library"><h3>${t(title)}</h3>${
    rows.length ? rows : html`<p class="muted small">${none ? t(none) : ""}</p>`
  }</section>`;
}

/**
 * @param {string} name
 * @param {import("maia/page").Agent | undefined} agent
 * @param {Context | undefined} context
 */
function agentRow(name, agent, context) {
  const about = agent?.description || agent?.title;
  return html`<div class="info-row">${agentAvatar(name, { size: "s" })}<b>${name}</b><span
    class="faint ellipsis grow">${about}</span></div>
    ${
      context
        ? html`<dl class="info-facts"><div><dt>${t("info.model")}</dt><dd
          class="mono">${context.model}</dd></div>
          ${
            context.session
              ? html`<div><dt>${t("info.session")}</dt><dd
                class="mono">${context.session}</dd></div>`
              : nothing
          }
          <div><dt>${t("info.context")}</dt><dd class="mono num">${tokens(context.used)} / ${
            context.size ? tokens(context.size) : t("context.none")
          }</dd></div></dl>`
        : nothing
    }`;
}

/** @param {string} sign @param {Entry} entry */
function found(sign, { name, source, description }) {
  return html`<div class="info-found"><code>${sign}${name}</code> <span
    class="badge">${t(`library.${source}`)}</span><p>${description}</p></div>`;
}

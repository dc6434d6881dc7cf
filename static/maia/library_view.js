/** What agents find in a workspace besides the conversation, as the dialog shows it. */

import { html } from "lit";
import { t } from "maia/lib/i18n";

/** @typedef {{name: string, description: string, source: string, path: string}} Entry */
/** @typedef {{instructions: string | null, skills: Entry[], tools: Entry[], warnings: {file: string, entry?: string, message: string}[]}} Library */

/** @param {Library} library */
export function libraryView({ instructions, skills, tools, warnings }) {
  return html`${row(instructions ? "info" : "warn", instructions ? t("library.instructions", { file: instructions }) : t("library.noInstructions"))}
    ${warnings.map(({ file, entry, message }) => row("warn", html`<code>${file}</code>${entry ? html` · <code>${entry}</code>` : ""} · ${message}`))}
    ${section("library.skills", "library.noSkills", "§", skills)}${section("library.tools", "library.noTools", "", tools)}`;
}

/** @param {"info" | "warn"} level @param {unknown} words */
function row(level, words) {
  return html`<div class="sys"><span class="badge ${level}">${level.toUpperCase()}</span><span class="txt">${words}</span></div>`;
}

/** @param {string} title @param {string} none @param {string} sign @param {Entry[]} entries */
function section(title, none, sign, entries) {
  return html`<section class="library"><h3>${t(title)}</h3>${entries.length ? html`<dl>${entries.map((each) => html`<div><dt><code>${sign}${each.name}</code> <span class="badge">${
    t(`library.${each.source}`)}</span></dt><dd>${each.description}</dd></div>`)}</dl>` : html`<p class="muted small">${t(none)}</p>`}</section>`;
}

/** What a permission request asks for: a command, the changes of files, or a tool with its input. */
import { html, nothing } from "lit";
import { icon } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { commandOf, decidingParts, inputOf, pathOf, targetOf } from "maia/lib/tools";
import { shownPath, visible } from "maia/lib/visible";
import "maia/components/files/maia-diff";

/** @typedef {import("maia/frames").ToolPart} ToolPart */

/**
 * @param {ToolPart} call all of it
 * @param {object} reading
 * @param {string} reading.part the part of a command that decides
 * @param {unknown} reading.button what stands beside a command
 */
export function drawRequestedCall(call, { part, button }) {
  if (call.cut) return html`<pre class="perm-cmd" aria-busy="true">${t("tool.reading")}</pre>`;
  if (commandOf(call)) return drawCommand(call, part, button);
  if (call.diffs.length) return drawChanges(call);
  const target = visible(pathOf(call)) || targetOf(call);
  const input = Object.keys(inputOf(call)).length > 1 ? visible(call.input) : "";
  return html`<pre class="perm-cmd" tabindex="0"><span
      class="pr">${call.name} </span>${target}${
        input && target !== input ? `\n${input}` : ""
      }</pre>`;
}

/** @param {ToolPart} call @param {string} part @param {unknown} button */
function drawCommand(call, part, button) {
  return html`<div class="perm-line"><pre class="perm-cmd" tabindex="0"><span
        class="pr">$ </span>${decidingParts(call, part).map(({ text, decides }) =>
          decides ? html`<mark>${text}</mark>` : text,
        )}</pre>${button}</div>`;
}

/** @param {ToolPart} call */
function drawChanges({ diffs }) {
  return html`<div class="perm-diffs">${diffs.map(
    (diff) =>
      html`<div class="perm-file mono">${shownPath(visible(diff.path))}${
        diff.newFile ? html` <span class="badge">${t("tool.newFile")}</span>` : nothing
      }</div><maia-diff .diff=${diff}></maia-diff>`,
  )}</div>`;
}

/**
 * Draws the button that edits a command.
 * @param {string} words @param {boolean} busy @param {() => void} edit
 */
export function drawEditButton(words, busy, edit) {
  return html`<button class="icon-btn s" aria-label=${words} title=${words} ?disabled=${busy}
    @click=${edit}>${icon("pencil", "i-s")}</button>`;
}

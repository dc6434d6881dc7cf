/**
 * Why a permission request asks: the rule, its scope and whose it is, the part, the folder, links.
 */
import { html, nothing } from "lit";
import { pieces, t } from "maia/lib/i18n";
import { whyOf } from "maia/lib/rule_words";
import { visible } from "maia/lib/visible";

/** @typedef {import("maia/frames").PermissionRequest} PermissionRequest */
/** @typedef {import("maia/frames").Reason} Reason */

/**
 * @param {PermissionRequest} request
 * @param {object} reader
 * @param {boolean} reader.own whether they asked for the turn
 * @param {boolean} reader.edited whether they look at another command: the reason was about the
 *   first
 */
export function drawReasons(request, { own, edited }) {
  const { reason } = request;
  const where = drawFolder(request);
  if (edited) return html`<p class="perm-why">${where}</p>`;
  const more = html`${drawLinks(reason)}${drawTrust(request, own)}`;
  if (!reason.rule || (reason.code && reason.code !== "rule"))
    return html`<p class="perm-why">${whyOf(reason)} ${where}${more}</p>`;
  const part = reason.part
    ? pieces("perm.because", { part: html`<code>${visible(reason.part)}</code>` })
    : nothing;
  return html`<p
    class="perm-why">${pieces(keyOf(reason), ruleWords(request))} ${part} ${where}${more}</p>`;
}

/** @param {PermissionRequest} request */
function drawFolder({ folder }) {
  return folder
    ? html`<span class="perm-folder">${pieces("perm.folder", {
        folder: html`<code>${folder}</code>`,
      })}</span>`
    : nothing;
}

/** @param {Reason} reason */
function drawLinks({ links }) {
  return links?.length
    ? html`<br>${pieces("perm.links", {
        links: html`<code>${links.map(visible).join(", ")}</code>`,
      })}`
    : nothing;
}

/**
 * Rules of the workspace's file that nobody trusts yet.
 * @param {PermissionRequest} request
 * @param {boolean} own
 */
function drawTrust({ reason, starter, workspace }, own) {
  if (!reason.untrusted) return nothing;
  const file = html`<a href=${rulesPage(workspace)}>.maia/settings.json</a>`;
  return html`<br>${pieces(own ? "perm.untrusted" : "perm.untrustedBy", {
    who: starter.name,
    file,
  })}`;
}

/** @param {Reason} reason */
function keyOf({ scope, file, by }) {
  if (scope === "earlier") return "perm.byGone";
  if (file) return "perm.byFile";
  return by ? "perm.byRuleOf" : "perm.byRule";
}

/** @param {PermissionRequest} request */
function ruleWords(request) {
  const { rule, scope, by } = request.reason;
  return {
    rule: html`<code>${visible(rule ?? "")}</code>`,
    scope: t(`scope.${scope ?? "site"}`),
    who: by ?? "",
    file: drawFile(request),
  };
}

/**
 * The file a rule stands in, or stood in: then with the way to where one has looked.
 * @param {PermissionRequest} request
 */
function drawFile({ reason: { file, scope }, workspace }) {
  const name = html`<code>${file ?? ""}</code>`;
  return scope === "earlier" ? html`<a href=${rulesPage(workspace)}>${name}</a>` : name;
}

/** @param {string} workspace */
const rulesPage = (workspace) => `/w/${workspace}/rules`;

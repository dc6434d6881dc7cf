/** What people read when something they asked for failed. */

import { t } from "maia/lib/i18n";

/**
 * Returns the sentence for a command that was refused or could not be sent.
 * @param {unknown} error
 */
export function sentenceOf(error) {
  const { code, message } = /** @type {Error & {code?: string}} */ (error);
  return code === "offline" ? t("offline.command") : message;
}

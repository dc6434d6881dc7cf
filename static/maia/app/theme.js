/** The theme: light, dark, or the system's. */

import { postQuietly } from "maia/page";

/** Whether the page is dark now. */
export function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/**
 * Changes to the other theme and keeps it with the account.
 * @param {string} url where the choice is posted, "" for nowhere
 */
export function toggleTheme(url) {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  if (url) postQuietly(url, { theme }).catch(() => undefined);
}

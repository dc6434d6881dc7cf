/**
 * The panel's width and tab, kept per person in this browser.
 */

export const MIN_WIDTH = 360;
export const MAX_WIDTH = 900;
export const START_WIDTH = 440;
export const TABS = /** @type {const} */ (["files", "terminal", "todos", "changes"]);

/** @typedef {typeof TABS[number]} Tab */
/** @typedef {{width: number | null, wide: boolean}} Size `width` in pixels, null until chosen */

/** @param {number} width in pixels */
export const clampWidth = (width) => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

/**
 * Returns the width a key of the divider leads to; null where the key does nothing.
 * The panel is on the right, so Left makes it wider.
 * @param {number} width @param {string} key @param {boolean} [big] with Shift
 */
export function widthByKey(width, key, big = false) {
  const step = big ? 64 : 16;
  if (key === "ArrowLeft") return clampWidth(width + step);
  if (key === "ArrowRight") return clampWidth(width - step);
  if (key === "Home") return MIN_WIDTH;
  if (key === "End") return MAX_WIDTH;
  return null;
}

/** @param {unknown} raw what was kept, maybe by an older release @returns {Size} */
function sizeFrom(raw) {
  const kept = /** @type {any} */ (raw && typeof raw === "object" ? raw : {});
  const width = Number.isFinite(kept.width) ? clampWidth(kept.width) : null;
  return { width, wide: kept.wide === true };
}

/** @param {string} user @param {Storage} [storage] @returns {Size} */
export function readSize(user, storage = localStorage) {
  try {
    return sizeFrom(JSON.parse(storage.getItem(`maia.panel.${user}`) ?? "null"));
  } catch {
    return sizeFrom(null);
  }
}

/** @param {string} user @param {Size} size @param {Storage} [storage] */
export function keepSize(user, size, storage = localStorage) {
  try {
    storage.setItem(`maia.panel.${user}`, JSON.stringify(size));
  } catch {
    // A full or forbidden storage only means that the width is not remembered.
  }
}

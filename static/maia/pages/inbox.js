// The inbox: words first, then the element that keeps the list true.
// @ts-check

import { loadWords } from "maia/lib/i18n";

await loadWords();
// the types of elements are not checked here
await import(/** @type {string} */ ("maia/components/permissions/maia-inbox"));
const inbox = /** @type {any} */ (document.createElement("maia-inbox"));
inbox.className = "stack";
inbox.page = JSON.parse(document.getElementById("maia-inbox-page")?.textContent ?? "{}");
document.getElementById("inbox")?.replaceChildren(inbox);

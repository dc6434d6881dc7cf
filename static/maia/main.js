/** Starts the page: words, store, socket, then the elements. */

import { dressAgents } from "maia/lib/dom";
import { loadWords } from "maia/lib/i18n";
import { readPage, socketUrl } from "maia/page";
import { Store } from "maia/store";

const page = readPage();
const store = new Store({ url: socketUrl(), storage: sessionStorageOrNone() });
store.start();
dressAgents(page.agents.map((agent) => agent.name));
await loadWords();
const { MaiaApp } = await import("maia/components/frame/maia-app");
document.getElementById("app")?.replaceChildren(new MaiaApp(page, store));

function sessionStorageOrNone() {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

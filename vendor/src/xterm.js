export { Terminal } from "@xterm/xterm";
export { ClipboardAddon } from "@xterm/addon-clipboard";
export { FitAddon } from "@xterm/addon-fit";
export { SearchAddon } from "@xterm/addon-search";
export { Unicode11Addon } from "@xterm/addon-unicode11";
export { WebLinksAddon } from "@xterm/addon-web-links";

/** Loads the WebGL renderer, which only a visible terminal needs. */
export async function loadWebgl() {
  return (await import("@xterm/addon-webgl")).WebglAddon;
}

// Lets Node resolve the names of the import map: import this first, then `await import("maia/…")`.
import { register } from "node:module";

const root = new URL("../../static/", import.meta.url).href;
const hooks = `
const root = ${JSON.stringify(root)};
const vendor = new Set(["lit", "signals", "markdown", "diff", "xterm", "codemirror"]);
export async function resolve(name, context, next) {
  if (name.startsWith("maia/")) return { url: root + name + ".js", format: "module", shortCircuit: true };
  if (vendor.has(name)) return { url: root + "vendor/" + name + ".js", format: "module", shortCircuit: true };
  const found = await next(name, context);
  return found.url.startsWith(root) ? { ...found, format: "module" } : found;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

// Lets Node resolve the names of the import map: import this first, then `await import("maia/…")`.
import { register } from "node:module";

const root = new URL("../../static/", import.meta.url).href;
const hooks = `
const root = ${JSON.stringify(root)};
const vendor = new Set(["lit", "signals", "markdown", "diff", "xterm", "codemirror"]);
export async function resolve(name, context, next) {
  const at = (path) => ({ url: root + path + ".js", format: "module", shortCircuit: true });
  if (name.startsWith("maia/")) return at(name);
  if (vendor.has(name)) return at("vendor/" + name);
  const found = await next(name, context);
  return found.url.startsWith(root) ? { ...found, format: "module" } : found;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

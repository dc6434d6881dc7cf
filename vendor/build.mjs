// Builds static/vendor, static/fonts and THIRD_PARTY.md from the pinned packages:
// `npm ci && node build.mjs`.
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..");
const out = join(root, "static", "vendor");
const fonts = join(root, "static", "fonts");
const modules = join(here, "node_modules");
const ENTRIES = ["lit", "signals", "xterm", "codemirror", "markdown", "diff"];
const COPIES = [
  ["@xterm/xterm/css/xterm.css", join(out, "xterm.css")],
  ["inter-ui/variable-latin/InterVariable-subset.woff2", join(fonts, "inter.woff2")],
  [
    "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
    join(fonts, "jetbrains-mono.woff2"),
  ],
];
const FONT_PACKAGES = ["inter-ui", "@fontsource-variable/jetbrains-mono"];
const CHOSEN = { dompurify: "Apache-2.0 (chosen of MPL-2.0 or Apache-2.0)" };

/** Returns the packages whose code is in the bundle. */
function packagesOf(metafile) {
  const names = new Set(FONT_PACKAGES);
  for (const path of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (found) names.add(found[1]);
  }
  return [...names].sort();
}

/** Returns the text of a package's licence file; the SPDX name stands where none is shipped. */
async function licenceText(name) {
  const files = await readdir(join(modules, name));
  const file = files.sort().find((each) => /^(licen[cs]e|copying)/i.test(each));
  return file ? (await readFile(join(modules, name, file), "utf8")).trim() : "";
}

/** Refuses a bundle in which one entry imports another: that would mean two instances. */
function checkEntries(metafile) {
  for (const [path, output] of Object.entries(metafile.outputs)) {
    const bad = output.imports.find((each) =>
      ENTRIES.some((entry) => each.path.endsWith(`static/vendor/${entry}.js`)),
    );
    if (bad) throw new Error(`${path} imports the entry ${bad.path}`);
  }
}

async function writeNotice(metafile) {
  const rows = [];
  const texts = [];
  for (const name of packagesOf(metafile)) {
    const about = JSON.parse(await readFile(join(modules, name, "package.json"), "utf8"));
    const licence = CHOSEN[name] ?? about.license;
    rows.push(`| ${name} | ${about.version} | ${licence} |`);
    const text = await licenceText(name);
    if (text) texts.push(`## ${name}\n\n\`\`\`text\n${text}\n\`\`\`\n`);
  }
  const head =
    "# Third-party code in the browser\n\nWritten by `vendor/build.mjs`; do not edit.\n\n" +
    "| Package | Version | Licence |\n| --- | --- | --- |\n";
  await writeFile(join(root, "THIRD_PARTY.md"), `${head}${rows.join("\n")}\n\n${texts.join("\n")}`);
}

await rm(out, { recursive: true, force: true });
await mkdir(fonts, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ENTRIES.map((entry) => `src/${entry}.js`),
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  outdir: out,
  chunkNames: "chunks/[name]-[hash]",
  legalComments: "linked",
  metafile: true,
  conditions: ["production", "browser"],
  define: { "process.env.NODE_ENV": '"production"' },
});
checkEntries(metafile);
for (const [from, to] of COPIES) await copyFile(join(modules, from), to);
await writeNotice(metafile);

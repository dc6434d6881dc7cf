import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const maia = new URL("../../../static/maia/", import.meta.url);
const words = (code) => JSON.parse(readFileSync(new URL(`i18n/panel.${code}.json`, maia), "utf8"));
const mine = /^maia-(panel|file-|terminal|todos|changes)/;
const files = (folder) =>
  readdirSync(new URL(folder, maia), { recursive: true }).filter((name) => name.endsWith(".js"));
const sources = ["components", "panel"]
  .flatMap((folder) =>
    files(folder)
      .filter((name) => folder === "panel" || mine.test(name.split("/").at(-1)))
      .map((name) => readFileSync(new URL(`${folder}/${name}`, maia), "utf8")),
  )
  .join("\n");
const holes = (entry) => [...new Set(JSON.stringify(entry).match(/\{\w+\}/g) ?? [])].sort();

test("both languages have the same keys, forms and placeholders", () => {
  const [en, fr] = [words("en"), words("fr")];
  assert.deepEqual(Object.keys(fr), Object.keys(en));
  for (const key of Object.keys(en)) {
    assert.equal(typeof fr[key], typeof en[key], key);
    assert.deepEqual(holes(fr[key]), holes(en[key]), key);
  }
});

test("every key is used, and every key used is there", () => {
  const en = words("en");
  const used = [...sources.matchAll(/["'`](panel\.[\w.-]+?)(\.?\$\{|["'`])/g)].map(
    ([, key, end]) => ({ key, open: end.includes("$") }),
  );
  for (const { key, open } of used) {
    assert.ok(
      Object.keys(en).some((one) => (open ? one.startsWith(`${key}.`) : one === key)),
      `missing: ${key}`,
    );
  }
  const isUsed = (one) =>
    used.some(({ key, open }) => (open ? one.startsWith(`${key}.`) : one === key)) ||
    (one.endsWith("Why") && isUsed(one.slice(0, -3)));
  assert.deepEqual(
    Object.keys(en).filter((one) => !isUsed(one)),
    [],
  );
});

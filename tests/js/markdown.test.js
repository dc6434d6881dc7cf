// What people and agents write, read as one Markdown; elements are drawn in a browser only.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./setup.js";

const { blocksOf, htmlOf } = await import("maia/lib/markdown/grammar");
const { piecesOf } = await import("maia/lib/markdown/names");

const AGENTS = new Set(["forge", "maia"]);
const html = (text, typed = true) => htmlOf(blocksOf(text, typed), typed).trim();

/** Every name in a text, and what it is. */
function names(text, files = new Set()) {
  const found = [];
  const walk = (tokens) => {
    for (const token of tokens) {
      if (token.type === "named") found.push(...piecesOf(token.raw, AGENTS, files));
      for (const inside of [token.tokens, token.items, token.header, ...(token.rows ?? [])])
        if (inside) walk(inside);
    }
  };
  walk(blocksOf(text, true));
  return found.filter(({ kind }) => kind !== "text").map(({ kind, text }) => `${kind}:${text}`);
}

const links = (text, typed) =>
  [...html(text, typed).matchAll(/href="([^"]*)"/g)].map((each) => each[1]);

test("people and agents write the same Markdown", () => {
  for (const text of [
    "**bold** and *slanted* `code` ~~gone~~",
    "**重要：**请先备份，这是**「更新」**配置。",
    "约3~5天，100~200元",
    "| a | b |\n|---|---|\n| one<br>two | `x \\| y` |",
    "1. a\n\n   ```sh\n   ls\n   ```\n\n2. b",
    "# Title\n\n> quoted\n\n- [x] done",
    "<details><summary>Log</summary></details> <b>&",
    "see https://example.com/a. And [here](https://example.com/b)",
    "[bad](javascript:alert(1)) ![x](https://example.com/i.png)",
  ])
    assert.equal(html(text), html(text, false));
});

test("line breaks and blanks stay as they were typed", () => {
  assert.equal(html("one\n  two"), "<p>one<br>  two</p>");
  assert.equal(html("one\ntwo", false), "<p>one\ntwo</p>");
  assert.equal(html("- a\n- b\nc"), "<ul>\n<li>a</li>\n<li>b<br>c</li>\n</ul>");
});

test("what is typed of paths, expressions and shells keeps its signs", () => {
  assert.equal(
    html("C:\\Users\\me\\.ssh \\d+\\.\\(x\\)"),
    "<p>C:\\Users\\me\\.ssh \\d+\\.\\(x\\)</p>",
  );
  assert.equal(html("\\\\server\\share"), "<p>\\\\server\\share</p>");
  assert.equal(html("run \\\n  --all"), "<p>run \\<br>  --all</p>");
  assert.equal(html("\\*no\\* \\_no\\_ \\[a](b)"), "<p>*no* _no_ [a](b)</p>");
});

test("names of Python are no bold, bold and slanted beside CJK are", () => {
  for (const typed of [true, false]) {
    assert.equal(
      html("__init__.py x.__dict__ '__main__' __call__()", typed),
      "<p>__init__.py x.__dict__ &#39;__main__&#39; __call__()</p>",
    );
    assert.equal(
      html("__so__ and __it is__", typed),
      "<p><strong>so</strong> and <strong>it is</strong></p>",
    );
    assert.equal(
      html("***重要：***请 **「a」**的", typed),
      "<p><em><strong>重要：</strong></em>请 <strong>「a」</strong>的</p>",
    );
  }
});

test("typed text is only marked where it names something", () => {
  assert.deepEqual(names("@forge see `@maia` in $api/x.py."), ["mention:@forge", "file:$api/x.py"]);
  assert.deepEqual(names("mail a@forge costs $5 and $HOME"), []);
  assert.deepEqual(names("**@forge**, (@maia) [@maia](https://x.org) §révision"), [
    "mention:@forge",
    "mention:@maia",
    "mention:@maia",
    "mention:§révision",
  ]);
  const files = new Set(["src/a.py", "a b.md", "src/__init__.py", "docs/été.md", "文件.md"]);
  assert.deepEqual(names("see @src/a.py. and @'a b.md' @x.py @src/__init__.py", files), [
    "file:@src/a.py",
    "file:@'a b.md'",
    "file:@src/__init__.py",
  ]);
  assert.deepEqual(names("@docs/été.md، @文件.md，@maia请看 @maia，**请**", files), [
    "file:@docs/été.md",
    "file:@文件.md",
    "mention:@maia",
    "mention:@maia",
  ]);
  assert.deepEqual(names("```\n@forge\n```\n    @forge"), []);
});

test("names hold no marks of their own", () => {
  assert.equal(
    html("@src/__init__.py is *new*"),
    "<p><span data-named>@src/__init__.py</span> is <em>new</em></p>",
  );
  assert.equal(html("@maia，**请**"), "<p><span data-named>@maia</span>，<strong>请</strong></p>");
});

test("an address ends before the marks of any script and what ends a sentence", () => {
  for (const typed of [true, false]) {
    assert.deepEqual(links("see https://example.com/a. And (https://example.com/b).", typed), [
      "https://example.com/a",
      "https://example.com/b",
    ]);
    assert.deepEqual(
      links("见 https://example.com/docs（说明）和 https://example.com/g，详见", typed),
      ["https://example.com/docs", "https://example.com/g"],
    );
    assert.deepEqual(links("“https://en.wikipedia.org/wiki/A_(b)”, https://x.org/?q=1!", typed), [
      "https://en.wikipedia.org/wiki/A_(b)",
      "https://x.org/?q=1",
    ]);
    assert.deepEqual(links("jean@example.org, write him", typed), ["mailto:jean@example.org"]);
  }
});

test("what is typed is never lost, and HTML in it is text", () => {
  for (const text of ["a @x `b` $c/d §e ```f", "``", "@", "$", "§", "````", "@'", "@'a\\'b'"])
    assert.ok(html(text).length > 0);
  assert.equal(html("@<b>x</b>"), "<p>@&#60;b&#62;x&#60;/b&#62;</p>");
  assert.equal(html("@a&lt;b"), "<p><span data-named>@a&#38;lt;b</span></p>");
});

test("a paste of any kind holds nothing up", () => {
  const fill = (text) => text.repeat(Math.ceil(200_000 / text.length));
  for (const text of [
    "> ",
    "1. ",
    "- ",
    "a_b_c",
    "**a ",
    "int **p = &q[i];\n",
    "[a ",
    "@a ",
    "$x/y ",
    "§",
    "@(((",
  ]) {
    const began = performance.now();
    assert.ok(html(fill(text)).length > 0);
    assert.ok(performance.now() - began < 20_000, text);
  }
});

import "./setup.js";
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const { contextBar, duration, lastLines, tokens } = await import("maia/lib/format");
const { answerOf, composes, globalAction, isHelp, sends } = await import("maia/lib/keys");
const { fit, fitting, historyStep, hitOf, tokenAt } = await import("maia/lib/completion");
const { Completer } = await import("maia/lib/completer");
const { ansiRuns } = await import("maia/lib/ansi");
const { beginning, endedBadly, exitCodeOf, linesRead, targetOf } = await import("maia/lib/tools");
const { compare } = await import("maia/lib/diffs");
const { fold, visible } = await import("maia/lib/visible");
const { answeringNow, changedFiles, latestPlan, sentTexts } = await import("maia/lib/conversation");
const { pieces, setWords, t } = await import("maia/lib/i18n");
const { pathOf, placeOf } = await import("maia/page");

test("counts of tokens are short and alike in every language", () => {
  const cases = [
    [0, "0"],
    [950, "950"],
    [12_345, "12.3k"],
    [200_000, "200k"],
    [1_049_000, "1.049M"],
    [999_999, "1M"],
    [1_000_000, "1M"],
  ];
  for (const [count, shown] of cases) assert.equal(tokens(count), shown);
});

test("a context bar has one square for 10k, or more until it fits", () => {
  assert.deepEqual(contextBar(900, 200_000), {
    total: 20,
    on: 1,
    level: "",
    label: "900 / 200k · 0%",
    scale: "",
  });
  assert.deepEqual(contextBar(122_400, 200_000)?.level, "warn");
  assert.deepEqual(contextBar(174_900, 200_000)?.level, "crit");
  assert.deepEqual(contextBar(412_000, 1_000_000), {
    total: 20,
    on: 8,
    level: "",
    label: "412k / 1M · 41%",
    scale: "1■ = 50k",
  });
  assert.equal(contextBar(0, 200_000)?.on, 0);
  assert.equal(contextBar(5, 0), undefined);
});

test("lengths of time read well", () => {
  assert.deepEqual([0.42, 12, 60, 125].map(duration), ["0.4 s", "12 s", "1 min", "2 min 5 s"]);
});

test("what Read says of a file is none of its lines", () => {
  assert.equal(linesRead("     1\ta\n     2\tb\n[line ends: CRLF]"), 2);
  assert.equal(linesRead("a\nb\n"), 2);
});

test("only the last lines are kept", () => {
  assert.equal(lastLines("a\nb\nc\n", 2), "b\nc\n");
  assert.equal(lastLines("a\nb", 5), "a\nb");
});

const press = (key, mods = {}) => ({
  key,
  code: "",
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...mods,
});

test("keys mean what the guide says", () => {
  assert.equal(globalAction(press("k", { ctrlKey: true })), "palette");
  assert.equal(globalAction(press("K", { ctrlKey: true, shiftKey: true })), undefined);
  assert.equal(globalAction(press("L", { ctrlKey: true, shiftKey: true })), "theme");
  assert.equal(globalAction(press("&", { ctrlKey: true, code: "Digit1" })), "tab-1");
  assert.equal(globalAction(press("ArrowUp", { altKey: true, shiftKey: true })), "unread-previous");
  assert.equal(globalAction(press("Escape")), "escape");
  assert.equal(globalAction(press("a")), undefined);
  assert.equal(isHelp(press("?", { shiftKey: true })), true);
});

test("a request is answered by Y, O, A, N, S and never by Enter", () => {
  const answers = ["y", "O", "a", "n", "S"].map((key) => answerOf(press(key)));
  assert.deepEqual(answers, ["allow_once", "allow_once", "allow_always", "deny", "stop"]);
  assert.equal(answerOf(press("Enter")), undefined);
  assert.equal(answerOf(press("y", { ctrlKey: true })), undefined);
});

test("what an input method takes is nobody else's, whatever Safari says", () => {
  assert.equal(composes({ isComposing: false, keyCode: 229 }), true);
  assert.equal(composes({ isComposing: true, keyCode: 27 }), true);
  assert.equal(composes({ isComposing: false, keyCode: 27 }), false);
});

test("Enter sends, but not with Shift nor while an input method composes", () => {
  assert.equal(sends(press("Enter")), true);
  assert.equal(sends(press("Enter", { shiftKey: true })), false);
  assert.equal(sends({ ...press("Enter"), isComposing: true }), false);
  assert.equal(sends({ ...press("Enter"), keyCode: 229 }), false);
});

test("completion starts at the beginning of a word, commands and skills where the line begins", () => {
  assert.deepEqual(tokenAt("hey @fo"), { sign: "@", typed: "fo", from: 4 });
  assert.deepEqual(tokenAt("@src/my"), { sign: "@", typed: "src/my", from: 0 });
  assert.deepEqual(tokenAt("see @'a b"), { sign: "@", typed: "'a b", from: 4 });
  assert.deepEqual(tokenAt("!git st"), { sign: "!", typed: "git st", from: 0 });
  assert.deepEqual(tokenAt("@maia §rev"), { sign: "§", typed: "rev", from: 6 });
  assert.deepEqual(tokenAt("see $api/x"), { sign: "$", typed: "api/x", from: 4 });
  assert.equal(tokenAt("/he")?.sign, "/");
  for (const text of [
    "a@fo",
    "say /he",
    "it costs $5",
    "say !ls",
    "see §3",
    "@fo ",
    "@'a b' ",
    "5$x",
  ])
    assert.equal(tokenAt(text), undefined, text);
});

test("what is known here fits by its beginning, and the typed part is marked", () => {
  const options = ["forge", "maia"].map((label) => ({
    kind: "agent",
    label,
    insert: `@${label} `,
    words: "",
  }));
  assert.deepEqual(fitting({ sign: "@", typed: "FO", from: 0 }, options), [options[0]]);
  assert.deepEqual(hitOf("src/Read.py", "read"), ["src/", "Read", ".py"]);
  assert.deepEqual(hitOf("a b.txt", "'a"), ["", "a", " b.txt"]);
  assert.deepEqual(hitOf("abc", "xyz"), ["abc", "", ""]);
});

test("an answer that comes late is not shown", async () => {
  const pause = () =>
    new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  const answers = {};
  const shown = [];
  const completer = new Completer(
    (_sign, typed) =>
      new Promise((resolve) => {
        answers[typed] = resolve;
      }),
    (menu) => shown.push(menu?.options.map((each) => each.label)),
    0,
  );
  const option = (label) => ({ kind: "file", label, insert: `@${label} `, words: "" });
  completer.look("@a", () => []);
  await pause();
  completer.look("@ab", () => []);
  await pause();
  answers.a([option("a")]);
  answers.ab([option("ab")]);
  await pause();
  assert.deepEqual(shown.filter(Boolean), [["ab"]]);
  completer.look("ab", () => []);
  assert.equal(shown.at(-1), undefined);
});

test("history goes from the typed text back and forth", () => {
  assert.deepEqual(
    [historyStep(-1, 1, 2), historyStep(1, 1, 2), historyStep(0, -1, 2), historyStep(-1, -1, 2)],
    [0, 1, -1, -1],
  );
});

test("a whole word fits better than scattered letters, and others not at all", () => {
  assert.ok(fit("rel", "release") > fit("rel", "a real elf"));
  assert.equal(fit("xyz", "release"), 0);
});

test("colours of output become looks, other sequences vanish", () => {
  assert.deepEqual(ansiRuns("a\x1b[32mok\x1b[0m\x1b[2Kb"), [
    { text: "a", look: "" },
    { text: "ok", look: "g" },
    { text: "b", look: "" },
  ]);
  assert.deepEqual(ansiRuns("10%\r50%\r100%\n"), [{ text: "100%\n", look: "" }]);
  assert.deepEqual(ansiRuns("\x1b]0;title\x07x"), [{ text: "x", look: "" }]);
});

const tool = (fields) => ({
  type: "tool",
  name: "Bash",
  kind: "execute",
  title: "",
  input: "{}",
  output: "",
  status: "completed",
  locations: [],
  diffs: [],
  ...fields,
});

test("a card says what the call is about", () => {
  assert.equal(targetOf(tool({ title: "Bash(git status)" })), "git status");
  assert.equal(targetOf(tool({ input: '{"command":"ls\\n -la"}' })), "ls -la");
  assert.equal(
    targetOf(tool({ name: "Grep", input: '{"pattern":"x","path":"api/"}' })),
    "x · api/",
  );
  assert.equal(targetOf(tool({ input: '{"broken' })), "");
  assert.equal(endedBadly(tool({ output: "no\n[exit code: 2]" })), true);
  assert.equal(endedBadly(tool({ output: "yes\n[exit code: 0]" })), false);
});

test("a command that ended badly is told by its code, in every language and toolset", () => {
  assert.equal(exitCodeOf(tool({ exitCode: 3, output: "…" })), 3);
  assert.equal(exitCodeOf(tool({ exitCode: 0, output: "[exit code: 9]" })), 0);
  for (const [line, code] of [
    ["[exit code: 1]", 1],
    ["[code de sortie\u00a0: 2]", 2],
    ["[code de sortie : 2]", 2],
    ["[exit code: exit status 3]", 3],
    ["[exit code: signal: 9]", -9],
    ["[ended by signal 15]", -15],
    ["[terminé par le signal 9]", -9],
    ["[exit code: 0]", 0],
    ["it printed [exit code: 4] and more", undefined],
  ]) {
    assert.equal(exitCodeOf(tool({ output: `out\n${line}` })), code);
    assert.equal(endedBadly(tool({ output: `out\n${line}` })), Boolean(code));
  }
});

test("a preview never ends in half of an emoji", () => {
  assert.equal(beginning("ab🎭", 3), "ab");
  assert.equal(beginning("ab", 3), "ab");
});

test("a change is counted and its changed words marked", () => {
  const diff = {
    path: "a.py",
    oldText: "stop = start + size - 1\nx\n",
    newText: "stop = start + size\nx\n",
    newFile: false,
  };
  const { rows, added, removed } = compare(diff);
  assert.deepEqual([added, removed], [1, 1]);
  assert.deepEqual(
    rows.map((row) => row.kind),
    ["gap", "del", "add", "same"],
  );
  assert.ok(rows[1].marks?.length);
});

test("the panel learns plan and files from the messages", () => {
  const diff = (path) => ({ path, oldText: "a", newText: "b", newFile: false });
  const messages = [
    {
      role: "agent",
      agent: "maia",
      createdAt: "1",
      parts: [{ type: "plan", rev: 0, entries: [{ content: "x" }] }, tool({ diffs: [diff("a")] })],
    },
    {
      role: "agent",
      agent: "maia",
      createdAt: "2",
      parts: [
        tool({ diffs: [diff("b")] }),
        tool({ diffs: [diff("a")] }),
        tool({ status: "pending", diffs: [diff("c")] }),
      ],
    },
  ];
  assert.deepEqual(latestPlan(messages), { entries: [{ content: "x" }], agent: "maia" });
  assert.deepEqual(
    changedFiles(messages).map((file) => [file.path, file.diffs.length]),
    [
      ["a", 2],
      ["b", 1],
    ],
  );
  const mine = (text) => ({ role: "user", author: { id: 1 }, parts: [{ type: "text", text }] });
  assert.deepEqual(sentTexts([mine("a"), mine("a"), mine("b")], 1), ["a", "b"]);
  const placed = [1, 2, 3].map((position) => ({ ...mine(String(position)), position }));
  assert.deepEqual(sentTexts(placed, 1, [{ text: "!'", after: 2 }, { text: "kept before" }]), [
    "1",
    "2",
    "!'",
    "3",
    "kept before",
  ]);
});

test("what an answer waits for follows from its messages", () => {
  const answering = { agent: "maia", messageId: "m", startedAt: "", waitsFor: "model" };
  const waits = (parts, permissions = []) =>
    answeringNow({ answering, messages: [{ id: "m", parts }], permissions }).waitsFor;
  assert.equal(waits([]), "model");
  assert.equal(waits([tool({ status: "in_progress" })]), "tool");
  assert.equal(
    waits([tool({ status: "pending" })], [{ agent: "maia", state: "pending" }]),
    "permission",
  );
  assert.equal(answeringNow({ messages: [], permissions: [] }), undefined);
});

test("calls that run side by side are counted, those of the last step alone", () => {
  const answering = { agent: "maia", messageId: "m", startedAt: "", waitsFor: "model" };
  const counted = (...calls) => {
    const parts = calls.map(([step, status]) => tool({ step, status }));
    return answeringNow({ answering, messages: [{ id: "m", parts }], permissions: [] }).tools;
  };
  const before = [1, "completed"];
  assert.deepEqual(counted(before, [2, "completed"], [2, "failed"], [2, "in_progress"]), {
    done: 2,
    total: 3,
  });
  assert.equal(counted(before, [2, "in_progress"]), undefined);
  assert.equal(counted([undefined, "in_progress"], [undefined, "in_progress"]), undefined);
  assert.equal(counted([1, "completed"], [1, "completed"]), undefined);
});

test("addresses name workspace and channel", () => {
  assert.deepEqual(placeOf("/w/a/c/b"), { workspace: "a", channel: "b" });
  assert.deepEqual(placeOf("/w/a"), { workspace: "a", channel: "" });
  assert.deepEqual(placeOf("/"), { workspace: "", channel: "" });
  assert.equal(pathOf("a", "b"), "/w/a/c/b");
});

test("sentences take names, plurals and templates", () => {
  setWords("fr", { hi: "Bonjour {name}", n: { one: "{n} message", other: "{n} messages" } });
  assert.equal(t("hi", { name: "Zoé" }), "Bonjour Zoé");
  assert.deepEqual(
    [0, 1, 2].map((n) => t("n", { n })),
    ["0 message", "1 message", "2 messages"],
  );
  assert.deepEqual(pieces("hi", { name: { bold: true } }), ["Bonjour ", { bold: true }, ""]);
  assert.equal(t("unknown.key"), "unknown.key");
  setWords("en", {});
});

const STATIC = new URL("../../static/maia/", import.meta.url);
const words = async (name) =>
  JSON.parse(await readFile(new URL(`i18n/${name}.json`, STATIC), "utf8"));

/** Returns the source of our modules, all in one. */
async function source() {
  const files = (await readdir(STATIC, { recursive: true })).filter((name) => name.endsWith(".js"));
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, STATIC), "utf8")));
  return texts.join("\n");
}

for (const part of ["app", "panel", "rules"]) {
  test(`${part}: English and French have the same keys and the same placeholders`, async () => {
    const [en, fr] = [await words(`${part}.en`), await words(`${part}.fr`)];
    assert.deepEqual(Object.keys(fr).sort(), Object.keys(en).sort());
    const holes = (entry) => [...new Set(JSON.stringify(entry).match(/\{\w+\}/g) ?? [])].sort();
    for (const key of Object.keys(en)) assert.deepEqual(holes(fr[key]), holes(en[key]), key);
  });
}

test("every key the code asks for exists, and none is left over", async () => {
  const code = await source();
  const known = Object.keys({ ...(await words("app.en")), ...(await words("panel.en")) });
  const asked = [...code.matchAll(/\b(?:t|pieces)\(\s*(?:\w+ \? )?["'`]([\w./@-]+)["'`]/g)].map(
    (match) => match[1],
  );
  assert.deepEqual(
    asked.filter((key) => !known.includes(key)),
    [],
  );
  const stems = [...code.matchAll(/[`"']([\w-]+(?:\.[\w-]+)*\.)\$\{/g)].map((match) => match[1]);
  const used = (key) =>
    new RegExp(`["'\`]${key.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}["'\`]`).test(code) ||
    stems.some((stem) => key.startsWith(stem));
  const own = Object.keys(await words("app.en"));
  assert.deepEqual(
    own.filter((key) => !used(key)),
    [],
  );
});

test("French keeps a thin space before double punctuation", async () => {
  const fr = JSON.stringify(await words("app.fr"));
  assert.doesNotMatch(fr.replace(/":"|": |\\"/g, ""), /[a-zé] [;:?!]/);
});

test("what would hide or reorder a command is shown by its number", () => {
  assert.equal(visible("rm \u202e\u2066x\u200b"), "rm ⟨U+202E⟩⟨U+2066⟩x⟨U+200B⟩");
  assert.equal(visible("a\rb\x1b[2K\x07"), "a⟨U+000D⟩b⟨U+001B⟩[2K⟨U+0007⟩");
  const plain = "é 日 👩\u200d🚀 שלום\tx\r\n";
  assert.equal(visible(plain), plain);
});

test("names from right to left turn nothing in a sentence", () => {
  setWords("en", { gone: "Deleted {name}.", at: "{path}: {who}" });
  assert.equal(t("gone", { name: "release" }), "Deleted release.");
  assert.equal(t("gone", { name: "مشروع!" }), "Deleted \u2068مشروع!\u2069.");
  assert.equal(
    t("at", { path: "src/أ/ب.txt", who: "x/y" }),
    "src/\u2068أ\u2069/\u2068ب.txt\u2069: x/y",
  );
  assert.deepEqual(pieces("gone", { name: "שלום" }), ["Deleted ", "\u2068שלום\u2069", "."]);
  const template = {};
  assert.deepEqual(pieces("gone", { name: template }), ["Deleted ", template, "."]);
});

test("lists are searched whatever the case and the composition of letters", () => {
  const label = "e\u0301te\u0301.md";
  const options = [{ label, kind: "file", insert: "", words: "" }];
  assert.equal(fitting({ sign: "@", typed: "ÉT", from: 0 }, options).length, 1);
  assert.equal(fitting({ sign: "@", typed: "et", from: 0 }, options).length, 0);
  assert.ok(fit("straße", "STRASSE") > 500);
  assert.equal(fold("Équipe"), fold("e\u0301quipe"));
  assert.equal(fold("réunion 10\u202fh"), fold("RÉUNION 10 H"));
  assert.equal(fold("می\u200cخواهم"), fold("میخواهم"));
  assert.ok(fold("Οδοσήμανση").startsWith(fold("οδοσ"))); // typed so far: no end of a word yet
  assert.ok(fit("οδοσ", "Οδοσήμανση") > 500);
});

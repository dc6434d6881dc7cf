// The modules of the page's element: where we are, what is open, what is said.
import "./setup.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeStorage } from "./fakes.js";

globalThis.localStorage = new FakeStorage();
const { signal } = await import("signals");
const { Place } = await import("maia/app/place");
const { Layout } = await import("maia/app/layout");
const { Talk } = await import("maia/app/talk");
const { neighbour } = await import("maia/app/keyboard");
const { titleOf } = await import("maia/app/title");
const { waitsFor } = await import("maia/lib/conversation");
const { emptyState, reduce } = await import("maia/reducers/app");
const { sends } = await import("maia/lib/keys");
const { announcements } = await import("maia/lib/announce");
const { paletteEntries } = await import("maia/app/palette_entries");
const { Completer } = await import("maia/lib/completer");

const workspace = (id) => ({ id, name: id, role: "owner", personal: false });
const channel = (id, fields = {}) => ({
  id,
  workspace: "w1",
  name: id,
  members: [],
  role: "owner",
  unread: 0,
  waiting: 0,
  lastActivity: "",
  ...fields,
});

/** A page at an address, with what the socket told so far. */
function pageAt(pathname, told = {}) {
  globalThis.localStorage = new FakeStorage();
  const address = { pathname };
  const to = (_state, _title, path) => {
    address.pathname = path;
  };
  const store = {
    state: signal({ ...emptyState(), ...told }),
    opened: [],
    watched: [],
    open: (id) => store.opened.push(id),
    watch: (id) => store.watched.push(id),
  };
  let gone = 0;
  const place = new Place({
    page: { workspaces: [workspace("w1"), workspace("w2")], workspace: "w1" },
    store,
    address,
    past: { pushState: to, replaceState: to },
    onGone: () => {
      gone += 1;
    },
  });
  place.start();
  return { place, store, address, gone: () => gone };
}

test("an address opens its conversation, one without opens the last that was spoken in", () => {
  const { place, store } = pageAt("/w/w2/c/c9");
  assert.deepEqual(
    [place.workspaceId.value, place.channelId.value, store.opened, store.watched],
    ["w2", "c9", ["c9"], ["w2"]],
  );
  const other = pageAt("/", {
    channels: [channel("old", { lastActivity: "1" }), channel("new", { lastActivity: "2" })],
  });
  assert.equal(other.place.settle(), "new");
  other.place.go("new", { replace: true });
  assert.equal(other.address.pathname, "/w/w1/c/new");
  assert.equal(other.place.settle(), "");
});

test("a conversation that is deleted says so once and gives way; one that was left does not", () => {
  const { place, store, gone } = pageAt("/w/w1/c/a", { channels: [channel("a"), channel("b")] });
  assert.equal(place.settle(), "");
  store.state.value = { ...store.state.value, channels: [channel("b")] };
  assert.equal(place.settle(), "b");
  place.go("b");
  assert.equal(gone(), 1);
  place.leave();
  assert.deepEqual([place.settle(), place.channelId.value, gone()], ["", "", 1]);
});

test("a channel that the list does not name yet stays open", () => {
  const { place } = pageAt("/w/w1/c/fresh", { channels: [channel("a")] });
  assert.deepEqual([place.settle(), place.channelId.value], ["", "fresh"]);
});

test("a new workspace appears, and one that is lost gives way to another", () => {
  const { place, store, gone, address } = pageAt("/w/w2/c/c9");
  store.state.value = reduce(store.state.value, {
    type: "channels:changed",
    channels: [],
    workspaces: [workspace("w1"), workspace("w2"), workspace("w3")],
  }).state;
  assert.deepEqual(
    place.workspaces.map((each) => each.id),
    ["w1", "w2", "w3"],
  );
  assert.equal(place.settle(), "");
  store.state.value = reduce(store.state.value, {
    type: "channels:changed",
    channels: [channel("a")],
    workspaces: [workspace("w1")],
  }).state;
  assert.equal(place.settle(), "a");
  assert.deepEqual(
    [place.workspaceId.value, gone(), address.pathname, store.watched.at(-1)],
    ["w1", 1, "/w/w1", "w1"],
  );
});

test("back and forward lead into other workspaces", () => {
  const { place, address } = pageAt("/w/w1/c/a");
  address.pathname = "/w/w2/c/b";
  place.follow();
  assert.deepEqual([place.workspaceId.value, place.channelId.value], ["w2", "b"]);
  place.switch("w1");
  assert.deepEqual([place.channelId.value, address.pathname], ["", "/w/w1"]);
});

test("in one column the panel is a sheet, which closes; else a column, which is kept", () => {
  const layout = new Layout();
  let told = () => undefined;
  layout.follow({
    matches: true,
    addEventListener: (_name, does) => {
      told = does;
    },
  });
  layout.togglePanel();
  assert.deepEqual([layout.panelOpen.value, layout.close(), layout.close()], [true, true, false]);
  told({ matches: false });
  layout.togglePanel();
  assert.equal(layout.panelOpen.value, false);
  assert.equal(new Layout().panel.value, false);
  layout.showPanel();
  assert.equal(layout.panelOpen.value, true);
});

test("keys go through channels, then direct conversations, around the end, and to what is new", () => {
  const all = [channel("d", { direct: "maia" }), channel("a"), channel("b", { unread: 1 })];
  const step = (from, by, unread = false) => neighbour(all, from, { by, unread });
  assert.deepEqual([step("a", 1), step("b", 1), step("d", 1), step("a", -1)], ["b", "d", "a", "d"]);
  assert.deepEqual(
    [
      step("d", 1, true),
      step("b", 1, true),
      step("", -1),
      neighbour([], "", { by: 1, unread: false }),
    ],
    ["b", "", "d", ""],
  );
});

test("the tab says what waits before what is unread", () => {
  assert.equal(titleOf({ info: channel("a"), asks: 1, unread: 3 }), "❓ #a · MAIA");
  assert.equal(
    titleOf({ info: channel("x", { direct: "maia" }), asks: 0, unread: 3 }),
    "(3) maia · MAIA",
  );
  assert.equal(titleOf({ info: undefined, asks: 0, unread: 0 }), "MAIA");
});

test("a message waits for who answers or for whose command runs", () => {
  assert.equal(waitsFor({ busy: false }), "");
  assert.equal(waitsFor({ busy: true, answering: { agent: "maia" } }), "maia");
  assert.equal(
    waitsFor({ busy: true, answering: { agent: "maia", command: "ls", starter: { name: "Bob" } } }),
    "Bob",
  );
  assert.equal(waitsFor({ busy: true }), "…");
});

/** Talk in a channel, with what it did. */
function talkIn(channel, { dropQueued = async () => undefined, command = async () => ({}) } = {}) {
  const done = [];
  const place = { channelId: signal("c"), channel, channels: [], leave: () => done.push("leave") };
  const store = {
    say: (...said) => done.push(["say", ...said]),
    command: async (...sent) => {
      done.push(sent);
      return command(...sent);
    },
  };
  const talk = new Talk({
    store,
    place,
    questions: { dropQueued },
    timeline: () => ({ pin: () => done.push("pin") }),
    composer: () => ({ set: (text) => done.push(["set", text]), focus: () => done.push("focus") }),
    toast: (toast) => done.push(toast),
  });
  return { talk, done };
}

test("saying something goes to the end first; /exit leaves", () => {
  const { talk, done } = talkIn(undefined);
  talk.say("hello");
  talk.say("/exit ");
  assert.deepEqual(done, ["pin", ["say", "c", "hello"], "pin", ["say", "c", "/exit "], "leave"]);
});

test("stopping asks before it drops what is queued, and a viewer stops nothing", async () => {
  const busy = { busy: true, queued: 2, info: { id: "c", role: "owner" } };
  const kept = talkIn(busy, { dropQueued: async () => ({ keepQueued: true }) });
  await kept.talk.stop();
  assert.deepEqual(kept.done, [["channel:cancel", { channel: "c", keepQueued: true }]]);
  const changedMind = talkIn(busy);
  await changedMind.talk.stop();
  const viewer = talkIn({ ...busy, info: { id: "c", role: "viewer" } });
  await viewer.talk.stop();
  assert.deepEqual([...changedMind.done, ...viewer.done], []);
});

test("the question about what is queued closes by itself when everything has ended", async () => {
  let answer;
  const { talk, done } = talkIn(
    { busy: true, queued: 2, info: { id: "c", role: "owner" } },
    {
      dropQueued: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    },
  );
  talk.questions.close = () => answer(undefined);
  const asked = talk.stop();
  talk.ended();
  await asked;
  talk.questions.close = () => done.push("closed another");
  talk.ended();
  assert.deepEqual(done, []);
});

test("a refused command is told in its own words, one without connection in ours", async () => {
  const refused = talkIn(undefined, {
    command: async () => {
      throw Object.assign(new Error("No."), { code: "conflict" });
    },
  });
  await refused.talk.takeBack({ id: "m" }, true);
  assert.deepEqual(refused.done.at(-1), { level: "fail", words: "No." });
  const offline = talkIn(undefined, {
    command: async () => {
      throw Object.assign(new Error("x"), { code: "offline" });
    },
  });
  await offline.talk.takeBack({ id: "m" }, true);
  assert.deepEqual(offline.done.at(-1), { level: "fail", words: "offline.command" });
});

test("a message taken back goes to the composer, or only the focus does", async () => {
  const { talk, done } = talkIn(undefined, { command: async () => ({ text: "again" }) });
  await talk.takeBack({ id: "m" }, true);
  await talk.takeBack({ id: "m" }, false);
  assert.deepEqual(
    done.filter(([name]) => !name.includes(":")),
    [["set", "again"], "focus"],
  );
});

test("whoever sends with Ctrl+Enter writes new lines with Enter", () => {
  const press = (fields) => ({
    key: "Enter",
    code: "",
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...fields,
  });
  assert.deepEqual(
    [
      sends(press({})),
      sends(press({}), true),
      sends(press({ ctrlKey: true }), true),
      sends(press({ metaKey: true }), true),
    ],
    [true, false, true, true],
  );
  assert.equal(sends(press({ ctrlKey: true, isComposing: true }), true), false);
});

test("what ends is told once, an answer and a person's command each in its own words", () => {
  const at = (fields) => ({ info: { id: "c" }, permissions: [], messages: [], ...fields });
  const answering = at({ busy: true, answering: { agent: "maia" } });
  assert.deepEqual(announcements(answering, at({ busy: false })), ["announce.answered"]);
  assert.deepEqual(
    announcements(
      at({ busy: true, answering: { command: "ls", starter: { name: "A" } } }),
      at({ busy: false }),
    ),
    ["announce.ran"],
  );
  assert.deepEqual(announcements(answering, answering), []);
  assert.deepEqual(announcements({ ...answering, stale: true }, at({ busy: false })), []);
});

test("a request is told once, and each proposal to run something else once", () => {
  const request = (proposal) => ({
    id: "r",
    state: "pending",
    agent: "maia",
    createdAt: "1",
    toolCall: { name: "Bash", title: "make" },
    proposal,
  });
  const at = (...permissions) => ({ info: { id: "c" }, messages: [], permissions });
  const made = (id) => ({ id, by: { id: 2, name: "Alice" } });
  assert.deepEqual(announcements(at(), at(request())), ["announce.asks"]);
  assert.deepEqual(announcements(at(request()), at(request(made("p")))), ["announce.proposes"]);
  assert.deepEqual(announcements(at(request(made("p"))), at(request(made("p")))), []);
  assert.deepEqual(announcements(at(request(made("p"))), at(request(made("q")))), [
    "announce.proposes",
  ]);
  assert.deepEqual(announcements(at(request(made("p"))), at(request())), []);
});

test("the palette offers what waits first, and slash commands to who may write", () => {
  const { place } = pageAt("/w/w1/c/a", { channels: [channel("a"), channel("b", { waiting: 1 })] });
  const said = [];
  const app = {
    store: place.store,
    place,
    questions: {},
    layout: {},
    talk: { slash: (name) => said.push(name) },
    composer: { set: (text) => said.push(text) },
    page: {
      agents: [],
      urls: {},
      commands: [
        { name: "help", words: "Help", argument: "" },
        { name: "load", words: "Load", argument: "[name]" },
      ],
    },
  };
  const entries = paletteEntries(app);
  assert.equal(entries[0].badge, "ASK");
  for (const words of ["/help", "/load"]) entries.find((each) => each.words === words).run();
  assert.deepEqual(said, ["help", "/load "]);
  place.store.state.value = {
    ...place.store.state.value,
    channels: [channel("a", { role: "viewer" })],
  };
  assert.equal(
    paletteEntries(app).some((each) => each.words === "/help"),
    false,
  );
});

test("a sign that nothing can follow says so; a word that nothing fits closes the menu", async () => {
  const shown = [];
  const told = async (holds) => {
    while (!shown.some(holds)) await new Promise(setImmediate);
  };
  const completer = new Completer(
    async () => [],
    (menu) => shown.push(menu?.options),
    0,
  );
  completer.look("§", () => []);
  await told((options) => options?.length === 0);
  shown.length = 0;
  completer.look("§zz", () => []);
  await told((options) => options === undefined);
  assert.ok(shown.every((options) => options === undefined));
});

/** What the palette offers, from the state of the page. */

import { nameOf } from "maia/lib/conversation";
import { t } from "maia/lib/i18n";

/** @typedef {import("maia/components/frame/maia-app").MaiaApp} App */

/**
 * @param {App} app
 * @returns {import("maia/components/frame/maia-palette").Entry[]}
 */
export function paletteEntries(app) {
  const channels = app.store.state.value.channels ?? [];
  return [
    ...waitingEntries(app, channels),
    ...channelEntries(app, channels),
    ...agentEntries(app),
    ...actionEntries(app),
    ...slashEntries(app),
  ];
}

/** @param {App} app @param {import("maia/frames").ChannelInfo[]} channels */
function waitingEntries(app, channels) {
  return channels
    .filter((each) => each.waiting)
    .map((each) => ({
      group: t("palette.waiting"),
      sign: "ask",
      badge: "ASK",
      words: t("palette.answer", { name: nameOf(each) }),
      run: () => app.go(each.id),
    }));
}

/** @param {App} app @param {import("maia/frames").ChannelInfo[]} channels */
function channelEntries(app, channels) {
  const recent = [...channels].sort((a, b) => (a.lastActivity < b.lastActivity ? 1 : -1));
  return recent.map((each) => ({
    group: t("channels"),
    words: each.direct || each.name,
    about: aboutChannel(app, each),
    sign: "hash",
    agent: each.direct,
    run: () => app.go(each.id),
  }));
}

/** @param {App} app @param {import("maia/frames").ChannelInfo} channel */
function aboutChannel(app, { direct, workspace }) {
  const elsewhere = app.place.workspaces.find(
    (each) => each.id === workspace && each.id !== app.place.workspaceId.value,
  );
  return [t(direct ? "palette.direct" : "palette.channel"), elsewhere?.name]
    .filter(Boolean)
    .join(" · ");
}

/** @param {App} app */
function agentEntries(app) {
  return app.page.agents.map((agent) => ({
    group: t("agents"),
    words: `@${agent.name}`,
    about: agent.title || t("palette.agent"),
    agent: agent.name,
    run: () => app.openDirect(agent.name),
  }));
}

/** @param {App} app */
function actionEntries(app) {
  const { page, place, questions } = app;
  const { info, channel } = place;
  const ctrl = t("key.ctrl");
  const named = info && !info.direct && info.role !== "viewer";
  const entries = [
    channel?.busy && ["stop", t("stop.answer"), "Esc", () => app.talk.stop()],
    place.workspace?.role !== "viewer" && ["plus", t("channel.new"), "", () => app.newChannel()],
    named && ["users", t("invite"), "", () => questions.invite()],
    named && ["pencil", t("channel.rename"), "", () => questions.rename()],
    info && ["info", t("info"), "", () => questions.about()],
    ["folder", t("palette.files"), `${ctrl} 1`, () => app.showTab("files")],
    ["terminal", t("palette.terminal"), `${ctrl} 2`, () => app.showTab("terminal")],
    ["todo", t("palette.todos"), `${ctrl} 3`, () => app.showTab("todos")],
    ["diff", t("palette.changes"), `${ctrl} 4`, () => app.showTab("changes")],
    ["panel", t("panel.side"), `${ctrl} J`, () => app.layout.togglePanel()],
    ["moon", t("theme.change"), `${ctrl} ${t("key.shift")} L`, () => app.toggleTheme()],
    ["command", t("shortcuts"), "?", () => app.showHelp()],
    page.urls.account && ["gear", t("settings"), "", () => location.assign(page.urls.account)],
  ];
  return entries.filter(Boolean).map((entry) => {
    const [sign, words, keys, run] = /** @type {[string, string, string, () => void]} */ (entry);
    return { group: t("palette.actions"), sign, words, keys, run };
  });
}

/**
 * The slash commands: those with an argument are put into the composer, the others run.
 * @param {App} app
 */
function slashEntries(app) {
  const { place, talk, page } = app;
  if (!place.info || place.info.role === "viewer") return [];
  return (page.commands ?? []).map(({ name, words, argument }) => ({
    group: t("palette.commands"),
    words: `/${name}`,
    about: words,
    sign: "prompt",
    run: () => (argument ? app.composer?.set(`/${name} `) : talk.slash(name)),
  }));
}

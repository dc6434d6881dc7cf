/** What the palette offers, from the state of the page. */

import { t } from "maia/lib/i18n";

/**
 * @param {any} app the page's element
 * @returns {import("maia/components/maia-palette").Entry[]}
 */
export function paletteEntries(app) {
  const channels = app.store.state.value.channels ?? [];
  return [...waitingEntries(app, channels), ...channelEntries(app, channels), ...agentEntries(app), ...actionEntries(app)];
}

/** @param {any} app @param {import("maia/frames").ChannelInfo[]} channels */
function waitingEntries(app, channels) {
  return channels.filter((each) => each.waiting).map((each) => ({
    group: t("palette.waiting"), sign: "ask", badge: "ASK", words: t("palette.answer", { name: each.direct || `#${each.name}` }), run: () => app.go(each.id),
  }));
}

/** @param {any} app @param {import("maia/frames").ChannelInfo[]} channels */
function channelEntries(app, channels) {
  const recent = [...channels].sort((a, b) => (a.lastActivity < b.lastActivity ? 1 : -1));
  return recent.map((each) => ({
    group: t("channels"), words: each.direct || each.name, about: aboutChannel(app, each), sign: "hash", agent: each.direct, run: () => app.go(each.id),
  }));
}

/** @param {any} app @param {import("maia/frames").ChannelInfo} channel */
function aboutChannel(app, { direct, workspace }) {
  const elsewhere = app.page.workspaces.find((/** @type {any} */ each) => each.id === workspace && each.id !== app.workspace?.id);
  return [t(direct ? "palette.direct" : "palette.channel"), elsewhere?.name].filter(Boolean).join(" · ");
}

/** @param {any} app */
function agentEntries(app) {
  return app.page.agents.map((/** @type {import("maia/page").Agent} */ agent) => ({
    group: t("agents"), words: `@${agent.name}`, about: agent.title || t("palette.agent"), agent: agent.name, run: () => app._direct(agent.name),
  }));
}

/** @param {any} app */
function actionEntries(app) {
  const { info, channel, page } = app;
  const ctrl = t("key.ctrl");
  const named = info && !info.direct && info.role !== "viewer";
  const entries = [
    channel?.busy && ["stop", t("stop.answer"), "Esc", () => app.stop()],
    app.workspace?.role !== "viewer" && ["plus", t("channel.new"), "", () => app.newChannel()],
    named && ["users", t("invite"), "", () => app.invite()],
    named && ["pencil", t("channel.rename"), "", () => app.rename()],
    ["folder", t("palette.files"), `${ctrl} 1`, () => app.showTab("files")],
    ["terminal", t("palette.terminal"), `${ctrl} 2`, () => app.showTab("terminal")],
    ["todo", t("palette.todos"), `${ctrl} 3`, () => app.showTab("todos")],
    ["diff", t("palette.changes"), `${ctrl} 4`, () => app.showTab("changes")],
    ["panel", t("panel.side"), `${ctrl} J`, () => app.togglePanel()],
    ["moon", t("theme.change"), `${ctrl} ${t("key.shift")} L`, () => app.toggleTheme()],
    ["command", t("shortcuts"), "?", () => app.help()],
    page.urls.account && ["gear", t("settings"), "", () => location.assign(page.urls.account)],
  ];
  return entries.filter(Boolean).map((entry) => {
    const [sign, words, keys, run] = /** @type {[string, string, string, () => void]} */ (entry);
    return { group: t("palette.actions"), sign, words, keys, run };
  });
}

/** Events: what the components tell, and what the page does about it. */

import { submitForm } from "maia/page";

/**
 * @param {import("maia/components/frame/maia-app").MaiaApp} app
 * @returns {Record<string, (event: CustomEvent) => void>}
 */
export function eventsOf(app) {
  return { ...moves(app), ...conversation(app), ...messages(app), ...surroundings(app) };
}

/**
 * Going somewhere.
 * @param {import("maia/components/frame/maia-app").MaiaApp} app
 * @returns {Record<string, (event: CustomEvent) => void>}
 */
function moves(app) {
  return {
    "maia-go": ({ detail }) => app.go(detail.channel),
    "maia-direct": ({ detail }) => app.openDirect(detail.agent),
    "maia-workspace": ({ detail }) => app.place.switch(detail.id),
    "maia-palette": () => app.showPalette(),
    "maia-close": () => app.closeSides(),
    "maia-side": () => app.openSide(),
    "maia-panel": () => app.layout.togglePanel(),
    "maia-panel-tab": ({ detail }) => app.layout.chooseTab(detail.tab),
    "maia-panel-close": () => app.closeSides(),
    "maia-open-file": ({ detail }) => app.openFile(detail.path, detail.line ?? null),
  };
}

/**
 * The conversation itself.
 * @param {import("maia/components/frame/maia-app").MaiaApp} app
 * @returns {Record<string, (event: CustomEvent) => void>}
 */
function conversation(app) {
  const { questions, store, place, talk } = app;
  return {
    "maia-new-channel": () => app.newChannel(),
    "maia-rename": () => questions.rename(),
    "maia-clear": () => questions.clear(),
    "maia-delete": () => questions.remove(),
    "maia-invite": () => questions.invite(),
    "maia-info": () => questions.about(),
    "maia-remove-member": ({ detail }) =>
      talk.command("channel:remove-member", {
        channel: place.channelId.value,
        agent: detail.agent,
      }),
    "maia-read": ({ detail }) =>
      store
        .command("channel:read", { channel: place.channelId.value, position: detail.position })
        .catch(() => undefined),
  };
}

/**
 * What is said.
 * @param {import("maia/components/frame/maia-app").MaiaApp} app
 * @returns {Record<string, (event: CustomEvent) => void>}
 */
function messages(app) {
  const { talk, store, place } = app;
  return {
    "maia-send": ({ detail }) => talk.say(detail.text),
    "maia-attach": ({ detail }) => talk.attach(detail.text),
    "maia-slash": ({ detail }) => talk.slash(detail.name),
    "maia-command": ({ detail }) => talk.say(detail.text),
    "maia-confirm": ({ detail }) =>
      app.dialog.show({
        title: detail.title,
        text: detail.text,
        action: detail.action,
        danger: true,
        submit: async () => {
          talk.say(detail.command);
          detail.done?.();
        },
      }),
    "maia-stop": () => talk.stop(),
    "maia-resume": ({ detail }) =>
      talk.command("turn:resume", { channel: place.channelId.value, message: detail.message.id }),
    "maia-queued-remove": ({ detail }) => talk.takeBack(detail.message, false),
    "maia-queued-edit": ({ detail }) => talk.takeBack(detail.message, true),
    "maia-outbox-again": ({ detail }) => store.outbox.again(detail.clientRef),
    "maia-outbox-remove": ({ detail }) => store.outbox.retire(detail.clientRef),
    "maia-copy": ({ detail }) => talk.copy(detail.text),
    "maia-quote": ({ detail }) => talk.quote(detail.text),
  };
}

/**
 * The page around it.
 * @param {import("maia/components/frame/maia-app").MaiaApp} app
 * @returns {Record<string, (event: CustomEvent) => void>}
 */
function surroundings(app) {
  return {
    "maia-theme": () => app.toggleTheme(),
    "maia-language": ({ detail }) =>
      submitForm(app.page.urls.language, { language: detail.language, next: location.pathname }),
    "maia-retry": () => app.store.socket.reconnect(),
  };
}

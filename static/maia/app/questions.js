/** Questions: the dialogs about a conversation, and the commands that follow from their answers. */

import { html } from "lit";
import { infoView, readInfo, readPeople } from "maia/app/info";
import { shortcuts } from "maia/app/shortcuts";
import { nameOf } from "maia/lib/conversation";
import { waitingLines } from "maia/lib/dom";
import { t } from "maia/lib/i18n";

/** @typedef {import("maia/components/frame/maia-dialog").MaiaDialog} Dialog */

const NAME = 64;
const DESCRIPTION = 200;

export class Questions {
  /**
   * @param {object} parts
   * @param {import("maia/page").Page} parts.page
   * @param {import("maia/store").Store} parts.store
   * @param {import("maia/app/place").Place} parts.place
   * @param {() => Dialog} parts.dialog
   */
  constructor({ page, store, place, dialog }) {
    this.page = page;
    this.store = store;
    this.place = place;
    this.dialog = dialog;
  }

  /** Makes a channel and opens it. */
  async newChannel() {
    const answer = await this.dialog().show({
      title: t("channel.new"),
      action: t("create"),
      fields: [
        ...nameFields("", ""),
        { name: "members", label: t("agents"), choices: this.page.agents.map(choice) },
      ],
      submit: async (values) => {
        const { name, description, members } = values;
        values.result = await this.store.command("channel:create", {
          workspace: this.place.workspaceId.value,
          name,
          description,
          members,
        });
      },
    });
    return /** @type {string | undefined} */ (answer?.result?.channel);
  }

  rename() {
    const { info } = this.place;
    if (!info || info.direct) return undefined;
    return this.dialog().show({
      title: t("channel.rename"),
      action: t("save"),
      fields: nameFields(info.name, info.description),
      submit: ({ name, description }) =>
        this.store.command("channel:rename", { channel: info.id, name, description }),
    });
  }

  clear() {
    return this.#destroy("channel:clear", (name) => ({
      title: t("clear.title", { name }),
      text: t("clear.text"),
      action: t("clear.do"),
    }));
  }

  remove() {
    return this.#destroy("channel:delete", (name) => ({
      title: t("delete.title", { name }),
      text: t("delete.text"),
      action: t("delete.do"),
    }));
  }

  /**
   * @param {string} command
   * @param {(name: string) => {title: string, text: string, action: string}} words
   */
  #destroy(command, words) {
    const { info } = this.place;
    return (
      info &&
      this.dialog().show({
        ...words(nameOf(info)),
        danger: true,
        submit: () => this.store.command(command, { channel: info.id }),
      })
    );
  }

  invite() {
    const { info } = this.place;
    if (!info || info.direct) return undefined;
    const choices = this.page.agents.filter(({ name }) => !info.members.includes(name)).map(choice);
    if (!choices.length) return this.dialog().show({ title: t("invite"), text: t("invite.none") });
    return this.dialog().show({
      title: t("invite"),
      action: t("invite.do"),
      fields: [{ name: "agent", label: t("agents"), choices, many: false, required: true }],
      submit: ({ agent }) => this.store.command("channel:add-member", { channel: info.id, agent }),
    });
  }

  /**
   * Asks what happens to the messages that wait; returns undefined when the answer shall go on.
   * @param {number} n
   */
  async dropQueued(n) {
    const answer = await this.dialog().show({
      title: t("stop.title"),
      text: t("stop.queued", { n }),
      action: t("stop.drop", { n }),
      danger: true,
      others: [{ words: t("stop.keep"), value: "keep" }],
    });
    return answer && { keepQueued: answer.answer === "keep" };
  }

  /** Closes the question that is open, unanswered. */
  close() {
    this.dialog().close();
  }

  /**
   * Tells who is here, what each agent has in mind, what agents find here, and what of it is
   * broken.
   */
  async about() {
    const { info, channel } = this.place;
    if (!info) return;
    const dialog = this.dialog();
    const closed = dialog.show({
      title: t("info.title", { name: nameOf(info) }),
      content: waitingLines(),
    });
    let open = true;
    closed.finally(() => {
      open = false;
    });
    /** @param {Awaited<ReturnType<typeof readInfo>>} read */
    const show = (read) => {
      const more = async () => ({ ...read, ...(await readPeople(info.workspace, read.people)) });
      const morePeople = read.more ? () => attempt(more()) : undefined;
      if (open) dialog.fill(infoView({ info, agents: this.page.agents, ...read, morePeople }));
    };
    /** @param {ReturnType<typeof readInfo>} reading */
    const attempt = async (reading) => {
      try {
        show(await reading);
      } catch (error) {
        const words = /** @type {Error} */ (error).message;
        if (open) dialog.fill(html`<p class="error-text" role="alert">${words}</p>`);
      }
    };
    await attempt(readInfo(info, channel?.people ?? []));
    await closed;
  }

  /**
   * The list of shortcuts, and which of two keys sends.
   * @param {() => void} changed after another choice
   */
  help(changed) {
    return this.dialog().show({ title: t("shortcuts"), content: shortcuts(changed) });
  }
}

/**
 * @param {string} name
 * @param {string} description
 * @returns {import("maia/components/frame/maia-dialog").Field[]}
 */
function nameFields(name, description) {
  return [
    { name: "name", label: t("field.name"), value: name, required: true, max: NAME },
    { name: "description", label: t("field.description"), value: description, max: DESCRIPTION },
  ];
}

/** @param {import("maia/page").Agent} agent */
function choice({ name, title }) {
  return { name, about: title };
}

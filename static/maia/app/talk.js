/** Talk: what a person does in the open conversation: say, stop, take back, copy, quote. */

import { call } from "maia/lib/api";
import { sentenceOf } from "maia/lib/errors";
import { t } from "maia/lib/i18n";
import { signal } from "signals";

const EXIT = /^\/exit\s*$/i;

export class Talk {
  /** Whether the stop was sent and the answer has not ended yet. */
  stopping = signal(false);
  /** Whether the person is being asked what happens to the messages that wait. */
  #asking = false;

  /**
   * @param {object} parts
   * @param {import("maia/store").Store} parts.store
   * @param {import("maia/app/place").Place} parts.place
   * @param {import("maia/app/questions").Questions} parts.questions
   * @param {() => import("maia/components/conversation/maia-timeline").MaiaTimeline | null}
   *   parts.timeline
   * @param {() => import("maia/components/conversation/maia-composer").MaiaComposer | null}
   *   parts.composer
   * @param {(toast: import("maia/components/frame/maia-toasts").Toast) => void} parts.toast
   */
  constructor({ store, place, questions, timeline, composer, toast }) {
    this.store = store;
    this.place = place;
    this.questions = questions;
    this.timeline = timeline;
    this.composer = composer;
    this.toast = toast;
  }

  /** @param {string} text */
  say(text) {
    this.timeline()?.pin();
    this.store.say(this.place.channelId.value, text);
    if (EXIT.test(text)) this.place.leave();
  }

  /** Makes a file of what is too long for a message, and names it there. @param {string} text */
  async attach(text) {
    const path = `pasted-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.txt`;
    const workspace = encodeURIComponent(this.place.workspaceId.value);
    try {
      await call("PUT", `/api/workspaces/${workspace}/file`, {
        query: { path },
        body: { text, create: true },
      });
      this.composer()?.set(`@${path} `);
    } catch (error) {
      this.failed(error);
    }
  }

  /** Carries out a command of the composer that stands alone. @param {string} name */
  slash(name) {
    if (name === "stop") this.stop();
    else if (name === "invite") this.questions.invite();
    else this.say(`/${name}`);
  }

  /**
   * Carries out a command; says so if it is refused.
   * @param {string} type
   * @param {Record<string, any>} fields
   */
  async command(type, fields) {
    try {
      return await this.store.command(type, fields);
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  /** @param {unknown} error */
  failed(error) {
    this.toast({ level: "fail", words: sentenceOf(error) });
  }

  /** Opens the direct conversation with an agent. @param {string} agent */
  async direct(agent) {
    const known = this.place.channels?.find((each) => each.direct === agent);
    if (known) return known.id;
    const made = await this.command("channel:direct", {
      workspace: this.place.workspaceId.value,
      agent,
    });
    return /** @type {string | undefined} */ (made?.channel);
  }

  /** Stops the answer; asks first if that drops queued messages. */
  async stop() {
    const { channel } = this.place;
    if (!channel?.busy || channel.info.role === "viewer" || this.stopping.value) return;
    this.#asking = channel.queued > 0;
    const chosen = channel.queued
      ? await this.questions.dropQueued(channel.queued)
      : { keepQueued: false };
    this.#asking = false;
    if (!chosen) return;
    this.stopping.value = true;
    await this.command("channel:cancel", { channel: channel.info.id, ...chosen });
    this.stopping.value = false;
  }

  /** Everything has ended: there is nothing to stop any more, nor to ask about it. */
  ended() {
    this.stopping.value = false;
    if (this.#asking) this.questions.close();
  }

  /**
   * Takes a queued message back, to edit it or for good.
   * @param {import("maia/frames").Message} message
   * @param {boolean} edit
   */
  async takeBack(message, edit) {
    const result = await this.command("message:remove", {
      channel: this.place.channelId.value,
      message: message.id,
    });
    if (!result) return;
    if (edit) this.composer()?.set(result.text ?? "");
    else this.composer()?.focus();
  }

  /** @param {string} text */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.toast({ level: "ok", words: t("copied") });
    } catch {
      this.toast({ level: "fail", words: t("copy.failed") });
    }
  }

  /** @param {string} text */
  quote(text) {
    const composer = this.composer();
    const quoted = text
      .trim()
      .split("\n")
      .map((line) => `> ${line}`)
      .join("\n");
    composer?.set(`${quoted}\n\n${composer.field?.value ?? ""}`);
  }
}

/** Offers: what the composer and the palette complete: agents, commands, and what the server knows. */
import { call } from "maia/lib/api";
import { t } from "maia/lib/i18n";

/** The commands of the composer that the page carries out itself. */
const SLASH = ["stop", "invite"];

export class Offers {
  /** @param {{page: import("maia/page").Page, place: import("maia/app/place").Place}} parts */
  constructor({ page, place }) {
    this.page = page;
    this.place = place;
  }

  /** Agents that can be named, those that are here first. */
  get agents() {
    const { info } = this.place;
    const members = info?.direct ? [info.direct] : (info?.members ?? []);
    return this.page.agents
      .map(({ name, title }) => ({ name, title, member: members.includes(name) }))
      .sort((a, b) => Number(b.member) - Number(a.member));
  }

  /** The slash commands of this conversation. */
  get commands() {
    const direct = Boolean(this.place.info?.direct);
    const here = SLASH.filter((name) => !direct || name !== "invite").map((name) => ({
      name,
      words: t(`slash.${name}`),
    }));
    return [...(this.page.commands ?? []), ...here];
  }

  /**
   * What the server offers after a sign.
   * @param {string} kind
   * @param {string} prefix
   * @param {AbortSignal} signal
   * @returns {Promise<import("maia/lib/completion").Option[]>}
   */
  complete = async (kind, prefix, signal) =>
    (
      await call("GET", `/api/channels/${this.place.channelId.value}/complete`, {
        query: { kind, prefix },
        signal,
      })
    ).options;

  /**
   * Returns the paths of the files whose names fit.
   * @param {string} query
   * @param {AbortSignal} signal
   */
  async files(query, signal) {
    const options = await this.complete("$", query, signal);
    return options.filter(({ kind }) => kind === "file").map(({ label }) => label);
  }
}

/** <maia-banners>: the connection and the release, under the top bar. Emits `maia-retry`. */
import { html, nothing } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";

const LOST_AFTER = 2_000;
const BACK_FOR = 3_000;

export class MaiaBanners extends MaiaElement {
  static properties = {
    connection: { attribute: false },
    caughtUp: { attribute: false },
    away: { attribute: false },
    newRelease: { attribute: false },
    signIn: { attribute: false },
  };

  constructor() {
    super();
    /** @type {import("maia/socket").Connection} */
    this.connection = { state: "connecting", since: 0, retryAt: 0 };
    /** @type {{events: number, at: number} | undefined} */
    this.caughtUp = undefined;
    /** @type {string[]} what the server cannot reach now */
    this.away = [];
    this.newRelease = false;
    this.signIn = "";
    this._told = false;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this._timer);
  }

  updated() {
    clearTimeout(this._timer);
    const soon =
      this.connection.state !== "online" ||
      (this.caughtUp && Date.now() - this.caughtUp.at < BACK_FOR);
    if (soon) this._timer = setTimeout(() => this.requestUpdate(), 500);
  }

  render() {
    return html`<div class="banners" role="status">${this._connection()}${
      this.away.includes("redis") ? this._late() : nothing
    }${this.newRelease ? this._release() : nothing}</div>`;
  }

  _connection() {
    const { state, since, retryAt } = this.connection;
    if (state === "signed-out") return this._signedOut();
    if (state === "online") return this._back();
    if (Date.now() - since < LOST_AFTER) return nothing;
    this._told = true;
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1_000));
    const words =
      state === "waiting" && seconds ? t("offline.retry", { n: seconds }) : t("offline.trying");
    return html`<div class="banner">${icon("offline", "i-s")}<span>${words}</span><span
      class="grow"></span><button class="btn s quiet"
        @click=${() => this.tell("maia-retry")}>${t("offline.now")}</button></div>`;
  }

  _back() {
    if (!this._told) return nothing;
    if (!this.caughtUp || Date.now() - this.caughtUp.at >= BACK_FOR) {
      this._told = false;
      return nothing;
    }
    const { events } = this.caughtUp;
    return html`<div class="banner ok">${icon("check", "i-s")}<span>${
      events ? t("online.events", { n: events }) : t("online")
    }</span></div>`;
  }

  _signedOut() {
    const address = `${this.signIn}?next=${encodeURIComponent(location.pathname)}`;
    return html`<div class="banner fail">${icon("lock", "i-s")}<span>${t("signedOut")}</span><span
      class="grow"></span><a href=${address}>${t("signIn")}</a></div>`;
  }

  _late() {
    return html`<div class="banner">${icon("offline", "i-s")}<span>${t("away.redis")}</span></div>`;
  }

  _release() {
    return html`<div
      class="banner info">${icon("restart", "i-s")}<span>${t("release.new")}</span><span
        class="grow"></span><button class="btn s quiet"
          @click=${() => location.reload()}>${t("release.reload")}</button></div>`;
  }
}

customElements.define("maia-banners", MaiaBanners);

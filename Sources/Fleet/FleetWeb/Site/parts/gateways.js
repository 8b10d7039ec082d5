/** The health of gateways, as all pages show it. */
import "../texts/dispatch.js";

/** The records that may wait in a gateway before it counts as behind. */
const many = 1000;

/** The hours without a request after which a gateway counts as silent. */
const longest = 24;

/** @typedef {"revoked" | "behind" | "silent" | "healthy"} Health */

/**
 * Whether a gateway is revoked, has many records that wait, or has sent nothing for a day.
 * @param {any} gateway
 * @returns {Health}
 */
export function healthOf(gateway) {
  if (gateway.revokedAt) return "revoked";
  if ((gateway.spoolDepth ?? 0) > many) return "behind";
  const seen = gateway.lastSeen ?? gateway.addedAt;
  return seen && (Date.now() - Date.parse(seen)) / 3_600_000 <= longest ? "healthy" : "silent";
}

/** @type {Record<Health, { shape: import("./icons.js").Shape, tone?: string, text: import("../texts.js").Key }>} */
export const healthLooks = {
  revoked: { shape: "danger", text: "gateways.revoked" }, behind: { shape: "idle", text: "gateway.behind" },
  silent: { shape: "silent", text: "gateway.quiet" }, healthy: { shape: "good", tone: "moving", text: "gateway.healthy" },
};

/** Names and units of the signals that are shown most. */
import { t } from "../../texts.js";

/** @type {[string, string, number][]} Name, unit, and digits after the point. */
export const signals = [
  ["speed", "km/h", 0], ["rpm", "rpm", 0], ["fuelLevel", "%", 0], ["coolantTemp", "°C", 0], ["engineLoad", "%", 0],
  ["throttlePosition", "%", 0], ["intakeAirTemp", "°C", 0], ["batteryVoltage", "V", 1], ["controlModuleVoltage", "V", 1], ["fuelRate", "L/h", 1],
  ["maf", "g/s", 1], ["odometer", "km", 0], ["gpsSpeed", "km/h", 0], ["altitude", "m", 0], ["satellites", "", 0],
];

/**
 * The name of a signal as people say it.
 * @param {string} name
 * @param {string} [standard] the name in SAE J1979-DA
 */
export function signalName(name, standard) {
  const key = "signal." + name;
  const text = t(key);
  return text === key ? standard ?? name.replace(/([A-Z])/g, " $1").toLowerCase() : text;
}

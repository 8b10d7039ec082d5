/** Texts of the page of the whole fleet. */
import { addTexts } from "../texts.js";

addTexts({
  "overview.title": ["Fleet", "Fuhrpark"],
  "overview.figures": ["Figures", "Kennzahlen"],
  "overview.overdue": ["Overdue services", "Überfällige Services"],
  "overview.unsafe": ["Unsafe defects", "Verkehrsunsichere Mängel"],
  "overview.silent": ["Silent gateways", "Stille Gateways"],
  "overview.silentHelp": ["for a day or longer", "seit einem Tag oder länger"],
  "overview.dueSoon": ["{count} due soon", "{count} bald fällig"],
  "overview.vehicles": ["vehicles: {count}", "Fahrzeuge: {count}"],
  "overview.inactive": ["{count} inactive", "{count} stillgelegt"],
  "overview.free": ["{count} available", "{count} verfügbar"],
  "overview.assignments": ["Active assignments", "Aktive Zuteilungen"],
  "overview.noAssignment": ["No vehicle is assigned now", "Zurzeit ist kein Fahrzeug zugeteilt"],
  "overview.open": ["without end", "ohne Ende"],
  "overview.later": ["begins later", "beginnt später"],
  "overview.empty": ["No vehicle yet", "Noch kein Fahrzeug"],
  "overview.emptyHelp": ["A vehicle appears as soon as its gateway sends its first record. You can also add or import vehicles.", "Ein Fahrzeug erscheint, sobald sein Gateway den ersten Datensatz sendet. Sie können Fahrzeuge auch hinzufügen oder importieren."],
});

/** Texts of photos of vehicles, and of values that are read from photos. */
import { addTexts } from "../texts.js";

addTexts({
  "photoReading.vin": ["Read it from a photo", "Von einem Foto lesen"],
  "photoReading.odometer": ["Read it from a photo", "Von einem Foto lesen"],
  "photoReading.sending": ["The photo is being sent …", "Das Foto wird übertragen …"],
  "photoReading.working": ["The photo is being read …", "Das Foto wird gelesen …"],
  "photoReading.shows": ["Read from the photo", "Vom Foto gelesen"],
  "photoReading.image": ["The photo. The frame is around the value.", "Das Foto. Der Rahmen umgibt den Wert."],
  "photoReading.compare": ["Compare it with the photo before you use it.", "Vergleichen Sie es mit dem Foto, bevor Sie es übernehmen."],
  "photoReading.unsure": ["It may be wrong in some places. Compare each character with the photo.", "Einzelne Stellen können falsch sein. Vergleichen Sie jedes Zeichen mit dem Foto."],
  "photoReading.noUnit": ["The photo shows no unit: {unit} is assumed.", "Das Foto zeigt keine Einheit: {unit} wird angenommen."],
  "photoReading.use": ["Use this value", "Wert übernehmen"],
  "photoReading.discard": ["Do not use it", "Nicht übernehmen"],
  "photoReading.none.vin": ["No VIN can be read reliably. Take the photo from nearer, straight, and without glare, or type the VIN.", "Keine FIN ist sicher lesbar. Näher, gerade und ohne Spiegelung fotografieren oder die FIN eintippen."],
  "photoReading.none.odometer": ["No odometer can be read reliably. Take the photo from nearer, straight, and without glare, or type the value.", "Kein Kilometerstand ist sicher lesbar. Näher, gerade und ohne Spiegelung fotografieren oder den Wert eintippen."],
  "photoReading.offline": ["A photo is read by the server, and there is no connection to it. Type the value.", "Fotos liest der Server, und zu ihm besteht keine Verbindung. Bitte den Wert eintippen."],
  "photoReading.unavailable": ["The server cannot read photos now. Type the value.", "Der Server kann zurzeit keine Fotos lesen. Bitte den Wert eintippen."],
  "photoReading.unusable": ["This file is not a photo that can be read.", "Diese Datei ist kein lesbares Foto."],
});

/** Texts of the calendar of assignments. */
import { addTexts } from "../texts.js";

addTexts({
  "calendar.week": ["{from} to {to}", "{from} bis {to}"],
  "calendar.before": ["The week before", "Woche davor"],
  "calendar.after": ["The week after", "Woche danach"],
  "calendar.now": ["This week", "Diese Woche"],
  "calendar.from": ["from {time}", "ab {time}"],
  "calendar.until": ["until {time}", "bis {time}"],
  "calendar.assign": ["Assign: {name}", "Zuteilen: {name}"],
  "calendar.free": ["free", "frei"],
  "calendar.empty": ["No vehicle yet", "Noch kein Fahrzeug"],
  "calendar.used": ["Only assigned vehicles", "Nur zugeteilte Fahrzeuge"],
});

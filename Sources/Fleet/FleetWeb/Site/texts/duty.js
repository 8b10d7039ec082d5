/** Texts of the hours of service of drivers. */
import { addTexts } from "../texts.js";

addTexts({
  "duty.title": ["Hours of service", "Lenk- und Dienstzeiten"],
  "duty.empty": ["No period yet", "Noch kein Zeitraum"],
  "duty.days": ["The last 7 days", "Die letzten 7 Tage"],
  "duty.sums": ["driving {driving}, on duty {duty}", "Lenken {driving}, Dienst {duty}"],
  "duty.none": ["nothing logged", "nichts aufgezeichnet"],
  "duty.source": ["A connected program has logged these hours. They are not changed here.", "Ein verbundenes Programm hat diese Zeiten aufgezeichnet. Hier werden sie nicht geändert."],
  "duty.lasts": ["still lasts", "dauert an"],
  "duty.newest": ["Newest periods", "Letzte Zeiträume"],
  "duty.length": ["Length", "Dauer"],
  "dutyStatus.offDuty": ["Off duty", "Dienstfrei"],
  "dutyStatus.sleeperBerth": ["Rest in the vehicle", "Ruhe im Fahrzeug"],
  "dutyStatus.driving": ["Driving", "Lenken"],
  "dutyStatus.onDuty": ["On duty, not driving", "Dienst ohne Lenken"],
  "dutyStatus.yardMove": ["Movement in a yard", "Fahrt auf dem Hof"],
  "dutyStatus.personalConveyance": ["Private use", "Private Nutzung"],
  "dutyStatus.waitingTime": ["Waiting", "Wartezeit"],
});

import FleetDomain
import FleetWork

/// The texts of notifications, in the language of the person who is notified.
public enum EventText {
  /// Returns the text of an event, without line breaks.
  ///
  /// - Parameters:
  ///   - driver: the name of the driver whom the event concerns; `nil` if unknown.
  ///   - isDayOver: whether the event's day was over when the event was added.
  ///   - locale: the language and region of the person who is notified; `nil` if unknown.
  public static func text(of event: FleetEvent, driver: String?, isDayOver: Bool, locale: String?) -> String {
    switch MailText.Language(locale: locale) {
    case .english: english(event, driver, isDayOver)
    case .german: german(event, driver, isDayOver)
    }
  }

  private static func english(_ event: FleetEvent, _ driver: String?, _ isDayOver: Bool) -> String {
    let (driver, vehicle) = (driver ?? "an unknown driver", event.vehicleID ?? "an unknown vehicle")
    let (item, day) = (event.item.map { ": \($0)" } ?? "", event.day?.text ?? "an unknown day")
    let valid = isDayOver ? "was valid until" : "is valid until"
    let due = event.day.map { " (\($0.text))" } ?? ""
    return switch event.event {
    case .journeyNeedsReview: "A journey of \(driver) with \(vehicle) needs a review."
    case .journeyIncident: "\(driver) reported an incident with \(vehicle)\(item)"
    case .journeyStarted: "\(driver) started a journey with \(vehicle)."
    case .journeyCompleted: "\(driver) completed a journey with \(vehicle)."
    case .inspectionDefects: "An inspection of \(vehicle) by \(driver) found defects\(item)"
    case .documentExpiring: "A document of \(event.vehicleID ?? driver) \(valid) \(day)\(item)"
    case .licenceExpiring: "The driving licence of \(driver) \(valid) \(day)."
    case .assignmentMade: "\(vehicle) is assigned to \(driver)."
    case .assignmentEnded: "The assignment of \(vehicle) to \(driver) has ended."
    case .troubleCodeFound: "\(vehicle) reports a trouble code\(item)"
    case .defectOpened: "A defect of \(vehicle) was reported\(item)"
    case .defectUnsafe: "\(vehicle) is unsafe\(item)"
    case .serviceDueSoon: "A service of \(vehicle) is due soon\(due)\(item)"
    case .serviceOverdue: "A service of \(vehicle) is overdue\(due)\(item)"
    case .maintenanceStarted: "Maintenance of \(vehicle) has started\(item)"
    case .maintenanceCompleted: "Maintenance of \(vehicle) is completed\(item)"
    case .vehicleRetired: "\(vehicle) was retired."
    case .vehicleReactivated: "\(vehicle) is in use again."
    case .fuelDrop: "The fuel level of \(vehicle) fell while it was parked\(item)"
    case .meterSuspicious: "A meter reading of \(vehicle) contradicts the previous ones\(item)"
    case .vehicleSilent: "\(vehicle) has sent no data for a day."
    case .vehicleBack: "\(vehicle) sends data again."
    case .tripEnded: "\(vehicle) has ended a trip\(item)"
    case .geofenceEntered: "\(vehicle) has entered a geofence\(item)"
    case .geofenceExited: "\(vehicle) has left a geofence\(item)"
    case .geofenceDwelled: "\(vehicle) stays in a geofence\(item)"
    case .drivingEvent: "\(vehicle) reports a driving event\(item)"
    case .webhookDisabled: "A webhook was switched off\(item)"
    }
  }

  private static func german(_ event: FleetEvent, _ driver: String?, _ isDayOver: Bool) -> String {
    let (driver, vehicle) = (driver ?? "unbekannt", event.vehicleID ?? "unbekannt")
    let (item, day) = (event.item.map { ": \($0)" } ?? "", event.day?.text ?? "unbekannt")
    let valid = isDayOver ? "galt bis" : "gilt bis"
    let due = event.day.map { " (\($0.text))" } ?? ""
    return switch event.event {
    case .journeyNeedsReview: "Eine Fahrt von \(driver) mit \(vehicle) ist zu prüfen."
    case .journeyIncident: "\(driver) meldet einen Vorfall mit \(vehicle)\(item)"
    case .journeyStarted: "\(driver) hat eine Fahrt mit \(vehicle) begonnen."
    case .journeyCompleted: "\(driver) hat eine Fahrt mit \(vehicle) beendet."
    case .inspectionDefects: "Eine Kontrolle von \(vehicle) durch \(driver) fand Mängel\(item)"
    case .documentExpiring: "Ein Dokument von \(event.vehicleID ?? driver) \(valid) \(day)\(item)"
    case .licenceExpiring: "Der Führerschein von \(driver) \(valid) \(day)."
    case .assignmentMade: "\(vehicle) ist \(driver) zugewiesen."
    case .assignmentEnded: "Die Zuweisung von \(vehicle) an \(driver) ist beendet."
    case .troubleCodeFound: "\(vehicle) meldet einen Fehlercode\(item)"
    case .defectOpened: "Ein Mangel an \(vehicle) wurde gemeldet\(item)"
    case .defectUnsafe: "\(vehicle) ist nicht verkehrssicher\(item)"
    case .serviceDueSoon: "Ein Service von \(vehicle) ist bald fällig\(due)\(item)"
    case .serviceOverdue: "Ein Service von \(vehicle) ist überfällig\(due)\(item)"
    case .maintenanceStarted: "Die Wartung von \(vehicle) hat begonnen\(item)"
    case .maintenanceCompleted: "Die Wartung von \(vehicle) ist abgeschlossen\(item)"
    case .vehicleRetired: "\(vehicle) wurde ausgemustert."
    case .vehicleReactivated: "\(vehicle) ist wieder in Betrieb."
    case .fuelDrop: "Der Tankinhalt von \(vehicle) fiel, während es parkte\(item)"
    case .meterSuspicious: "Ein Zählerstand von \(vehicle) widerspricht den früheren\(item)"
    case .vehicleSilent: "\(vehicle) sendet seit einem Tag keine Daten."
    case .vehicleBack: "\(vehicle) sendet wieder Daten."
    case .tripEnded: "\(vehicle) hat eine Strecke beendet\(item)"
    case .geofenceEntered: "\(vehicle) ist in ein Gebiet gefahren\(item)"
    case .geofenceExited: "\(vehicle) hat ein Gebiet verlassen\(item)"
    case .geofenceDwelled: "\(vehicle) steht in einem Gebiet\(item)"
    case .drivingEvent: "\(vehicle) meldet ein Fahrereignis\(item)"
    case .webhookDisabled: "Ein Webhook wurde abgeschaltet\(item)"
    }
  }
}

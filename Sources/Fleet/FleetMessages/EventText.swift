import FleetDomain
import FleetWork

/// The text of a notification, in the language of the person.
public enum EventText {
  /// Returns the text of an event in one line.
  ///
  /// - Parameters:
  ///   - driver: the name of the event's driver; `nil` if it has none.
  ///   - locale: language and region of the person; `nil` if unknown.
  public static func text(of event: FleetEvent, driver: String?, locale: String?) -> String {
    switch MailText.Language(locale: locale) {
    case .english: english(event, driver)
    case .german: german(event, driver)
    }
  }

  private static func english(_ event: FleetEvent, _ driver: String?) -> String {
    let (driver, vehicle) = (driver ?? "an unknown driver", event.vehicleID ?? "an unknown vehicle")
    let (item, day) = (event.item.map { ": \($0)" } ?? "", event.day?.text ?? "an unknown day")
    return switch event.event {
    case .journeyNeedsReview: "A journey of \(driver) with \(vehicle) needs a review."
    case .journeyIncident: "\(driver) reported an incident with \(vehicle)\(item)"
    case .inspectionDefects: "An inspection of \(vehicle) by \(driver) found defects\(item)"
    case .documentExpiring: "A document of \(event.vehicleID ?? driver) is valid until \(day)\(item)"
    case .licenceExpiring: "The driving licence of \(driver) is valid until \(day)."
    }
  }

  private static func german(_ event: FleetEvent, _ driver: String?) -> String {
    let (driver, vehicle) = (driver ?? "unbekannt", event.vehicleID ?? "unbekannt")
    let (item, day) = (event.item.map { ": \($0)" } ?? "", event.day?.text ?? "unbekannt")
    return switch event.event {
    case .journeyNeedsReview: "Eine Fahrt von \(driver) mit \(vehicle) ist zu prüfen."
    case .journeyIncident: "\(driver) meldet einen Vorfall mit \(vehicle)\(item)"
    case .inspectionDefects: "Eine Kontrolle von \(vehicle) durch \(driver) fand Mängel\(item)"
    case .documentExpiring: "Ein Dokument von \(event.vehicleID ?? driver) gilt bis \(day)\(item)"
    case .licenceExpiring: "Der Führerschein von \(driver) gilt bis \(day)."
    }
  }
}

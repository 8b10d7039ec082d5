import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

/// An event that a gateway's record reports: a geofence event, a driving event, or the end of a trip.
struct RecordEvent: Sendable {
  /// The age from which an event is no longer reported to people, because it is too late to be of use, in s.
  private static let longestDelay = 86_400

  let event: FleetEvent.Event
  let vehicle: String
  let at: Timestamp
  let item: String?
  /// The start of the trip that the event ends; for another event, its time.
  private let since: Timestamp

  /// Creates the event that a record reports; `nil` if the record reports no such event, or has no credible time.
  init?(_ record: StoredRecord) {
    guard !record.isTimeAhead, let time = record.time else { return nil }
    (vehicle, at) = (record.vehicle, time)
    since = min(EndedTrip(record)?.from ?? time, time)
    switch record.recordClass {
    case .known(.geofence):
      guard let json = try? JSON(parsing: record.body) else { return nil }
      switch json["event"]?.textValue {
      case "enter": event = .geofenceEntered
      case "exit": event = .geofenceExited
      case "dwell": event = .geofenceDwelled
      default: return nil
      }
      item = Self.shown(json["fenceName"] ?? json["fenceId"])
    case .known(.driving):
      event = .drivingEvent
      item = Self.shown((try? JSON(parsing: record.body))?["event"])
    case .known(.trip):
      guard let trip = EndedTrip(record) else { return nil }
      event = .tripEnded
      item = trip.distance.map { "\(Double(Int64(($0 * 10).rounded())) / 10) km" }
    default: return nil
    }
  }

  private static func shown(_ json: JSON?) -> String? {
    guard let text = json?.textValue, (1...200).contains(text.utf8.count), NameRules.isVisible(text) else { return nil }
    return text
  }

  /// Adds the event to the tenant's events, unless it is too old or happened during a private journey. The end
  /// of a trip is left out if a part of the trip was private.
  func apply(to transaction: any FleetTransaction) throws(ThingError) {
    guard at > transaction.now.adding(seconds: -Self.longestDelay),
      let known = try transaction.vehicle(named: vehicle), known.value.id == vehicle
    else { return }
    guard try !transaction.isPrivate(vehicle, from: since, through: at) else { return }
    var new = FleetEvent(event, Vehicle.self, known.id)
    (new.vehicleID, new.item, new.at) = (vehicle, item, at)
    try transaction.emit(new)
  }
}

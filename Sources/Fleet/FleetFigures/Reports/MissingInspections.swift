import FleetDomain
import FleetWork
import Telemetry

/// Finds the inspection reports that a tenant requires (``TenantSettings/requiresInspections``) and that are missing.
///
/// A vehicle needs one report on each day on which a journey starts, made before the first of these starts or at it. It
/// needs another one on each day on which a journey ends, made at the last of these ends or after it.
public struct MissingInspections: Sendable {
  /// An inspection report that is required.
  public struct Requirement: Sendable {
    /// The first journey that starts on the day, or the last one that ends on it.
    public let journey: Journey
    public let occasion: Inspection.Occasion
    public let isMissing: Bool
  }

  private struct Key: Hashable {
    let vehicle: String
    let occasion: Inspection.Occasion
    let day: CalendarDate
  }

  /// The times of the signed reports. The keys are the vehicle's id, and the occasion of the inspection.
  private var times: [String: [Inspection.Occasion: [Timestamp]]] = [:]
  /// The journeys that determine when reports are required, with the time of their start or end.
  private var journeys: [Key: (journey: Journey, time: Timestamp, zone: ZoneRules)] = [:]

  public init() {}

  public mutating func add(_ report: Inspection) {
    times[report.vehicle, default: [:]][report.occasion, default: []].append(report.at)
  }

  /// Adds a journey. A journey that has not ended needs no report of its end yet.
  ///
  /// - Parameter zone: the time zone in which the days of the vehicle begin.
  public mutating func add(_ journey: Journey, in zone: ZoneRules) {
    func require(_ occasion: Inspection.Occasion, at time: Timestamp, _ isDecisive: (Timestamp) -> Bool) {
      let key = Key(vehicle: journey.vehicle, occasion: occasion, day: zone.day(of: time))
      if journeys[key].map({ isDecisive($0.time) }) ?? true { journeys[key] = (journey, time, zone) }
    }
    if let start = journey.startTime { require(.preTrip, at: start) { start < $0 } }
    if let end = journey.endTime { require(.postTrip, at: end) { end > $0 } }
  }

  /// The reports that the journeys require, in no particular order.
  public var requirements: [Requirement] {
    journeys.map { key, decisive in
      let hasReport = (times[key.vehicle]?[key.occasion] ?? []).contains { time in
        let isInOrder = key.occasion == .preTrip ? time <= decisive.time : time >= decisive.time
        return isInOrder && decisive.zone.day(of: time) == key.day
      }
      return Requirement(journey: decisive.journey, occasion: key.occasion, isMissing: !hasReport)
    }
  }
}

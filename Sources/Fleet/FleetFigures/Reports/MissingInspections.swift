import FleetDomain
import FleetWork
import Telemetry

/// Finds journeys without the inspection reports that a tenant requires (``TenantSettings/requiresInspections``): one
/// report on the day on which the journey starts, made before the start or at the start, and one report on the day on
/// which the journey ends, made at the end or after it.
public struct MissingInspections: Sendable {
  /// The times of the signed reports. The keys are the vehicle's id, and the occasion of the inspection.
  private var times: [String: [Inspection.Occasion: [Timestamp]]] = [:]

  public init() {}

  public mutating func add(_ report: Inspection) {
    times[report.vehicle, default: [:]][report.occasion, default: []].append(report.at)
  }

  /// Returns how many reports a journey needs: one if it has started, and a second one if it has ended.
  public static func required(of journey: Journey) -> Int {
    [journey.startTime, journey.endTime].compactMap { $0 }.count
  }

  /// Returns how many of the two reports of a journey are missing. A journey that has not ended needs no report of its
  /// end yet.
  public func missing(of journey: Journey, in zone: ZoneRules) -> Int {
    func has(_ occasion: Inspection.Occasion, _ time: Timestamp, _ isInOrder: (Timestamp) -> Bool) -> Bool {
      (times[journey.vehicle]?[occasion] ?? []).contains { isInOrder($0) && zone.day(of: $0) == zone.day(of: time) }
    }
    var missing = 0
    if let start = journey.startTime, !has(.preTrip, start, { $0 <= start }) { missing += 1 }
    if let end = journey.endTime, !has(.postTrip, end, { $0 >= end }) { missing += 1 }
    return missing
  }
}

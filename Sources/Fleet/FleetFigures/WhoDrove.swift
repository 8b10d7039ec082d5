import FleetDomain
import FleetWork
import Telemetry

/// Who drove a vehicle at a time, from the journeys and the assignments of the vehicle.
public struct WhoDrove: Sendable {
  /// The driver; `nil` if nothing shows who drove.
  public let driver: UUIDv7?
  /// The journeys that were in progress at the time, in the order of their starts.
  public let journeys: [Stored<Journey>]
  /// The assignments whose periods contain the time.
  public let assignments: [Stored<Assignment>]

  /// Finds the driver. A journey takes precedence over an assignment. Of several journeys, the one that began last
  /// takes precedence. An assignment to another driver takes precedence over a journey that only its driver has
  /// declared.
  ///
  /// - Parameters:
  ///   - journeys: journeys of the vehicle, in any order.
  ///   - assignments: assignments of the vehicle.
  public init(at time: Timestamp, journeys: [Stored<Journey>], assignments: [Stored<Assignment>]) {
    let journeys = journeys.filter { journey in
      guard journey.value.status != .cancelled, let start = journey.value.startTime else { return false }
      return start <= time && journey.value.endTime.map { time < $0 } ?? true
    }.sorted { left, right in
      (left.value.startTime?.milliseconds ?? 0, left.id.high, left.id.low) < (
        right.value.startTime?.milliseconds ?? 0, right.id.high, right.id.low
      )
    }
    let assignments = assignments.filter { $0.value.contains(time) }
    let trusted = journeys.last { journey in
      journey.value.isConfirmed || assignments.contains { $0.value.driver == journey.value.driverID }
    }
    driver = trusted?.value.driverID ?? assignments.first?.value.driver ?? journeys.last?.value.driverID
    (self.journeys, self.assignments) = (journeys, assignments)
  }
}

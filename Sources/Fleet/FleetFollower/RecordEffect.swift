import FleetDomain
import FleetFigures
import FleetWork
import Telemetry
import TroubleCodes

/// An effect of a record on the things of the tenant.
enum RecordEffect: Sendable {
  case report(TroubleReport)
  case trip(EndedTrip, vehicle: String)
  case attribution(Attribution)
  case drop(ParkedDrop)
  case event(RecordEvent)
  case reading(Meter, Double, EndedTrip, vehicle: String)
  /// Sets the estimated reading of a meter, computed from its last reading (`after`). The estimate is `nil` if no trips
  /// were added to the last reading.
  case estimate(Meter, Meter.Point?, after: Meter.Point, vehicle: String)

  /// The vehicle whose meter the effect changes; `nil` if it changes no meter.
  var meteredVehicle: String? {
    switch self {
    case .report, .trip, .attribution, .drop, .event: nil
    case .reading(_, _, _, let vehicle), .estimate(_, _, _, let vehicle): vehicle
    }
  }

  /// Applies the effect in a transaction.
  ///
  /// - Parameter wanted: the types of events that at least one rule or webhook contains. Other events are not added.
  func apply(
    to transaction: any FleetTransaction, _ catalog: TroubleCodeCatalog, _ wanted: Set<FleetEvent.Event>
  ) throws(ThingError) {
    switch self {
    case .report(let report):
      try transaction.apply(report) { code in
        CodeName(parsing: code).map { catalog.describe($0.number) } ?? "trouble code \(code)"
      }
    case .attribution(let attribution): try transaction.attribute(attribution)
    case .event(let event): if wanted.contains(event.event) { try event.apply(to: transaction) }
    case .drop(let drop): try drop.apply(to: transaction)
    case .trip(let trip, let vehicle):
      try transaction.countTrip(from: trip.from, to: trip.to, vehicle: vehicle)
      try transaction.requestFuelChecks(
        ofVehicle: vehicle, from: trip.from, to: trip.to, within: Int(TankRise.reach))
    case .reading(let meter, let value, let trip, let vehicle):
      // The vehicle may have been removed since the turn was prepared.
      guard try transaction.vehicle(named: vehicle)?.value.id == vehicle else { return }
      try transaction.addGatewayReading(of: meter, value, at: trip.to, vehicle: vehicle, record: trip.id)
    case .estimate(let meter, let point, let last, let vehicle):
      try transaction.set(point, of: meter, vehicle: vehicle, after: last)
    }
  }
}

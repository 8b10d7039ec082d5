import FleetAccess
import FleetDomain
import FleetWork
import Telemetry

/// Decides which things a caller sees with their amounts of money.
///
/// The amounts of all kinds are costs: what a vehicle, a service or a fuel entry has cost. Callers who may not read
/// costs see the things without the amounts. Drivers see the amounts of their own entries.
struct CostAccess: Sendable {
  private let reach: Reach

  init(_ identity: Identity) { reach = Reach(of: identity.requester, to: .read, .costs) }

  /// Whether the caller sees all things with their amounts.
  var isEverything: Bool { reach.isEverything }

  /// Whether the caller sees the amounts of a thing that the caller may read.
  ///
  /// - Parameter own: the drivers that are linked to the caller's account.
  func maySee<Value: Kind>(_ value: Value, own: Set<UUIDv7>) -> Bool {
    let work = value as? any WorkThing
    if let driver = work?.driverID, own.contains(driver) { return true }
    // The thing is in the caller's scope already, because the caller may read it. The scope for costs is the same.
    return reach.contains(Relation(fleets: reach.fleets ?? [], isOfVehicle: work.map { $0.vehicleID != nil } ?? true))
  }
}

extension JSON {
  /// The value without amounts of money (``FleetDomain/Money``) in it; `nil` if it is such an amount.
  var withoutMoney: JSON? {
    switch self {
    case .object(let members):
      if members.count == 2, members["amount"] != nil, members["currency"] != nil { return nil }
      return .object(members.compactMapValues(\.withoutMoney))
    case .array(let elements): return .array(elements.compactMap(\.withoutMoney))
    default: return self
    }
  }
}

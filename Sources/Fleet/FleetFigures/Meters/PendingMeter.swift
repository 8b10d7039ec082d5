import FleetDomain
import FleetWork
import Telemetry

/// Meters whose readings are still to be judged again after a change that affects many of them, for example a
/// replacement that was entered late.
///
/// A request judges only a few readings, because in SQLite all other tenants wait for its transaction. A stored marker
/// (``FleetDomain/FollowedFeed``) contains the creation time, ms, of the first reading that remains. It exists while
/// readings remain.
public enum PendingMeter {
  private static let prefix = "meter "

  static func name(of meter: Meter, vehicle: String) -> String { "\(prefix)\(meter.rawValue) \(vehicle)" }

  /// Returns the meter and the vehicle's id that the name of a marker contains; `nil` if the name is not valid.
  fileprivate static func parse(_ name: String) -> (meter: Meter, vehicle: String)? {
    let parts = name.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let meter = Meter(rawValue: String(parts[1])) else { return nil }
    return (meter, String(parts[2]))
  }

  /// The conditions that select markers: their names begin with "meter" and a space. In ASCII, `!` is the next
  /// character after the space, so all these names are below `meter!`.
  public static let conditions: [ThingQuery<FollowedFeed>.Condition] = [
    .atLeast(key: "name", .text(prefix)), .below(key: "name", .text("meter!")),
  ]
}

extension FleetView {
  /// Returns the marker of a meter; `nil` if none of the meter's readings are still to be judged.
  func pendingMeter(_ meter: Meter, vehicle: String) throws(ThingError) -> Stored<FollowedFeed>? {
    try first(
      ThingQuery<FollowedFeed>(.oneOf(key: "name", [.text(PendingMeter.name(of: meter, vehicle: vehicle))])))
  }
}

extension FleetTransaction {
  /// Marks the readings of a meter that were created since a time as still to be judged.
  ///
  /// - Parameters:
  ///   - position: the time, ms.
  ///   - pending: the present marker, whose position is later; `nil` if there is none.
  func markPending(
    _ meter: Meter, vehicle: String, from position: Int64, _ pending: Stored<FollowedFeed>?
  ) throws(ThingError) {
    var wanted = FollowedFeed()
    (wanted.name, wanted.position) = (PendingMeter.name(of: meter, vehicle: vehicle), position)
    if let pending {
      try update(pending, to: wanted, action: "begin")
    } else {
      try insert(wanted)
    }
  }

  /// Judges some of the pending readings of the meter that has waited longest.
  ///
  /// - Returns: `false` if no readings are pending.
  @discardableResult
  public func judgePendingMeter() throws(ThingError) -> Bool {
    var query = ThingQuery<FollowedFeed>(order: [.init("updatedAt")])
    query.conditions = PendingMeter.conditions
    guard let marker = try first(query) else { return false }
    guard let (meter, vehicle) = PendingMeter.parse(marker.value.name) else {
      try remove(marker, action: "finish")
      return true
    }
    let late = try lateReplacements(of: meter, vehicle: vehicle)
    let start = Meter.Place(first: Timestamp(limiting: marker.value.position))
    let base = try lastUsed(before: start, of: meter, vehicle: vehicle, late)
    var chain = MeterChain(meter, vehicle: vehicle, from: start, late, after: base, changed: nil, former: nil)
    let rest = try judge(&chain, from: start, late, until: nil, stopsWhenSettled: false)
    if let rest {
      var advanced = marker.value
      advanced.position = rest
      try update(marker, to: advanced, action: "advance")
    } else {
      try remove(marker, action: "finish")
      try updateMeter(meter, ofVehicle: vehicle, evaluatesServices: true)
    }
    return true
  }
}

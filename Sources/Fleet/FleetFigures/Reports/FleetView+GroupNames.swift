import FleetDomain
import FleetWork
import Telemetry

extension FleetView {
  /// Adds the member `name` to the rows of a report that is grouped by driver or by fleet: the name of the row's driver
  /// or fleet. Drivers and fleets that no longer exist have no name.
  ///
  /// Names are read when a report is read, so a stored report contains no names of people who were erased.
  public func named(_ rows: [JSON], of report: Report) throws(ThingError) -> [JSON] {
    let ids = rows.compactMap { $0["group"].flatMap { try? UUIDv7(json: $0) } }
    let found: [UUIDv7: String] =
      switch report.groupBy {
      case .driver: try names(of: ids) { (driver: Driver) in driver.name }
      case .fleet: try names(of: ids) { (fleet: Fleet) in fleet.name }
      case .vehicle, .day, .week, .month: [:]
      }
    guard !found.isEmpty else { return rows }
    return rows.map { row in
      guard case .object(var members) = row, let id = members["group"].flatMap({ try? UUIDv7(json: $0) }) else {
        return row
      }
      members["name"] = found[id].map { .text($0) }
      return .object(members)
    }
  }

  private func names<Value: Kind>(
    of ids: [UUIDv7], _ name: (Value) -> String
  ) throws(ThingError) -> [UUIDv7: String] {
    var names: [UUIDv7: String] = [:]
    for start in stride(from: 0, to: ids.count, by: 500) {
      let some = ids[start..<min(start + 500, ids.count)].map(\.json)
      for thing in try list(ThingQuery<Value>(.oneOf(key: "id", some), limit: 500)).items {
        names[thing.id] = name(thing.value)
      }
    }
    return names
  }
}

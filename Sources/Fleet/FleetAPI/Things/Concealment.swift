import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

/// Removes from things of one kind the values that would show when other people were on private journeys. A time in
/// such a journey is replaced by the start of its day. Values that come from records in such a journey are left out.
struct Concealment<Value: Kind>: Sendable {
  /// Returns the vehicle of a thing, and the periods of the records from which the thing's values come; `nil` if none
  /// of these values comes from records.
  let spans: @Sendable (Stored<Value>) -> (vehicle: String, spans: [ClosedRange<Timestamp>])?
  /// Returns the thing without the times and values that its caller may not see.
  ///
  /// - Parameter shown: returns a time as the caller may see it.
  let conceal: @Sendable (Stored<Value>, HiddenTimes, _ shown: (Timestamp) -> Timestamp) -> Stored<Value>

  /// Returns things as a caller sees them.
  func concealed(
    _ items: [Stored<Value>], from identity: Identity?, _ view: any FleetView
  ) throws(ThingError) -> [Stored<Value>] {
    let found = items.map(spans)
    guard let identity else { return items }
    let hidden = try Self.hiddenTimes(found.compactMap { $0 }, from: identity, view)
    if hidden.isEmpty { return items }
    var concealed = items
    for (index, item) in found.enumerated() {
      guard let item,
        item.spans.contains(where: { hidden.overlaps(from: $0.lowerBound, through: $0.upperBound, of: item.vehicle) })
      else { continue }
      let zone = try view.zone(ofVehicle: item.vehicle)
      concealed[index] = conceal(items[index], hidden) { hidden.shown($0, of: item.vehicle, in: zone) }
    }
    return concealed
  }

  /// Returns the hidden times that may contain some of the periods. Recent periods are looked up separately, so that an
  /// old one does not make the journeys of all vehicles since then be read.
  private static func hiddenTimes(
    _ found: [(vehicle: String, spans: [ClosedRange<Timestamp>])], from identity: Identity, _ view: any FleetView
  ) throws(ThingError) -> HiddenTimes {
    let all = found.flatMap { item in item.spans.map { (vehicle: item.vehicle, span: $0) } }
    guard let last = all.map(\.span.upperBound).max() else { return HiddenTimes([]) }
    let recent = last.adding(seconds: -7 * 86_400)
    var windows: [VehicleWindow] = []
    for part in [all.filter { $0.span.lowerBound >= recent }, all.filter { $0.span.lowerBound < recent }] {
      guard let first = part.map(\.span.lowerBound).min(), let last = part.map(\.span.upperBound).max() else {
        continue
      }
      let hidden = try identity.hiddenTimes(
        of: Set(part.map(\.vehicle)), from: first, to: last.adding(seconds: 1), view)
      windows += hidden.windows
    }
    return HiddenTimes(windows)
  }
}

extension Concealment<MeterReading> {
  /// Conceals when a gateway or a journey read a meter. The reading itself stays visible, because maintenance needs it.
  static var ofReadings: Concealment {
    Concealment(
      spans: { stored in
        let reading = stored.value
        let isDriven = [.gateway, .journey].contains(reading.source)
        let times =
          (isDriven ? [reading.at, stored.createdAt, stored.updatedAt] : [])
          + [reading.comparison?.previousAt].compactMap { $0 }
        return (reading.vehicle, times.map { $0...$0 })
      },
      conceal: { stored, _, shown in
        var reading = stored.value
        let isDriven = [.gateway, .journey].contains(reading.source)
        if isDriven { reading.at = shown(reading.at) }
        if let comparison = reading.comparison { reading.comparison?.previousAt = shown(comparison.previousAt) }
        return isDriven ? stored.replaced(by: reading, shown) : stored.replaced(by: reading) { $0 }
      })
  }
}

extension Concealment<Defect> {
  /// Conceals when a trouble code was reported. The defect itself stays visible, because the vehicle must be safe.
  static var ofDefects: Concealment {
    Concealment(
      spans: { stored in
        let defect = stored.value
        guard defect.source == .dtc else { return nil }
        let times = [stored.createdAt, stored.updatedAt] + [defect.countedUntil].compactMap { $0 }
        return (
          defect.vehicle, times.map { $0...$0 } + defect.reports.map { min($0.since, $0.at)...max($0.since, $0.at) }
        )
      },
      conceal: { stored, hidden, shown in
        var defect = stored.value
        // The freeze frame contains values of the moment at which the code was stored.
        if defect.reports.contains(where: { hidden.overlaps(from: $0.since, through: $0.at, of: defect.vehicle) }) {
          defect.freezeFrame = nil
        }
        for index in defect.reports.indices {
          defect.reports[index].since = shown(defect.reports[index].since)
          defect.reports[index].at = shown(defect.reports[index].at)
        }
        defect.countedUntil = defect.countedUntil.map(shown)
        return stored.replaced(by: defect, shown)
      })
  }
}

extension Concealment<FuelEntry> {
  /// Leaves out the stored comparison of a fuel entry with the level of the tank if it may depend on records of hidden
  /// times. The route that returns the comparison computes it again without these records.
  static var ofFuelEntries: Concealment {
    Concealment(
      spans: { stored in
        guard stored.value.check != nil else { return nil }
        let reach = Int(TankRise.reach)
        let time = stored.value.at
        return (stored.value.vehicle, [time.adding(seconds: -reach)...time.adding(seconds: reach)])
      },
      conceal: { stored, _, _ in
        var entry = stored.value
        entry.check = nil
        return stored.replaced(by: entry) { $0 }
      })
  }
}

extension Concealment<Vehicle> {
  /// Conceals when the vehicle was last driven.
  static var ofVehicles: Concealment {
    Concealment(
      spans: { stored in
        let vehicle = stored.value
        let times = [vehicle.lastRecordAt, vehicle.odometerAt, vehicle.engineHoursAt].compactMap { $0 }
        return (vehicle.id, times.map { $0...$0 })
      },
      conceal: { stored, _, shown in
        var vehicle = stored.value
        vehicle.lastRecordAt = vehicle.lastRecordAt.map(shown)
        vehicle.odometerAt = vehicle.odometerAt.map(shown)
        vehicle.engineHoursAt = vehicle.engineHoursAt.map(shown)
        return stored.replaced(by: vehicle) { $0 }
      })
  }
}

extension Stored {
  /// Returns the same thing with another value, and with the times of its creation and its last change as a caller may
  /// see them.
  fileprivate func replaced(by value: Value, _ shown: (Timestamp) -> Timestamp) -> Stored {
    Stored(id: id, version: version, createdAt: shown(createdAt), updatedAt: shown(updatedAt), value: value)
  }
}

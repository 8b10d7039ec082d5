import FleetDomain
import Telemetry

/// Functions for the newest records that a caller may see.
extension StoreSession {
  /// The limits for one search: the number of rows that are read at a time (`step`), and in total (`rows`, `bytes`).
  private var searched: (step: Int, rows: Int, bytes: Int) { (100, 10_000, 4 << 20) }

  /// Returns the newest selected record of each group (``NewestRecord/Part``) of a vehicle's records. Older records are
  /// searched only if the newest record of a group is not selected. Groups without a selected record are left out.
  ///
  /// - Parameters:
  ///   - groups: the groups that are returned; `nil` for all.
  ///   - key: the key of the store's cursors.
  func newest(
    of vehicle: VehicleRow, among groups: Set<NewestRecord.Part>? = nil, within selected: SelectedVehicles,
    tenant: Int32, key: CursorKey
  ) throws(StoreFailure) -> [(part: NewestRecord.Part, row: FoundRow)] {
    let newest = try newest(of: vehicle.key, tenant: tenant).filter { groups?.contains($0.part) ?? true }
    let missing = Set(newest.filter { !selected.contains($0.row) }.map(\.part))
    var found: [NewestRecord.Part: FoundRow] = [:]
    for (number, parts) in Dictionary(grouping: missing, by: \.rowClass) {
      guard let recordClass = RecordClass(number: number) else { continue }
      found.merge(try search(Set(parts), recordClass, of: vehicle, selected, tenant: tenant, key: key)) { $1 }
    }
    return newest.compactMap { item in
      missing.contains(item.part) ? found[item.part].map { (item.part, $0) } : item
    }
  }

  /// Reads a vehicle's selected records of one class, the newest first, until each group has one.
  private func search(
    _ parts: Set<NewestRecord.Part>, _ recordClass: RecordClass, of vehicle: VehicleRow,
    _ selected: SelectedVehicles, tenant: Int32, key: CursorKey
  ) throws(StoreFailure) -> [NewestRecord.Part: FoundRow] {
    let needsBodies = recordClass.hasECUs || parts.contains(.position)
    var query = RecordQuery(
      vehicle: vehicle.id, classes: [recordClass], order: .newestFirst, limit: needsBodies ? searched.step : 1)
    var found: [NewestRecord.Part: FoundRow] = [:]
    var (rowsLeft, bytesLeft) = (searched.rows, searched.bytes)
    repeat {
      let page = try RecordPage(query, tenant: tenant, vehicle: vehicle.key, key: key)
      let (rows, next) = try self.page(page, of: selected, tenant: tenant)
      // A record whose time is not credible is never the newest one.
      for row in rows where row.quality != .ahead {
        bytesLeft -= row.body.count
        for part in Self.parts(of: row.body, recordClass.number, hasECUs: recordClass.hasECUs)
        where parts.contains(part) && found[part] == nil {
          found[part] = row
        }
      }
      rowsLeft -= max(rows.count, 1)
      query.cursor = next
    } while found.count < parts.count && query.cursor != nil && rowsLeft > 0 && bytesLeft > 0
    return found
  }
}

import FleetDomain
import Telemetry

/// The vehicles of a ``FleetDomain/VehicleSelection``, identified by their keys in the database.
struct SelectedVehicles {
  /// Vehicles that are selected for all times.
  var whole: Set<Int32> = []
  /// Vehicles that are selected only for some times, in ms. The ranges of a vehicle do not overlap.
  var ranges: [Int32: [Range<Int64>]] = [:]
  /// Whether every vehicle that is not in ``ranges`` is selected for all times.
  var isOpen = false
  /// The periods in which gateways' own records (``GatewayRows``) are attributed to the selected vehicles. The keys are
  /// the keys of the gateways' rows. Only pages that read one list for each vehicle use these periods.
  var attributed: [Int32: [AttributedTimes]] = [:]

  var isEmpty: Bool { whole.isEmpty && ranges.isEmpty && !isOpen }

  /// Whether a row is selected.
  func contains(_ row: FoundRow) -> Bool {
    let vehicle = row.attributedTo ?? row.vehicle
    if let own = ranges[vehicle] { return own.contains { $0.contains(row.time) } }
    return isOpen || whole.contains(vehicle)
  }

  /// Removes from the selection the vehicle's records with times in these windows, and its records without a time.
  fileprivate mutating func remove(_ windows: [VehicleWindow], of vehicle: Int32) {
    guard !windows.isEmpty, ranges[vehicle] != nil || isOpen || whole.contains(vehicle) else { return }
    var left = ranges[vehicle] ?? [Int64.min..<Int64.max]
    let undated = StoredTime.undated..<(StoredTime.undated + 1)
    for hidden in [undated] + windows.map({ StoredTime.bound($0.from)..<($0.to.map(StoredTime.bound) ?? .max) }) {
      left = left.flatMap { range in
        [
          range.lowerBound..<max(min(range.upperBound, hidden.lowerBound), range.lowerBound),
          min(max(range.lowerBound, hidden.upperBound), range.upperBound)..<range.upperBound,
        ]
      }.filter { !$0.isEmpty }
    }
    whole.remove(vehicle)
    ranges[vehicle] = left
  }

  /// Returns the selected times of a vehicle.
  fileprivate func times(of vehicle: Int32) -> [Range<Int64>] {
    ranges[vehicle] ?? (isOpen || whole.contains(vehicle) ? [Int64.min..<Int64.max] : [])
  }

  /// Selects a period of time for a vehicle.
  fileprivate mutating func add(_ window: VehicleWindow, of vehicle: Int32) {
    let from = StoredTime.bound(window.from)
    let to = window.to.map(StoredTime.bound) ?? .max
    guard from < to, !whole.contains(vehicle) else { return }
    ranges[vehicle, default: []].append(from..<to)
  }

  /// Combines ranges that overlap or touch.
  fileprivate mutating func join() {
    ranges = ranges.mapValues { ranges in
      var joined: [Range<Int64>] = []
      for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = joined.last, range.lowerBound <= last.upperBound {
          joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
          joined.append(range)
        }
      }
      return joined
    }
  }
}

/// Functions that read lists of selected records.
extension StoreSession {
  /// Maximum number of lists that one call reads; each list has one vehicle and one class. If more lists would be
  /// needed, the list of all vehicles is read and filtered instead.
  private var mostLists: Int { 96 }
  /// Limits for filtering the list of all vehicles: the number of rows that are read at a time (`step`), and the
  /// approximate number that one call reads (`most`).
  private var scannedRows: (step: Int, most: Int) { (256, 4_096) }

  /// Returns the vehicles and times whose records a query needs; `nil` if it needs all records that are stored for its
  /// vehicle or its gateway, and no others.
  ///
  /// - Parameter vehicle: the vehicle of the query, or the row of its gateway; `nil` for all vehicles.
  func selected(
    _ query: RecordQuery, of vehicle: VehicleRow?, tenant: Int32
  ) throws(StoreFailure) -> SelectedVehicles? {
    if query.gateway != nil { return nil }
    let keys: Set<Int32>
    var selected = SelectedVehicles()
    if let vehicle {
      keys = [vehicle.key]
    } else {
      selected = try self.selected(query.selection, of: nil, tenant: tenant)
      guard hasLists(selected, query) else { return selected }
      keys = selected.whole.union(selected.ranges.keys)
    }
    let attributed = try attributions(
      of: keys, areGateways: false, from: RecordBound.start(query), to: RecordBound.end(query), tenant: tenant)
    if let vehicle {
      if query.selection.isAll, attributed.isEmpty { return nil }
      selected = try self.selected(query.selection, of: vehicle, tenant: tenant)
    }
    // The attributed records are visible at the times at which records of the vehicle itself are visible.
    selected.attributed = attributed.mapValues { all in
      all.flatMap { times in
        selected.times(of: times.vehicle).map { $0.clamped(to: times.range) }.filter { !$0.isEmpty }
          .map { AttributedTimes(vehicle: times.vehicle, range: $0) }
      }
    }
    return selected
  }

  /// Whether a page reads one list for each vehicle instead of the list of all vehicles.
  private func hasLists(_ selected: SelectedVehicles, _ query: RecordQuery) -> Bool {
    !selected.isOpen && selected.whole.count * query.classes.count <= mostLists
  }

  /// Returns the vehicles in a selection with the selected times.
  ///
  /// - Parameter vehicle: the only vehicle that the caller needs; `nil` for all vehicles.
  func selected(
    _ selection: VehicleSelection, of vehicle: VehicleRow?, tenant: Int32
  ) throws(StoreFailure) -> SelectedVehicles {
    var selected = SelectedVehicles()
    if selection.fleets == nil {
      if let vehicle { selected.whole = [vehicle.key] } else { selected.isOpen = true }
    }
    if let fleets = selection.fleets, !fleets.isEmpty {
      var values = [SQLValue(tenant)] + fleets.map { .identifier($0) }
      let list = (2...values.count).map { "$\($0)" }.joined(separator: ", ")
      if let vehicle { values.append(SQLValue(vehicle.key)) }
      let rows = try rows(
        """
        SELECT key FROM vehicle WHERE tenant = $1 AND fleet_id IN (\(list))\(vehicle == nil ? "" : " AND key = $\(values.count)")
        """, values)
      selected.whole = Set(rows.map { Int32($0.integer(0)) })
    }
    for (key, windows) in try keyed(selection.windows, of: vehicle, tenant: tenant) {
      for window in windows { selected.add(window, of: key) }
    }
    selected.join()
    for (key, windows) in try keyed(selection.excluded, of: vehicle, tenant: tenant) {
      selected.remove(windows, of: key)
    }
    return selected
  }

  /// Returns the windows in `windows`, grouped by the keys of their vehicles.
  ///
  /// - Parameter vehicle: the only vehicle that the caller needs; `nil` for all vehicles.
  private func keyed(
    _ windows: [VehicleWindow], of vehicle: VehicleRow?, tenant: Int32
  ) throws(StoreFailure) -> [Int32: [VehicleWindow]] {
    var byID = Dictionary(grouping: windows, by: \.vehicle)
    if let vehicle { return byID[vehicle.id].map { [vehicle.key: $0] } ?? [:] }
    var keyed: [Int32: [VehicleWindow]] = [:]
    while !byID.isEmpty {
      let ids = Array(byID.keys.prefix(500))
      let list = ids.indices.map { "$\($0 + 2)" }.joined(separator: ", ")
      let rows = try rows(
        "SELECT key, id FROM vehicle WHERE tenant = $1 AND id IN (\(list))",
        [SQLValue(tenant)] + ids.map { .text($0) })
      for row in rows { keyed[Int32(row.integer(0))] = byID[row.text(1)] }
      for id in ids { byID[id] = nil }
    }
    return keyed
  }

  /// Returns a page of the selected records, and the cursor after it. The page may be shorter than its limit although
  /// more records follow.
  func page(
    _ page: RecordPage, of selected: SelectedVehicles, tenant: Int32
  ) throws(StoreFailure) -> (rows: [FoundRow], next: String?) {
    if hasLists(selected, page.query) {
      try merged(page, selected, tenant)
    } else {
      try filtered(page, selected, tenant)
    }
  }

  /// Reads a list for each vehicle, and merges the lists. A list that begins after the end of the page is not read.
  private func merged(
    _ page: RecordPage, _ selected: SelectedVehicles, _ tenant: Int32
  ) throws(StoreFailure) -> (rows: [FoundRow], next: String?) {
    let all =
      selected.whole.map { ($0, Int64.min..<Int64.max) }
      + selected.ranges.flatMap { vehicle, ranges in ranges.map { (vehicle, $0) } }
    let foreign = selected.attributed.flatMap { gateway, all in
      all.compactMap { times in
        page.part(of: gateway, in: times.range)?.withoutOwnRecords().map { (gateway, Int32?.some(times.vehicle), $0) }
      }
    }
    let own = all.compactMap { vehicle, range in
      page.part(of: vehicle, in: range).map { (vehicle, Int32?.none, $0) }
    }
    let parts = (own + foreign).sorted { page.isBefore($0.2.edge, $1.2.edge) }
    var rows: [FoundRow] = []
    var lists = 0
    for (vehicle, attributedTo, part) in parts {
      let boundary = page.boundary(at: part.edge)
      if rows.count > page.query.limit, page.isComplete(rows[page.query.limit], at: boundary) { break }
      if lists >= mostLists, page.isProgress(boundary) { return page.page([rows], completeTo: boundary) }
      let found = try allLists(part.page, tenant: tenant, vehicle: vehicle).map { list in
        list.map { row in
          var row = row
          row.attributedTo = attributedTo
          return row
        }
      }
      rows = page.merged([rows] + found)
      rows.removeLast(max(rows.count - page.query.limit - 1, 0))
      lists += page.query.classes.count
    }
    return page.page([rows])
  }

  /// Reads the list of all vehicles, and leaves out rows that are not selected. The list also contains gateways' own
  /// records. Of these, only the records that are attributed to a selected vehicle remain.
  private func filtered(
    _ page: RecordPage, _ selected: SelectedVehicles, _ tenant: Int32
  ) throws(StoreFailure) -> (rows: [FoundRow], next: String?) {
    var rows: [FoundRow] = []
    // If all vehicles are selected, only few rows are left out: gateways' own records.
    let size = selected.isOpen ? min(page.query.limit + 16, RecordQuery.maximumLimit) : scannedRows.step
    var (step, scanned) = (page.step(after: page.cursor, limit: size), 0)
    while true {
      let (found, next) = step.page(try allLists(step, tenant: tenant, vehicle: nil))
      rows += try attributed(found, tenant: tenant).filter(selected.contains)
      scanned += found.count
      guard next != nil, rows.count <= page.query.limit, let last = found.last else { return page.page([rows]) }
      if scanned >= scannedRows.most {
        let boundary = page.boundary(at: page.query.order == .oldestFirst ? last.time : last.time + 1)
        if page.isProgress(boundary) { return page.page([rows], completeTo: boundary) }
      }
      step = page.step(after: last.cursor, limit: size)
    }
  }

  /// Returns a copy of the rows. In the copy, each gateway's own record belongs to the vehicle to which it is
  /// attributed. Gateways' own records that are attributed to no vehicle are left out. All other rows are unchanged.
  private func attributed(_ found: [FoundRow], tenant: Int32) throws(StoreFailure) -> [FoundRow] {
    let gateways = Set(try gatewayKeys(among: Set(found.map(\.vehicle))))
    guard !gateways.isEmpty else { return found }
    let times = found.compactMap { gateways.contains($0.vehicle) ? $0.time : nil }
    guard let first = times.min(), let last = times.max() else { return found }
    let attributions = try attributions(
      of: gateways, areGateways: true, from: first, to: last == .max ? .max : last + 1, tenant: tenant)
    return found.compactMap { row in
      guard gateways.contains(row.vehicle) else { return row }
      guard !Attribution.ownClasses.contains(row.recordClass),
        let times = attributions[row.vehicle]?.first(where: { $0.range.contains(row.time) })
      else { return nil }
      var row = row
      row.attributedTo = times.vehicle
      return row
    }
  }
}

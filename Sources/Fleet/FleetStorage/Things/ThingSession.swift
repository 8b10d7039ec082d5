import FleetDomain
import Telemetry

/// The things of one tenant in an open transaction.
final class ThingSession: FleetTransaction {
  let now: Timestamp
  let session: any StoreSession
  let tenant: Int32
  let actor: Actor
  /// The key of the store's cursors; `nil` if the transaction reads no lists.
  let cursorKey: CursorKey?
  /// Number and hash of the last entry in the tenant's audit. They are used only in a transaction that changes things.
  var head: (number: Int64, hash: [UInt8])
  /// The last error of the database; `nil` if there was none. It determines whether the transaction may be repeated.
  private(set) var failure: StoreFailure?
  var seals: [UUIDv7: PersonalSeal?] = [:]
  /// For each fleet whose time zone was already read, the rules of this zone. The key `nil` is for the tenant.
  private var zones: [UUIDv7?: ZoneRules] = [:]

  /// Begins a transaction that only reads.
  init(_ session: any StoreSession, tenant: Int32, cursorKey: CursorKey) {
    self.session = session
    self.tenant = tenant
    self.cursorKey = cursorKey
    actor = Actor(.nobody)
    now = StoredTime.timestamp(0)
    head = (0, AuditEntry.firstHash)
  }

  /// Begins a transaction that changes things. Waits until no other transaction changes things of the tenant.
  init(
    _ session: any StoreSession, tenant: Int32, cursorKey: CursorKey?, by actor: Actor, at now: Timestamp
  ) throws(StoreFailure) {
    self.session = session
    self.tenant = tenant
    self.cursorKey = cursorKey
    self.actor = actor
    self.now = StoredTime.timestamp(now.milliseconds)
    try session.run(
      "INSERT INTO audit_head (tenant, number, hash) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING",
      [SQLValue(tenant), .bytes(AuditEntry.firstHash)])
    let rows = try session.rows(
      "SELECT number, hash FROM audit_head WHERE tenant = $1\(session.lockingRows)", [SQLValue(tenant)])
    guard let row = rows.first else { throw StoreFailure(.damaged, "audit_head", "no row of the tenant") }
    head = (row.integer(0), row.bytes(1))
  }

  // MARK: Reading

  func find<Value: Kind>(_ id: UUIDv7, _ kind: Value.Type) throws(ThingError) -> Stored<Value>? {
    try asking { () throws(StoreFailure) in
      let rows = try session.rows(
        """
        SELECT \(ThingTable<Value>.columns) FROM \(Value.names.table)
        WHERE tenant = $1 AND \(Value.names.idColumn) = $2\(Value.names.condition.map { " AND \($0)" } ?? "")
        """, [SQLValue(tenant), .identifier(id)])
      guard let row = rows.first else { return nil }
      return try ThingTable<Value>.stored(row)
    }
  }

  func list<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> Page<Stored<Value>> {
    try asking { () throws(StoreFailure) in
      guard let cursorKey else { throw StoreFailure(.system, Value.names.many, "no lists in this transaction") }
      let list = try ThingList(query, tenant: tenant, key: cursorKey)
      do throws(StoreFailure) {
        var items: [Stored<Value>] = []
        for row in try session.rows(list.sql, list.values) { items.append(try ThingTable<Value>.stored(row)) }
        return list.page(items)
      } catch {
        guard query.leavesOutUnreadable, error.error.kind == .damaged else { throw error }
        return try readablePage(query, cursorKey)
      }
    }
  }

  /// The maximum number of unreadable rows that one page may skip.
  private static let mostUnreadable = 1_000

  /// Returns a page of the things that can be read. The page also describes the rows that cannot be read.
  private func readablePage<Value: Kind>(
    _ query: ThingQuery<Value>, _ cursorKey: CursorKey
  ) throws(StoreFailure) -> Page<Stored<Value>> {
    let list = try ThingList(query, tenant: tenant, key: cursorKey, spare: Self.mostUnreadable)
    var (items, unreadable): ([Stored<Value>], [String]) = ([], [])
    var onPage = 0
    for row in try session.rows(list.sql, list.values) {
      do throws(StoreFailure) {
        items.append(try ThingTable<Value>.stored(row))
        // Unreadable rows after the last thing of the page are named on the next page.
        if items.count == query.limit { onPage = unreadable.count }
        if items.count > query.limit { break }
      } catch {
        unreadable.append("\(error.error.place): \(error.error.detail)")
        // Too many rows are unreadable to skip them all. The next page would begin at the same row and fail, too.
        if unreadable.count > Self.mostUnreadable, items.count <= query.limit { throw error }
      }
    }
    var page = list.page(items)
    page.unreadable = items.count > query.limit ? Array(unreadable.prefix(onPage)) : unreadable
    return page
  }

  func count<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> Int64 {
    try asking { () throws(StoreFailure) in
      let list = try ThingList(counting: query, tenant: tenant)
      return try session.rows(list.sql, list.values).first?.integer(0) ?? 0
    }
  }

  func values<Value: Kind>(_ keys: [String], _ query: ThingQuery<Value>) throws(ThingError) -> [[JSON]] {
    try asking { () throws(StoreFailure) in
      let fields = keys.compactMap { key in Value.fields.first { $0.key == key } }
      guard fields.count == keys.count else {
        throw StoreFailure(.invalidQuery, Value.names.many, "expected keys of fields, found \(keys)")
      }
      let list = try ThingList(query, fields: fields, tenant: tenant)
      return try session.rows(list.sql, list.values).map { row in
        fields.indices.map { ThingTable<Value>.json(row.values[$0], fields[$0].type) }
      }
    }
  }

  func zone(_ name: String?) -> ZoneRules { ZoneFiles.machine.rules(name) }

  func zone(ofFleet fleet: UUIDv7?) throws(ThingError) -> ZoneRules {
    if let known = zones[fleet] { return known }
    let zone = try asking { () throws(StoreFailure) in
      try session.rows(
        """
        SELECT coalesce((SELECT time_zone FROM fleet WHERE tenant = $1 AND id = $2),
          (SELECT time_zone FROM tenant_settings WHERE tenant = $1))
        """, [SQLValue(tenant), fleet.map { .identifier($0) } ?? .null]
      ).first?.optionalText(0)
    }
    let rules = self.zone(zone)
    zones[fleet] = rules
    return rules
  }

  // MARK: Changing

  @discardableResult
  func insert<Value: Kind>(_ value: Value, id: UUIDv7?, action: String) throws(ThingError) -> Stored<Value> {
    let id = id ?? .random(at: now)
    forgetZones(Value.self)
    let stored = Stored(id: id, version: 1, createdAt: now, updatedAt: now, value: value)
    try asking(Value.self) { () throws(StoreFailure) in
      var columns = ["tenant", Value.names.idColumn, "version", Value.names.createdColumn, "updated"]
      columns += Value.fields.map(ThingTable<Value>.column)
      if ThingTable<Value>.hasSearch { columns.append("search") }
      let values =
        [SQLValue(tenant), .identifier(id), .integer(1), .integer(now.milliseconds), .integer(now.milliseconds)]
        + (try ThingTable.values(value))
      let parameters = (1...values.count).map { "$\($0)" }.joined(separator: ", ")
      try session.run(
        "INSERT INTO \(Value.names.table) (\(columns.joined(separator: ", "))) VALUES (\(parameters))", values)
      try write(stored, value.change(since: nil), action)
    }
    try updateFileUses(of: Value.self, id, before: [], after: value.usedFiles)
    return stored
  }

  @discardableResult
  func update<Value: Kind>(
    _ stored: Stored<Value>, to value: Value, action: String
  ) throws(ThingError) -> Stored<Value> {
    guard stored.value != value else { return stored }
    forgetZones(Value.self)
    var changed = stored
    changed.value = value
    changed.version += 1
    changed.updatedAt = now
    try asking(Value.self) { () throws(StoreFailure) in
      let fields = ThingTable<Value>.changedFields
      var columns = fields.map(ThingTable<Value>.column)
      if ThingTable<Value>.hasSearch { columns.append("search") }
      let assignments = columns.enumerated().map { "\($1) = $\($0 + 6)" }.joined(separator: ", ")
      let count = try session.run(
        """
        UPDATE \(Value.names.table) SET version = $4, updated = $5, \(assignments)
        WHERE tenant = $1 AND \(Value.names.idColumn) = $2 AND version = $3
        """,
        [
          SQLValue(tenant), .identifier(stored.id), .integer(stored.version), .integer(changed.version),
          .integer(now.milliseconds),
        ] + (try ThingTable.values(value, fields)))
      try requireOne(count, Value.self)
      try write(changed, value.change(since: stored.value), action)
    }
    try updateFileUses(of: Value.self, stored.id, before: stored.value.usedFiles, after: value.usedFiles)
    return changed
  }

  private func forgetZones<Value: Kind>(_ kind: Value.Type) {
    if kind == Fleet.self || kind == TenantSettings.self { zones = [:] }
  }

  @discardableResult
  func refresh<Value: Kind>(_ stored: Stored<Value>, to value: Value) throws(ThingError) -> Stored<Value> {
    // Store only the fields that differ, because ingestion may change other live fields at the same time.
    let fields = Value.fields.filter { $0.access == .live && $0.json(value) != $0.json(stored.value) }
    guard !fields.isEmpty else { return stored }
    var changed = stored
    try asking(Value.self) { () throws(StoreFailure) in
      let assignments = fields.enumerated().map { "\(ThingTable<Value>.column($1)) = $\($0 + 3)" }
      var values = [SQLValue(tenant), SQLValue.identifier(stored.id)]
      for field in fields { values.append(try ThingTable<Value>.sqlValue(field.json(value), field.type, field.key)) }
      let count = try session.run(
        """
        UPDATE \(Value.names.table) SET \(assignments.joined(separator: ", "))
        WHERE tenant = $1 AND \(Value.names.idColumn) = $2
        """, values)
      try requireOne(count, Value.self)
      for field in fields { changed.value = field.copied(from: value, into: changed.value) }
    }
    return changed
  }

  @discardableResult
  func touch<Value: Kind>(
    _ stored: Stored<Value>, action: String, details: [String: JSON]
  ) throws(ThingError) -> Stored<Value> {
    var changed = stored
    changed.version += 1
    changed.updatedAt = now
    try asking { () throws(StoreFailure) in
      let count = try session.run(
        """
        UPDATE \(Value.names.table) SET version = $4, updated = $5
        WHERE tenant = $1 AND \(Value.names.idColumn) = $2 AND version = $3
        """,
        [
          SQLValue(tenant), .identifier(stored.id), .integer(stored.version), .integer(changed.version),
          .integer(now.milliseconds),
        ])
      try requireOne(count, Value.self)
      try append(
        AuditEntry(
          number: head.number + 1, after: head.hash, at: now, by: actor, action: action, kind: Value.names.one,
          thing: stored.id, version: changed.version, change: ThingChange(before: [:], after: [:]), details: details),
        thing: stored.id, subject: nil)
    }
    return changed
  }

  func removeVehicle(_ vehicle: Stored<Vehicle>) throws(ThingError) {
    let key = try asking { () throws(StoreFailure) in
      try session.rows(
        "SELECT key FROM vehicle WHERE tenant = $1 AND thing = $2", [SQLValue(tenant), .identifier(vehicle.id)]
      ).first?.integer(0)
    }
    // A transaction that stores records of the vehicle at the same time fails and is repeated. The vehicle's key is
    // never used again.
    try remove(vehicle, action: "remove")
    guard let key else { return }
    try asking { () throws(StoreFailure) in
      try session.removeDerived(from: Int32(key), tenant: tenant)
    }
  }

  func remove<Value: Kind>(_ stored: Stored<Value>, action: String) throws(ThingError) {
    try asking { () throws(StoreFailure) in
      let count = try session.run(
        "DELETE FROM \(Value.names.table) WHERE tenant = $1 AND \(Value.names.idColumn) = $2 AND version = $3",
        [SQLValue(tenant), .identifier(stored.id), .integer(stored.version)])
      try requireOne(count, Value.self)
      var change = ThingChange(before: stored.value.change(since: nil).after, after: [:])
      change.before = change.before.filter { $0.value != .null }
      var removed = stored
      removed.version += 1
      try write(removed, change, action)
    }
    try updateFileUses(of: Value.self, stored.id, before: stored.value.usedFiles, after: [])
  }

  /// Updates the stored references of a thing to files.
  ///
  /// - Throws: `invalid` for a file that does not exist or is not complete.
  private func updateFileUses<Value: Kind>(
    of kind: Value.Type, _ thing: UUIDv7, before old: [UUIDv7], after new: [UUIDv7]
  ) throws(ThingError) {
    guard old != new else { return }
    let (before, after) = (Set(old), Set(new))
    for id in after.subtracting(before) {
      guard let file = try find(id, StoredFile.self), file.value.status != .uploading else {
        throw .invalid(FieldErrors([FieldError(Value.filesKey, "no complete file \(id.string)")]))
      }
      var use = FileUse()
      (use.fileID, use.kind, use.thingID) = (id, Value.names.one, thing)
      try insert(use)
    }
    for id in before.subtracting(after) {
      _ = try asking { () throws(StoreFailure) in
        try session.run(
          "DELETE FROM file_use WHERE tenant = $1 AND file_id = $2 AND thing_id = $3",
          [SQLValue(tenant), .identifier(id), .identifier(thing)])
      }
    }
  }

  private func requireOne<Value: Kind>(_ count: Int, _ kind: Value.Type) throws(StoreFailure) {
    guard count == 1 else {
      throw StoreFailure(.system, Value.names.table, "changed by another transaction", mayRetry: true)
    }
  }

  // MARK: Failures

  /// Runs statements. If they fail, stores the error in ``failure`` and throws it.
  func asking<Value>(_ work: () throws(StoreFailure) -> Value) throws(ThingError) -> Value {
    do throws(StoreFailure) {
      return try work()
    } catch {
      failure = error
      throw .storage(error.error)
    }
  }

  /// Runs statements that change a thing.
  ///
  /// - Throws: also `duplicate` with the key of the field, if the change violates a unique index of the database.
  private func asking<Value: Kind>(_ kind: Value.Type, _ work: () throws(StoreFailure) -> Void) throws(ThingError) {
    do throws(ThingError) {
      try asking(work)
    } catch {
      guard let failure, failure.isDuplicateKey else { throw error }
      let detail = failure.error.detail
      // The name of a unique index ends with the table and the column: `person_email`, or `person.email` in SQLite.
      let field = Value.fields.first { field in
        ["_", "."].contains { detail.contains(Value.names.table + $0 + field.column) }
      }
      throw .duplicate(field: field?.key ?? "id")
    }
  }
}

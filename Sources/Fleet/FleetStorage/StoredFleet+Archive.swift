import FleetDomain
import Telemetry

extension StoredFleet {
  public func exportRows(
    of tables: [ArchiveTable], tenant: TenantID,
    _ receive: @escaping @Sendable (ArchivedRow) throws(StorageError) -> Void
  ) async throws(StorageError) {
    try await engine.read { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      func deliver(_ row: ArchivedRow) throws(StoreFailure) {
        do throws(StorageError) {
          try receive(row)
        } catch {
          throw StoreFailure(error.kind, error.place, error.detail)
        }
      }
      try deliver(.start)
      for table in tables {
        try deliver(.table(table))
        var last: [SQLValue]?
        repeat {
          let rows = try session.page(of: table, after: last, tenant: tenant)
          for row in rows { try deliver(.row(row.values.enumerated().map { table.columns[$0].json($1) })) }
          last = rows.count < ArchivePage.limit ? nil : rows.last.map { table.keyValues(of: $0.values) }
        } while last != nil && !table.key.isEmpty
      }
    }
  }

  public func importRows(
    _ rows: [[JSON]], columns: [String], into table: ArchiveTable, of archive: UUIDv7, tenant: TenantID
  ) async throws(StorageError) {
    let known = Set(table.columns.map(\.name))
    if let unknown = columns.first(where: { !known.contains($0) }) {
      throw StorageError(.invalidQuery, table.name, "unknown column \(unknown): a later version made the archive")
    }
    var values: [[SQLValue]] = []
    for row in rows {
      guard row.count == columns.count else {
        throw StorageError(.invalidQuery, table.name, "expected \(columns.count) values, found \(row.count)")
      }
      let given = Dictionary(zip(columns, row)) { first, _ in first }
      do throws(StoreFailure) {
        var converted: [SQLValue] = []
        for column in table.columns {
          converted.append(try column.value(given[column.name] ?? column.standard, of: table.name))
        }
        values.append(converted)
      } catch {
        throw error.error
      }
    }
    try await engine.write { [values] session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      try session.requireImport(of: archive, tenant: tenant)
      for row in values { try session.insert(row, into: table, tenant: tenant) }
    }
  }

  public func finishImport(
    of archive: UUIDv7, auditHead head: (number: Int64, hash: [UInt8]), tenant: TenantID
  ) async throws(StorageError) {
    try await engine.write { session throws(StoreFailure) in
      let key = try session.existing(tenant)
      try session.requireImport(of: archive, tenant: key)
      let entries = try session.rows("SELECT count(*) FROM audit WHERE tenant = $1", [SQLValue(key)])
      guard entries.first?.integer(0) == head.number else {
        throw StoreFailure(
          .damaged, "audit", "expected \(head.number) entries, found \(entries.first?.integer(0) ?? 0)")
      }
      try session.run("DELETE FROM audit_head WHERE tenant = $1", [SQLValue(key)])
      try session.run(
        "INSERT INTO audit_head (tenant, number, hash) VALUES ($1, $2, $3)",
        [SQLValue(key), .integer(head.number), .bytes(head.hash)])
      try session.run(
        """
        UPDATE tenant SET gateways = (SELECT count(*) FROM gateway WHERE tenant = $1),
          tokens = (SELECT count(*) FROM token WHERE tenant = $1) WHERE key = $1
        """, [SQLValue(key)])
      // In an archive of an earlier version, gateways' own records are stored as records of vehicles.
      try session.run(GatewayRows.classify + " AND tenant = $1", [SQLValue(key)])
      try session.run("DELETE FROM setting WHERE name = $1", [.text(StoreSessionNames.importOf(key))])
    }
  }
}

private enum ArchivePage {
  /// The maximum number of rows that one query reads.
  static let limit = 1_000
}

private enum StoreSessionNames {
  /// Returns the name of the setting that contains the ID of the archive that is being imported.
  static func importOf(_ tenant: Int32) -> String { "import \(tenant)" }
}

extension ArchiveTable {
  fileprivate func keyValues(of row: [SQLValue]) -> [SQLValue] {
    key.compactMap { name in columns.firstIndex { $0.name == name }.map { row[$0] } }
  }

  /// The SQL source of the rows: the table or, if the table has no column `tenant`, a subquery that adds this column.
  fileprivate var source: String {
    guard isOfVehicles else { return name }
    let own = columns.map { $0.name == "vehicle" ? "v.id AS vehicle" : "d.\"\($0.name)\"" }
    return """
      (SELECT v.tenant, \(own.joined(separator: ", ")) FROM \(name) AS d JOIN vehicle AS v ON v.key = d.vehicle
        WHERE v.is_gateway = 0) AS archived
      """
  }

  /// The statement that inserts a row unless the row exists. `$1` is the tenant; the following parameters are the row's
  /// values.
  fileprivate var insertion: String {
    guard isOfVehicles else {
      let parameters = (1...(columns.count + 1)).map { "$\($0)" }.joined(separator: ", ")
      return "INSERT INTO \(name) (tenant, \(columnList)) VALUES (\(parameters)) ON CONFLICT DO NOTHING"
    }
    var (values, owner) = ([String](), "")
    for (index, column) in columns.enumerated() {
      let parameter = "$\(index + 2)"
      switch (column.name, column.type) {
      case ("vehicle", _):
        owner = parameter
        values.append("key")
      case (_, .real): values.append("CAST(\(parameter) AS DOUBLE PRECISION)")
      default: values.append("CAST(\(parameter) AS BIGINT)")
      }
    }
    // Without the condition, SQLite would interpret ON CONFLICT as a part of a join.
    return """
      INSERT INTO \(name) (\(columnList)) SELECT \(values.joined(separator: ", ")) FROM vehicle
      WHERE tenant = $1 AND id = \(owner) ON CONFLICT DO NOTHING
      """
  }

  fileprivate var columnList: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }
  fileprivate var keyList: String { key.map { "\"\($0)\"" }.joined(separator: ", ") }
}

extension ArchiveTable.Column {
  fileprivate func json(_ value: SQLValue) -> JSON {
    switch value {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): number.json
    case .text(let text): .text(text)
    case .identifier(let id): id.json
    case .bytes(let bytes): type == .identifier ? UUIDv7(bytes: bytes)?.json ?? .null : .text(Hexadecimal.text(bytes))
    }
  }

  fileprivate func value(_ json: JSON, of table: String) throws(StoreFailure) -> SQLValue {
    if json == .null { return .null }
    let value: SQLValue? =
      switch type {
      case .text: json.textValue.map { .text($0) }
      case .integer: json.integerValue.map { .integer($0) }
      case .real: json.numberValue.map { .real($0) }
      case .identifier: (try? UUIDv7(json: json)).map { .identifier($0) }
      case .bytes: json.textValue.flatMap { Hexadecimal.bytes($0) }.map { .bytes($0) }
      }
    guard let value else {
      throw StoreFailure(.invalidQuery, "\(table).\(name)", "not a value of this column: \(json.summary)")
    }
    return value
  }
}

extension StoreSession {
  fileprivate func page(
    of table: ArchiveTable, after last: [SQLValue]?, tenant: Int32
  ) throws(StoreFailure) -> [SQLRow] {
    var sql = "SELECT \(table.columnList) FROM \(table.source) WHERE tenant = $1"
    if let condition = table.condition { sql += " AND \(condition)" }
    if let last {
      sql += " AND (\(table.keyList)) > (\(last.indices.map { "$\($0 + 2)" }.joined(separator: ", ")))"
    }
    if !table.key.isEmpty { sql += " ORDER BY \(table.keyList) LIMIT \(ArchivePage.limit)" }
    return try rows(sql, [SQLValue(tenant)] + (last ?? []))
  }

  /// Begins the import of an archive into an empty tenant, or continues an import of this archive. Otherwise, throws
  /// `exists`.
  fileprivate func requireImport(of archive: UUIDv7, tenant: Int32) throws(StoreFailure) {
    let name = StoreSessionNames.importOf(tenant)
    if let row = try rows("SELECT value FROM setting WHERE name = $1", [.text(name)]).first {
      guard row.bytes(0) == archive.bytes else {
        throw StoreFailure(
          .exists, "import", "another archive was imported into this tenant only in part: import that one again")
      }
      return
    }
    let entries = try rows(
      """
      SELECT (SELECT count(*) FROM audit WHERE tenant = $1) + (SELECT count(*) FROM vehicle WHERE tenant = $1)
      """, [SQLValue(tenant)])
    guard entries.first?.integer(0) == 0 else {
      throw StoreFailure(.exists, "import", "the tenant is not empty: import into a new tenant or a new database")
    }
    try run("INSERT INTO setting (name, value) VALUES ($1, $2)", [.text(name), .bytes(archive.bytes)])
  }

  /// Inserts a row. A row that an interrupted import of the same archive has already inserted is skipped.
  fileprivate func insert(_ row: [SQLValue], into table: ArchiveTable, tenant: Int32) throws(StoreFailure) {
    let added = try run(table.insertion, [SQLValue(tenant)] + row)
    guard added == 0 else { return }
    let key = table.keyValues(of: row)
    let condition = table.key.enumerated().map { " AND \"\($1)\" = $\($0 + 2)" }.joined()
    let present = try rows("SELECT 1 FROM \(table.source) WHERE tenant = $1\(condition)", [SQLValue(tenant)] + key)
    guard present.isEmpty else { return }
    throw StoreFailure(
      .exists, table.name, "a row has a key or a secret that another tenant of this database has already")
  }
}

import FleetDomain

/// The changes that one transaction makes to the sizes of the tenants' stored records. Each function that inserts,
/// changes or deletes records adds its change here. The transaction stores the sums before it commits, so the sizes in
/// the column `tenant.record_bytes` are exact even after a crash.
///
/// The size of a record that is stored as a row is the length of its text plus ``overhead``. The size of a run is the
/// length of its compressed content plus ``overhead``.
final class RecordBytes {
  /// The bytes that are added for each row and each run: keys and index entries.
  static let overhead: Int64 = 100

  /// The SQL expression for the size of a record that is stored as a row.
  static let ofRow = "length(body) + \(overhead)"
  /// The SQL expression for the size of a run.
  static let ofRun = "length(entries) + length(bodies) + \(overhead)"

  /// The records of one tenant that are of one class and whose ids are from one month.
  struct Part: Hashable {
    var tenant: Int32
    var recordClass: Int16
    var month: Int
  }

  private var tenants: [Int32: Int64] = [:]
  private var parts: [Part: Int64] = [:]
  /// Whether the sizes of parts are counted too. PostgreSQL needs them, because it deletes a whole partition without
  /// reading its rows.
  private let countsParts: Bool
  /// The month of the record that was added last, and the range of the first halves of the ids in this month. The next
  /// record usually belongs to the same month.
  private var lastMonth: (index: Int, ids: Range<UInt64>)?

  init(countsParts: Bool) { self.countsParts = countsParts }

  /// Adds a change of the size of a record that is stored as a row.
  ///
  /// - Parameter bytes: the change of the size; negative if the record was deleted.
  func add(_ bytes: Int64, _ key: RowKey) {
    if bytes == 0 { return }
    tenants[key.tenant, default: 0] += bytes
    guard countsParts else { return }
    parts[Part(tenant: key.tenant, recordClass: key.recordClass, month: month(of: key)), default: 0] += bytes
  }

  /// Adds a record that was inserted as a row.
  func addRow(_ row: RecordRow) { add(Int64(row.body.count) + Self.overhead, row.key) }

  /// Adds a change of the size of a part.
  func add(_ bytes: Int64, _ part: Part) {
    if bytes == 0 { return }
    tenants[part.tenant, default: 0] += bytes
    if countsParts { parts[part, default: 0] += bytes }
  }

  /// Adds a change of a tenant's size that concerns no existing part: a change of the size of runs, or the deletion of
  /// a whole part.
  func add(_ bytes: Int64, tenant: Int32) {
    if bytes != 0 { tenants[tenant, default: 0] += bytes }
  }

  /// Returns the change of a tenant's size, and resets it to 0. The caller must store the change.
  func removeBytes(of tenant: Int32) -> Int64 { tenants.removeValue(forKey: tenant) ?? 0 }

  /// Returns the changes of all tenants' sizes in the order of the tenants' keys, and resets them to 0. The caller must
  /// store the changes.
  func takeTenants() -> [(tenant: Int32, bytes: Int64)] {
    defer { tenants = [:] }
    return tenants.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Returns the changes of the sizes of parts, and resets them to 0. The caller must store the changes.
  func takeParts() -> [(part: Part, bytes: Int64)] {
    defer { parts = [:] }
    return parts.filter { $0.value != 0 }.sorted {
      ($0.key.tenant, $0.key.recordClass, $0.key.month) < ($1.key.tenant, $1.key.recordClass, $1.key.month)
    }.map { ($0.key, $0.value) }
  }

  private func month(of key: RowKey) -> Int {
    if let lastMonth, lastMonth.ids.contains(key.idHigh) { return lastMonth.index }
    guard let id = key.id else { return 0 }
    let month = IdMonth(of: id)
    lastMonth = (month.index, (month.bounds.from?.high ?? 0)..<(month.bounds.to?.high ?? .max))
    return month.index
  }
}

extension StoreSession {
  /// Stores the changes of the tenants' sizes that are not stored yet. Call this before the commit of each transaction.
  func storeRecordBytes() throws(StoreFailure) {
    for (tenant, bytes) in recordBytes.takeTenants() {
      try run(
        "UPDATE tenant SET record_bytes = record_bytes + $2 WHERE key = $1", [SQLValue(tenant), .integer(bytes)])
    }
  }

  /// Returns the size of a tenant's stored records, bytes.
  func storedRecordBytes(tenant: Int32) throws(StoreFailure) -> Int64 {
    try rows("SELECT record_bytes FROM tenant WHERE key = $1", [SQLValue(tenant)]).first?.integer(0) ?? 0
  }
}

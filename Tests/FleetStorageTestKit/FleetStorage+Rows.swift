import FleetDomain
import Telemetry

extension FleetStorage {
  /// Adds rows as a damaged database has them, without any check of their values. The tenant must be empty; it is added
  /// if there is none.
  ///
  /// - Parameter rows: the values of columns, as an archive has them. Other columns get their standard values.
  public func addRows<Value: Kind>(
    _ rows: [[String: JSON]], of kind: Value.Type, tenant: TenantID, archive: UUIDv7
  ) async throws(StorageError) {
    do throws(StorageError) {
      try await addTenant(tenant, at: Timestamp(nanoseconds: 0))
    } catch {
      guard error.kind == .exists else { throw error }
    }
    for row in rows {
      let columns = row.keys.sorted()
      try await importRows(
        [columns.map { row[$0] ?? .null }], columns: columns, into: ArchiveTable(kind), of: archive, tenant: tenant)
    }
  }
}

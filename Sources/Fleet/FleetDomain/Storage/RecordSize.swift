/// The size of a tenant's stored records, and its limit.
///
/// A record that is stored as a row counts with the length of its JSON text plus 100 bytes for keys and index entries.
/// Telemetry that arrives in batches is stored compressed and counts with its compressed size, plus 100 bytes for each
/// block. Files, the audit log and data other than records do not count.
public struct RecordSize: Equatable, Sendable {
  /// The size of all stored records, bytes.
  public var bytes: Int64
  /// The size at which nothing more is stored, bytes; `nil` if there is no limit.
  public var limit: Int64?

  /// Creates a size.
  public init(bytes: Int64, limit: Int64?) { (self.bytes, self.limit) = (bytes, limit) }
}

extension StorageError {
  /// Returns the error `tenantFull` for a tenant. The tenant's records have reached the limit.
  public static func tenantIsFull(_ tenant: TenantID, bytes: Int64, limit: Int64) -> StorageError {
    StorageError(
      .tenantFull, tenant.text,
      """
      the tenant's records take \(bytes) bytes, and the limit is \(limit) bytes (limits.tenantBytes): no records are \
      stored until retention removes old ones (retention.days), vehicles are removed, or the limit is raised
      """)
  }
}

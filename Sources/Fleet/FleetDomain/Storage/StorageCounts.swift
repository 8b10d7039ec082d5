/// Metrics of a storage: counters since it was opened, and its current size.
public struct StorageCounts: Equatable, Sendable {
  /// Records of all tenants that were passed to the storage, by result. Records that were rejected earlier are not
  /// included.
  public var ingested = IngestCounts()
  /// Number of transactions that stored records.
  public var commits: Int64 = 0
  /// Number of records that were removed by retention, or together with their vehicle.
  public var recordsRemoved: Int64 = 0
  /// Number of changes that were removed from feeds.
  public var changesRemoved: Int64 = 0
  /// Number of records that wait for a transaction.
  public var waiting: Int = 0
  /// Number of tenants in the database.
  public var tenants: Int64 = 0
  public var vehicles: Int64 = 0
  public var gateways: Int64 = 0
  /// Number of vehicles that were removed but whose records are not all deleted yet.
  public var removals: Int64 = 0
  /// The size of the stored records of all tenants, bytes (``RecordSize``).
  public var recordBytes: Int64 = 0
  /// The durations of transactions that write, by operation; empty for PostgreSQL, where tenants do not wait for each
  /// other.
  public var writes: [String: WriteTimes] = [:]

  public init() {}
}

/// The result of a successful health check.
public struct StorageHealth: Equatable, Sendable {
  /// The database's name and version, for example `SQLite 3.40.1` or `PostgreSQL 15.18`.
  public var database: String
  /// The number of the newest schema step that was applied.
  public var schemaVersion: Int

  public init(database: String, schemaVersion: Int) {
    self.database = database
    self.schemaVersion = schemaVersion
  }
}

/// Metrics of a storage: its work since it was opened, and its size.
public struct StorageCounts: Equatable, Sendable {
  /// Records of all tenants since the storage was opened. Records that were rejected before they reached the storage
  /// are not included.
  public var ingested = IngestCounts()
  /// Transactions that stored records since the storage was opened.
  public var commits: Int64 = 0
  /// Number of records and changes that retention removed since the storage was opened, including records of removed
  /// vehicles.
  public var recordsRemoved: Int64 = 0
  public var changesRemoved: Int64 = 0
  /// Records that wait for a transaction.
  public var waiting: Int = 0
  /// Number of rows in the database, for all tenants.
  public var tenants: Int64 = 0
  public var vehicles: Int64 = 0
  public var gateways: Int64 = 0
  /// Number of removed vehicles whose records are not all deleted.
  public var removals: Int64 = 0

  public init() {}
}

/// The state of a storage that works.
public struct StorageHealth: Equatable, Sendable {
  /// `SQLite 3.40.1`, `PostgreSQL 15.18`.
  public var database: String
  /// The number of the last schema step.
  public var schemaVersion: Int

  public init(database: String, schemaVersion: Int) {
    self.database = database
    self.schemaVersion = schemaVersion
  }
}

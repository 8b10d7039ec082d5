/// Metrics of a storage: its work since it was opened, and its size.
public struct StorageCounts: Equatable, Sendable {
  /// Records since the storage was opened, of all tenants. Records that were refused before are not among them.
  public var ingested = IngestCounts()
  /// Transactions that stored records since the storage was opened.
  public var commits: Int64 = 0
  /// Records and changes that retention has removed since the storage was opened, and the records of removed
  /// vehicles.
  public var recordsRemoved: Int64 = 0
  public var changesRemoved: Int64 = 0
  /// Records that wait for a transaction.
  public var waiting: Int = 0
  /// Rows in the database, of all tenants.
  public var tenants: Int64 = 0
  public var vehicles: Int64 = 0
  public var gateways: Int64 = 0
  /// Removed vehicles whose records are not all deleted.
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

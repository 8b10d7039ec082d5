/// For metrics: what a storage has done since it was opened, and what it has.
public struct StorageCounts: Equatable, Sendable {
  /// Records since the storage was opened, all tenants.
  public var stored: Int64 = 0
  public var duplicates: Int64 = 0
  public var improved: Int64 = 0
  public var refused: Int64 = 0
  /// Transactions that took records in since the storage was opened.
  public var commits: Int64 = 0
  /// Records and changes that retention has removed since the storage was opened, and the records of removed vehicles.
  public var recordsRemoved: Int64 = 0
  public var changesRemoved: Int64 = 0
  /// Records that wait for a transaction now.
  public var waiting: Int = 0
  /// Rows in the database, all tenants.
  public var tenants: Int64 = 0
  public var vehicles: Int64 = 0
  public var gateways: Int64 = 0
  /// Removed vehicles of which there are records still.
  public var removals: Int64 = 0

  public init() {}
}

/// That a storage answers, and with what.
public struct StorageHealth: Equatable, Sendable {
  /// `SQLite 3.40.1`, `PostgreSQL 15.18`.
  public var database: String
  /// Number of the last schema step that was made.
  public var schemaVersion: Int

  public init(database: String, schemaVersion: Int) {
    self.database = database
    self.schemaVersion = schemaVersion
  }
}

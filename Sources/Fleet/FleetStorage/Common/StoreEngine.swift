import FleetDomain
import Telemetry

/// The operations of a database for ``StoredFleet``: transactions, announcements of the feed, retention.
protocol StoreEngine: Sendable {
  /// The key of the store's cursors.
  var cursorKey: CursorKey { get }
  var queue: IngestQueue { get }
  /// The database's own time in ms, as an expression of SQL.
  var clock: String { get }
  /// Whether the database was found to be a restored backup when it was opened.
  var wasRestored: Bool { get }
  var announcer: Announcer { get }

  /// Runs work that only reads, in one transaction.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value

  /// Runs work in one transaction and commits it. It is repeated after a conflict with another transaction.
  func write<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value

  /// See ``FleetDomain/FleetStorage/referenceTime()``.
  func referenceTime() async throws(StorageError) -> Timestamp?

  /// See ``FleetDomain/FleetStorage/prepare(at:)``.
  func prepare(at now: Timestamp) async throws(StorageError)

  /// The counts of removed rows.
  var tally: RemovalTally { get }

  /// See ``FleetDomain/FleetStorage/removeRecords(_:before:at:)``.
  func removeRecords(_ recordClass: RecordClass, _ bounds: RetentionBounds) async throws(StorageError) -> Int64

  /// Deletes the records of a removed vehicle in small transactions, and then the entry about its removal.
  func removeRecords(tenant: Int32, vehicle: Int32) async throws(StorageError) -> Int64

  /// The name and version of the database.
  func databaseName() async throws(StorageError) -> String

  var schemaVersion: Int { get }

  /// See ``FleetDomain/FleetStorage/turn()``.
  func turn() async

  /// Waits for calls in progress and closes the database.
  func close() async

  /// Makes calls in progress fail with `unavailable` where possible.
  func interrupt()
}

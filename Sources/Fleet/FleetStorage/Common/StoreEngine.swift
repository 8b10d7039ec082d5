import FleetDomain
import Telemetry

/// What a database does for ``StoredFleet``: transactions, the feed's announcements, retention.
protocol StoreEngine: Sendable {
  /// The key of the store's cursors.
  var cursorKey: CursorKey { get }
  var queue: IngestQueue { get }
  /// The database's own time in ms, as an expression of SQL.
  var clock: String { get }
  /// Whether a backup was found to have been restored when the database was opened.
  var wasRestored: Bool { get }
  var announcer: Announcer { get }

  /// Runs work that changes nothing, in one transaction: it sees one state of the database.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value

  /// Runs work in one transaction and commits it; where somebody else was in the way, again.
  func write<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value

  /// As ``FleetDomain/FleetStorage/witnessedTime()``.
  func witnessedTime() async throws(StorageError) -> Timestamp?

  /// As ``FleetDomain/FleetStorage/prepare(at:)``.
  func prepare(at now: Timestamp) async throws(StorageError)

  /// What was removed so far.
  var tally: RemovalTally { get }

  /// As ``FleetDomain/FleetStorage/removeRecords(_:before:at:)``.
  func removeRecords(_ recordClass: RecordClass, _ bounds: RetentionBounds) async throws(StorageError) -> Int64

  /// Removes the records of a vehicle that has been removed, in small pieces, and then what says that it was.
  func removeRecords(tenant: Int32, vehicle: Int32) async throws(StorageError) -> Int64

  /// The database's own name and version.
  func databaseName() async throws(StorageError) -> String

  var schemaVersion: Int { get }

  /// As ``FleetDomain/FleetStorage/turn()``.
  func turn() async

  /// Waits for what is under way and closes the database.
  func close() async

  /// Makes what is under way fail with `unavailable`, as far as it can be told.
  func interrupt()
}

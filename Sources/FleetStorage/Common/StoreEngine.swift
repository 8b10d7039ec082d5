import FleetDomain
import Telemetry

/// What a database does for ``StoredFleet``: transactions, the feed's announcements, retention.
protocol StoreEngine: Sendable {
  /// The key of the store's cursors.
  var cursorKey: CursorKey { get }
  var queue: IngestQueue { get }
  var announcer: Announcer { get }

  /// Runs work that changes nothing, in one transaction: it sees one state of the database.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value

  /// Runs work in one transaction and commits it; where somebody else was in the way, again.
  func write<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value

  /// As ``FleetDomain/FleetStorage/removeRecords(_:before:)``.
  func removeRecords(_ recordClass: RecordClass, before cutoff: Timestamp) async throws(StorageError) -> Int64

  /// The database's own name and version.
  func databaseName() async throws(StorageError) -> String

  var schemaVersion: Int { get }

  /// Waits for what is under way and closes the database.
  func close() async

  /// Makes what is under way fail with `unavailable`, as far as it can be told.
  func interrupt()
}

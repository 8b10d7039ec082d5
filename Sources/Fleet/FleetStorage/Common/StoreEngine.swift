import FleetDomain
import Telemetry

/// The operations that ``StoredFleet`` needs from a database: transactions, announcements of feed positions, and
/// retention.
protocol StoreEngine: Sendable {
  /// The key of the store's cursors.
  var cursorKey: CursorKey { get }
  var queue: IngestQueue { get }
  /// SQL expression for the database's own time, ms since 1970.
  var clock: String { get }
  /// Whether a restored backup was detected when the database was opened.
  var wasRestored: Bool { get }
  var announcer: Announcer { get }

  /// Runs work in one transaction. The work only reads.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value

  /// Runs work in one transaction and commits it. If the transaction conflicts with another one, the work is repeated.
  func write<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value

  /// See ``FleetDomain/FleetStorage/referenceTime()``.
  func referenceTime() async throws(StorageError) -> Timestamp?

  /// See ``FleetDomain/FleetStorage/prepare(at:)``.
  func prepare(at now: Timestamp) async throws(StorageError)

  /// Counts the records and changes that were removed.
  var tally: RemovalTally { get }
  /// The durations of writing transactions; `nil` if transactions of different tenants can run at the same time.
  var writeTally: WriteTally? { get }

  /// See ``FleetDomain/FleetStorage/removeRecords(_:before:at:)``.
  func removeRecords(_ recordClass: RecordClass, _ bounds: RetentionBounds) async throws(StorageError) -> Int64

  /// Deletes the records of a removed vehicle in small transactions, and finally the row that records the vehicle's
  /// removal. Returns the number of deleted records.
  func removeRecords(tenant: Int32, vehicle: Int32) async throws(StorageError) -> Int64

  /// Removes copies of erased data that exist outside the tables, as far as the database allows it.
  ///
  /// - Returns: `false` if other work prevented this, so that it must be repeated.
  func removeErasedCopies() async throws(StorageError) -> Bool

  /// The name and version of the database.
  func databaseName() async throws(StorageError) -> String

  var schemaVersion: Int { get }

  /// See ``FleetDomain/FleetStorage/waitForRound()``.
  func waitForRound() async

  /// Waits for calls in progress and closes the database.
  func close() async

  /// Makes calls in progress fail with `unavailable`, as far as the database allows it.
  func interrupt()
}

import FleetDomain
import Telemetry

/// An open transaction. The protocol contains the operations that differ between the two databases. All other
/// statements are written once for both, with the parameters `$1`, `$2`, and so on.
protocol StoreSession {
  /// Executes a statement and returns all its rows.
  func rows(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> [SQLRow]

  /// Executes a statement.
  ///
  /// - Returns: the number of changed rows.
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> Int

  /// The changes that this transaction makes to the sizes of the tenants' records.
  var recordBytes: RecordBytes { get }

  /// The SQL clause that makes a SELECT lock its rows; empty if the database needs no such clause.
  var lockingRows: String { get }

  /// Waits until no other transaction adds to the list of revoked tokens, and locks the list until the commit.
  func lockRevocations() throws(StoreFailure)

  /// Returns a tenant's key; `nil` if there is no such tenant.
  func tenant(_ id: TenantID) throws(StoreFailure) -> Int32?

  /// Adds changes to a tenant's feed. The tenant's row is locked until the commit, so positions have the order of the
  /// commits. When a reader sees a position, all changes before it are committed.
  ///
  /// - Returns: the position after the changes.
  func publish(
    _ keys: [RowKey], tenant: Int32, named id: TenantID, at now: Int64
  ) throws(StoreFailure) -> FeedPosition

  /// Returns the vehicles whose id or VIN is one of these texts.
  func vehicles(named names: [String], tenant: Int32) throws(StoreFailure) -> [VehicleRow]

  // MARK: Operations on the table `record` only
  //
  // Telemetry is also stored in runs. Use `store`, `improveAll`, `allLists` and `foundAll` to access both.

  /// Inserts the rows that do not exist yet.
  ///
  /// - Parameter rows: rows with different keys, in the order of ``RowKey/isBefore(_:_:)``.
  /// - Returns: the time qualities of the rows that the table already contained. The keys are the indices in `rows`.
  func insert(_ rows: [RecordRow]) throws(StoreFailure) -> [Int: StoredQuality]

  /// Prepares the change of the times of existing rows. In PostgreSQL, the stored time range of each partition is
  /// extended so that it includes the new times.
  func prepare(for improvements: [Improvement]) throws(StoreFailure)

  /// Stores the latest time of each vehicle, and the keys of its newest records.
  ///
  /// - Throws: a retryable error if one of the vehicles was removed meanwhile.
  func touch(_ vehicles: [VehicleTouch]) throws(StoreFailure)

  /// Marks hours of vehicles as stale, so that the figures of the days that contain them are computed again. Call this
  /// after ``touch(_:)``, which locks the vehicles.
  func markStale(_ hours: [StaleHour], at now: Int64) throws(StoreFailure)

  /// Returns lists of rows for a query, from which ``RecordPage/page(_:completeTo:)`` makes a page.
  ///
  /// - Parameter vehicle: the key of the query's vehicle; `nil` for all vehicles.
  func lists(_ page: RecordPage, tenant: Int32, vehicle: Int32?) throws(StoreFailure) -> [[FoundRow]]

  /// Returns the existing rows among these keys, in the order of the keys.
  func found(_ keys: [RowKey]) throws(StoreFailure) -> [FoundRow]

  /// Returns, for each range of IDs, whether it contains telemetry that is stored as rows.
  func haveRows(_ ranges: [RunRange]) throws(StoreFailure) -> [Bool]

  // MARK: Runs

  /// Locks vehicles until the commit. Until then, other transactions can neither add telemetry of these vehicles nor
  /// change their runs.
  ///
  /// - Throws: a retryable error if one of the vehicles was removed.
  func lock(vehicles: [Int32]) throws(StoreFailure)

  /// Returns, for each range of IDs, the first run whose last ID is in the range or after it.
  func nextRuns(_ ranges: [RunRange]) throws(StoreFailure) -> [RunSpan?]

  /// Returns, for each range of IDs, the last run whose last ID is before the range.
  func previousRuns(_ ranges: [RunRange]) throws(StoreFailure) -> [RunSpan?]

  func insert(_ runs: [NewRun]) throws(StoreFailure)

  /// Returns the existing runs that have one of these spans.
  func runs(at spans: [RunSpan], withBodies: Bool) throws(StoreFailure) -> [RunSpan: TelemetryRun]
}

/// A row of the table `vehicle` that is added because of the first record of a vehicle.
struct NewVehicle {
  var tenant: Int32
  var id: String
  var vin: String?
  var registeredBy: String
  var at: Int64
  /// Whether the row is for a gateway's own records instead of a vehicle's records (``GatewayRows``).
  var isGateway = false
}

import FleetDomain
import Telemetry

/// An open transaction, and the operations that differ between the two databases. Statements that both support are
/// written once, with the parameters `$1`, `$2`, and so on.
protocol StoreSession {
  /// Executes a statement and returns all its rows.
  func rows(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> [SQLRow]

  /// Executes a statement.
  ///
  /// - Returns: number of changed rows.
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> Int

  /// The clause that makes a SELECT lock its rows.
  var lockingRows: String { get }

  /// Locks the revoked tokens until the commit. Waits until no other transaction adds to them.
  func lockRevocations() throws(StoreFailure)

  /// Returns a tenant's key; `nil` if there is no such tenant.
  func tenant(_ id: TenantID) throws(StoreFailure) -> Int32?

  /// Adds changes to a tenant's feed. The tenant's row is locked until the commit, so that positions have the order of
  /// commits: a reader that has seen one position has seen all before it.
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

  /// Inserts rows that do not exist.
  ///
  /// - Parameter rows: rows with unique keys, in the order of ``RowKey/isBefore(_:_:)``.
  /// - Returns: the quality of the existing rows, by index.
  func insert(_ rows: [RecordRow]) throws(StoreFailure) -> [Int: StoredQuality]

  /// Prepares the database for the new times of existing rows.
  func prepare(for improvements: [Improvement]) throws(StoreFailure)

  /// Updates the newest time and the newest records of vehicles.
  ///
  /// - Throws: a retryable error if one of them was removed meanwhile.
  func touch(_ vehicles: [VehicleTouch]) throws(StoreFailure)

  /// Returns the rows for a query, in the form of ``RecordPage/page(_:)``.
  ///
  /// - Parameter vehicle: row of the vehicle; `nil` for all vehicles.
  func lists(_ page: RecordPage, tenant: Int32, vehicle: Int32?) throws(StoreFailure) -> [[FoundRow]]

  /// Returns the existing rows with these keys, in the order of the keys.
  func found(_ keys: [RowKey]) throws(StoreFailure) -> [FoundRow]

  /// Returns for each range whether it contains rows of telemetry.
  func haveRows(_ ranges: [RunRange]) throws(StoreFailure) -> [Bool]

  // MARK: Runs

  /// Locks vehicles until the commit, so that other transactions cannot add telemetry of them or change their runs.
  ///
  /// - Throws: a retryable error if one of them was removed.
  func lock(vehicles: [Int32]) throws(StoreFailure)

  /// Returns for each range the first run whose last id is not before the range.
  func nextRuns(_ ranges: [RunRange]) throws(StoreFailure) -> [RunSpan?]

  /// Returns for each range the last run whose last id is before the range.
  func previousRuns(_ ranges: [RunRange]) throws(StoreFailure) -> [RunSpan?]

  func insert(_ runs: [NewRun]) throws(StoreFailure)

  /// Returns those of the runs that exist.
  func runs(at spans: [RunSpan], withBodies: Bool) throws(StoreFailure) -> [RunSpan: TelemetryRun]
}

/// A vehicle that is registered by its first record.
struct NewVehicle {
  var tenant: Int32
  var id: String
  var vin: String?
  var registeredBy: String
  var at: Int64
}

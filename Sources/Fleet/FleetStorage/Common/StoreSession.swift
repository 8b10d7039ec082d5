import FleetDomain
import Telemetry

/// One open transaction of a database, with what the two databases do in their own way. Statements that both
/// understand are written once; their parameters are `$1`, `$2`, and so on.
protocol StoreSession {
  /// Runs a statement and reads all its rows.
  func rows(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> [SQLRow]

  /// Runs a statement.
  ///
  /// - Returns: how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> Int

  /// What makes a SELECT lock its rows.
  var lockingRows: String { get }

  /// Waits until no other transaction adds to the revoked tokens, and keeps others from it until the commit.
  func lockRevocations() throws(StoreFailure)

  /// A tenant's key; nil: no such tenant.
  func tenant(_ id: TenantID) throws(StoreFailure) -> Int32?

  /// Adds changes to a tenant's feed, whose row is locked from here to the commit: positions are given in the order of
  /// the commits, so that a reader who has seen one has seen all before it.
  ///
  /// - Returns: the position behind them.
  func publish(
    _ keys: [RowKey], tenant: Int32, named id: TenantID, at now: Int64
  ) throws(StoreFailure) -> FeedPosition

  /// Vehicles that have one of these texts as their id or VIN.
  func vehicles(named names: [String], tenant: Int32) throws(StoreFailure) -> [VehicleRow]

  // MARK: The table `record` alone
  //
  // Telemetry is in runs as well: callers use `store`, `improveAll`, `allLists` and `foundAll`, which look at both.

  /// Inserts rows that are not there yet.
  ///
  /// - Parameter rows: each key once, in the order of ``RowKey/isBefore(_:_:)``.
  /// - Returns: the quality of those that were there, by their index.
  func insert(_ rows: [RecordRow]) throws(StoreFailure) -> [Int: StoredQuality]

  /// Says which times rows will have that are there already.
  func prepare(for improvements: [Improvement]) throws(StoreFailure)

  /// Notes the newest time of vehicles, and their newest records.
  ///
  /// - Throws: what may be tried again, where one of them has been removed meanwhile.
  func touch(_ vehicles: [VehicleTouch]) throws(StoreFailure)

  /// Rows that answer a question, as ``RecordPage/page(_:)`` takes them.
  ///
  /// - Parameter vehicle: nil: of all.
  func lists(_ page: RecordPage, tenant: Int32, vehicle: Int32?) throws(StoreFailure) -> [[FoundRow]]

  /// The rows that are there of those with these keys, in the keys' order.
  func found(_ keys: [RowKey]) throws(StoreFailure) -> [FoundRow]

  /// Whether there are rows of telemetry in these ranges, for each of them.
  func haveRows(_ ranges: [RunRange]) throws(StoreFailure) -> [Bool]

  // MARK: Runs

  /// Locks vehicles until the commit: other transactions cannot add telemetry of them or change their runs meanwhile.
  ///
  /// - Throws: what may be tried again, if one of them has been removed.
  func lock(vehicles: [Int32]) throws(StoreFailure)

  /// The first run of which the last id is not before the range, for each range.
  func nextRuns(_ ranges: [RunRange]) throws(StoreFailure) -> [RunSpan?]

  /// The last run of which the last id is before the range, for each range.
  func previousRuns(_ ranges: [RunRange]) throws(StoreFailure) -> [RunSpan?]

  func insert(_ runs: [NewRun]) throws(StoreFailure)

  /// Those of these runs that are there.
  func runs(at spans: [RunSpan], withBodies: Bool) throws(StoreFailure) -> [RunSpan: TelemetryRun]
}

/// A vehicle that its first record registers.
struct NewVehicle {
  var tenant: Int32
  var id: String
  var vin: String?
  var registeredBy: String
  var at: Int64
}

import FleetDomain
import Telemetry

/// The store in PostgreSQL. It uses two connections for ingestion, one connection for notifications, and a few
/// connections for all other calls.
final class PostgreSQLEngine: StoreEngine {
  /// Number of connections for ingestion. While one of them waits for its commit, the other stores the next group of
  /// batches.
  private static let laneCount = 2

  let cursorKey: CursorKey
  let queue: IngestQueue
  let announcer = Announcer()
  let tally = RemovalTally()
  let writeTally: WriteTally? = nil
  let schemaVersion: Int
  let clock = PostgreSQLMigration.clock
  let wasRestored: Bool
  private let pool: PostgreSQLPool
  let partitions = PostgreSQLPartitions()
  private let lanes: [PostgreSQLIngest]
  private let listener: PostgreSQLListener

  /// Connects to a database.
  ///
  /// - Parameter steps: ``PostgreSQLSchema/steps``, or the steps of an earlier version.
  init(
    address: PostgreSQLAddress, connections: Int, steps: [String], access: StoreAccess = .makingCommand
  ) async throws(StorageError) {
    let pool = PostgreSQLPool(address: address, size: connections)
    do throws(StoreFailure) {
      (cursorKey, wasRestored) = try await pool.run { connection throws(StoreFailure) in
        try PostgreSQLMigration.run(steps, connection, as: access)
      }
    } catch {
      throw error.error
    }
    self.pool = pool
    schemaVersion = steps.count
    let (announcer, partitions) = (announcer, partitions)
    let lanes = (0..<Self.laneCount).map { _ in
      PostgreSQLIngest(address: address, partitions: partitions, announcer: announcer)
    }
    self.lanes = lanes
    queue = IngestQueue(lanes: Self.laneCount) { lane, jobs in lanes[lane].ingest(jobs) }
    listener = PostgreSQLListener(address: address, announcer: announcer)
  }

  func read<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value {
    try await transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY", work)
  }

  func write<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value {
    try await transaction("", work)
  }

  private func transaction<Value: Sendable>(
    _ mode: String, _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value {
    let partitions = partitions
    var tries = 0
    while true {
      tries += 1
      do throws(StoreFailure) {
        return try await pool.run { connection throws(StoreFailure) in
          let session = PostgreSQLSession(connection: connection, partitions: partitions)
          return try session.inTransaction(mode) { () throws(StoreFailure) in try work(session) }
        }
      } catch {
        if error.mayRetry, tries < 8 { continue }
        throw error.error
      }
    }
  }

  func referenceTime() async throws(StorageError) -> Timestamp? {
    let now = try await read { session throws(StoreFailure) in
      try session.rows("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", []).first?.integer(0)
    }
    return now.map(StoredTime.timestamp)
  }

  /// Time before the beginning of a month at which the month's partitions are created, ns.
  /// ``FleetDomain/IdMonth/newest(at:)`` adds another day, because the clocks of gateways may be ahead by one day.
  private static let ahead: Int64 = 6 * 86_400_000_000_000

  func prepare(at now: Timestamp) async throws(StorageError) {
    let (then, overflow) = now.nanoseconds.addingReportingOverflow(Self.ahead)
    guard !overflow else { return }
    let (later, partitions) = (Timestamp(nanoseconds: then), partitions)
    do throws(StoreFailure) {
      try await pool.run { connection throws(StoreFailure) in
        let session = PostgreSQLSession(connection: connection, partitions: partitions)
        // Create next month's partitions for the classes that have one for this month.
        let month = Int64(IdMonth(at: now).index)
        let classes = try session.rows("SELECT class FROM part WHERE month = $1", [.integer(month)])
        let names = classes.compactMap { row in
          RecordClass(number: Int16(truncatingIfNeeded: row.integer(0))).map {
            PostgreSQLPartitions.Name(recordClass: $0, month: .newest(at: later))
          }
        }
        try partitions.make(names, at: later, connection)
      }
    } catch {
      throw error.error
    }
  }

  /// Does nothing. PostgreSQL removes old versions of rows itself (autovacuum), and its log is part of the
  /// administrator's backups.
  func removeErasedCopies() async throws(StorageError) -> Bool { true }

  func waitForRound() async { await pool.waitForRound() }

  func databaseName() async throws(StorageError) -> String {
    try await transaction("READ ONLY") { session throws(StoreFailure) in
      (session as? PostgreSQLSession)?.connection.serverName ?? ""
    }
  }

  func close() async {
    await queue.close()
    for lane in lanes { lane.close() }
    await listener.close()
    announcer.close()
    await pool.close()
  }

  func interrupt() {
    queue.interrupt()
    for lane in lanes { lane.interrupt() }
    pool.interrupt()
  }
}

import Dispatch
import FleetDomain
import GRDB
import Glibc
import Synchronization
import Telemetry

/// The store in a SQLite file: one writer, readers beside it.
final class SQLiteEngine: StoreEngine {
  /// Connections that read.
  static let readers = 4

  let cursorKey: CursorKey
  let queue: IngestQueue
  let announcer: Announcer
  let tally = RemovalTally()
  let schemaVersion: Int
  private static let clock = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
  var clock: String { Self.clock }
  let wasRestored: Bool
  private let pool: DatabasePool
  /// `nil` for a command, if no server has opened the file before.
  private let served: ServedSQLiteFile?
  /// Read by what waits for another process.
  private let isStopping: Flag
  /// Of the one thread that writes.
  private let turns: WriterTurns

  /// - Parameter steps: ``SQLiteSchema/steps``, or those of another version.
  init(path: String, steps: [String], access: StoreAccess = .makingCommand) throws(StorageError) {
    if access.makesDatabase {
      SQLiteFile.make(path)
    } else if SQLiteFile.isEmpty(path) {
      throw StorageError(.noDatabase, path, "no database is there")
    }
    let lock = access == .server ? try SQLiteServerFile(of: path) : nil
    let (isStopping, turns) = (Flag(), WriterTurns())
    self.isStopping = isStopping
    self.turns = turns
    do {
      pool = try DatabasePool(path: path, configuration: Self.configuration(isStopping, turns))
      // WAL alone keeps a commit through a crash of the program, FULL through a power cut as well. Said here: the pool says
      // NORMAL once its connection is prepared.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      cursorKey = try SQLiteMigration.run(steps, on: pool, mayMake: access.makesDatabase)
      served = try Self.begin(lock, path, pool)
      wasRestored = served?.wasRestored ?? false
    } catch {
      throw StoreFailure(sqlite: error).error(at: path)
    }
    schemaVersion = steps.count
    let announcer = Announcer()
    self.announcer = announcer
    let (writer, file) = (pool, served)
    queue = IngestQueue(lanes: 1) { _, jobs in Self.ingest(jobs, writer, file, announcer) }
  }

  private static func begin(
    _ lock: SQLiteServerFile?, _ path: String, _ pool: DatabasePool
  ) throws -> ServedSQLiteFile? {
    if let lock { return try ServedSQLiteFile(server: lock, database: path, pool, clock: clock) }
    guard let file = SQLiteServerFile(beside: path) else { return nil }
    return try ServedSQLiteFile(command: file, database: path, pool)
  }

  private static func configuration(_ isStopping: Flag, _ turns: WriterTurns) -> Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    // Up to 10 s for a process that has the file; SQLite's own waiting would not hear that we are to stop.
    configuration.busyMode = .callback { tries in
      _ = poll(nil, 0, 10)
      turns.made()
      return tries < 1_000 && !isStopping.isSet
    }
    configuration.maximumReaderCount = readers
    configuration.prepareDatabase { database in
      // Of a new file; a record fits some 16 times, so that fewer pages are split and written.
      try database.execute(sql: "PRAGMA page_size = 8192")
      try database.execute(sql: "PRAGMA cache_size = -8192")
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 4096")
      try database.execute(sql: "PRAGMA journal_size_limit = 33554432")
    }
    return configuration
  }

  private static func ingest(
    _ jobs: [IngestJob], _ pool: DatabasePool, _ served: ServedSQLiteFile?, _ announcer: Announcer
  ) -> Result<IngestGroup, StorageError> {
    var group = IngestGroup(jobs)
    do {
      try pool.writeWithoutTransaction { database in
        try inTransaction(database, served) { session throws(StoreFailure) in try group.run(in: session) }
      }
    } catch {
      return .failure(StoreFailure(sqlite: error).error(at: pool.path))
    }
    for (tenant, position) in group.announcements { announcer.announce(tenant, position) }
    return .success(group)
  }

  // GRDB's own async calls end with the task that made them, and a write would then be undone that a caller on
  // PostgreSQL finds done: a cancelled task takes nothing back.

  func read<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        pool.asyncRead { result in
          continuation.resume(with: Result { try work(SQLiteSession(database: try result.get())) })
        }
      }
    } catch {
      throw StoreFailure(sqlite: error).error(at: pool.path)
    }
  }

  func write<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        pool.asyncWriteWithoutTransaction { [served] database in
          continuation.resume(
            with: Result {
              try Self.inTransaction(database, served) { session throws(StoreFailure) in try work(session) }
            })
        }
      }
    } catch {
      throw StoreFailure(sqlite: error).error(at: pool.path)
    }
  }

  /// Runs work in one transaction, commits it and records that something has changed.
  private static func inTransaction<Value>(
    _ database: Database, _ served: ServedSQLiteFile?, _ work: (SQLiteSession) throws(StoreFailure) -> Value
  ) throws -> Value {
    var value: Value?
    var changes: UInt64?
    try database.inTransaction(.immediate) {
      let session = SQLiteSession(database: database)
      let before = database.totalChangesCount
      value = try work(session)
      if database.totalChangesCount != before { changes = try session.countChange() }
      return .commit
    }
    if let changes { served?.record(changes, database) }
    guard let value else { throw StoreFailure(.system, "database", "the transaction did not run") }
    return value
  }

  func removeRecords(_ recordClass: RecordClass, _ bounds: RetentionBounds) async throws(StorageError) -> Int64 {
    var (total, next): (Int64, RetentionPlace?) = (0, RetentionPlace())
    while let first = next, !Task.isCancelled {
      let piece = try await write { session throws(StoreFailure) in
        try (session as? SQLiteSession)?.removePiece(recordClass, bounds, from: first) ?? (removed: 0, next: nil)
      }
      next = piece.next
      total += piece.removed
      tally.add(records: piece.removed)
    }
    return total
  }

  func removeRecords(tenant: Int32, vehicle: Int32) async throws(StorageError) -> Int64 {
    var total: Int64 = 0
    while !Task.isCancelled {
      let removed = try await write { session throws(StoreFailure) in
        try (session as? SQLiteSession)?.removePiece(tenant: tenant, vehicle: vehicle) ?? 0
      }
      if removed == 0 { break }
      total += removed
      tally.add(records: removed)
    }
    return total
  }

  func witnessedTime() async throws(StorageError) -> Timestamp? {
    let newest = try await read { session throws(StoreFailure) in
      try session.rows(
        """
        SELECT max(at) FROM tenant JOIN feed ON feed.tenant = tenant.key
          AND feed.position = (SELECT max(position) FROM feed WHERE tenant = tenant.key)
        """, []
      ).first?.optionalInteger(0)
    }
    return newest.map(StoredTime.timestamp)
  }

  /// One table has all: nothing is to be made.
  func prepare(at now: Timestamp) async throws(StorageError) {}

  func turn() async {
    await turns.wait {
      // Behind what was to be written before.
      pool.asyncWriteWithoutTransaction { [turns] _ in turns.made() }
    }
  }

  func databaseName() async throws(StorageError) -> String {
    let rows = try await read { session throws(StoreFailure) in try session.rows("SELECT sqlite_version()", []) }
    return "SQLite " + (rows.first?.text(0) ?? "")
  }

  func close() async {
    await queue.close()
    announcer.close()
    let (pool, served) = (pool, served)
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        do {
          // Calls that are under way come first: they are in the pool's queues.
          try pool.close()
          served?.release()
        } catch {
          // A reader that is not through yet: the connection then ends with it, and what was committed is in the file.
        }
        continuation.resume()
      }
    }
  }

  func interrupt() {
    isStopping.set()
    queue.interrupt()
    pool.interrupt()
  }
}

/// Says that something is to end, and goes on saying so.
private final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  func set() { value.store(true, ordering: .releasing) }
}

import Dispatch
import FleetDomain
import GRDB
import Glibc
import Synchronization
import Telemetry

/// The store in a SQLite file. One connection writes, and several connections read.
final class SQLiteEngine: StoreEngine {
  /// Number of connections that only read.
  static let readers = 4

  let cursorKey: CursorKey
  let queue: IngestQueue
  let announcer: Announcer
  let tally = RemovalTally()
  let writeTally: WriteTally? = WriteTally()
  let schemaVersion: Int
  private static let clock = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
  var clock: String { Self.clock }
  let wasRestored: Bool
  private let pool: DatabasePool
  /// Detects a restored backup. `nil` if a command has opened the file, and no server has opened it before.
  private let served: ServedSQLiteFile?
  /// A flag that is set when the storage is interrupted. It ends waits for locks of other processes.
  private let isStopping: Flag
  /// A flag that is set while the writer waits for readers. This wait must be short, because all other writes wait for
  /// it.
  private let isHurried: Toggle
  /// Shows a check whether the writing thread makes progress.
  private let progress: ThreadRounds

  /// Opens the file.
  ///
  /// - Parameter steps: ``SQLiteSchema/steps``, or the steps of an earlier version.
  init(path: String, steps: [String], access: StoreAccess = .makingCommand) throws(StorageError) {
    if access.makesDatabase {
      SQLiteFile.make(path)
    } else if SQLiteFile.isEmpty(path) {
      throw StorageError(.noDatabase, path, "there is no database")
    }
    let lock = access == .server ? try SQLiteServerFile(of: path) : nil
    let (isStopping, isHurried, progress) = (Flag(), Toggle(), ThreadRounds())
    self.isStopping = isStopping
    self.isHurried = isHurried
    self.progress = progress
    do {
      pool = try DatabasePool(path: path, configuration: Self.configuration(isStopping, isHurried, progress))
      // In WAL mode, a commit survives a crash of the program. With FULL, it also survives a power cut. This is set
      // here, because GRDB's pool sets NORMAL after it has prepared a connection.
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
    let (writer, file, times) = (pool, served, writeTally)
    queue = IngestQueue(lanes: 1) { _, jobs in
      Self.ingest(jobs, writer, file, announcer, times)
    }
  }

  private static func begin(
    _ lock: SQLiteServerFile?, _ path: String, _ pool: DatabasePool
  ) throws -> ServedSQLiteFile? {
    if let lock { return try ServedSQLiteFile(server: lock, database: path, pool, clock: clock) }
    guard let file = SQLiteServerFile(beside: path) else { return nil }
    return try ServedSQLiteFile(command: file, database: path, pool)
  }

  private static func configuration(
    _ isStopping: Flag, _ isHurried: Toggle, _ progress: ThreadRounds
  ) -> Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    // Wait up to 10 s for a lock of another process. SQLite's own wait could not be interrupted when the storage is
    // closed.
    configuration.busyMode = .callback { tries in
      _ = poll(nil, 0, 10)
      progress.made()
      return tries < (isHurried.isOn ? 10 : 1_000) && !isStopping.isSet
    }
    configuration.maximumReaderCount = readers
    configuration.prepareDatabase { database in
      // This affects only a new file. A page of 8 KiB contains about 16 records, so that fewer pages are split.
      try database.execute(sql: "PRAGMA page_size = 8192")
      try database.execute(sql: "PRAGMA cache_size = -8192")
      // Deleted data are overwritten, so that data of erased people cannot be found in the file.
      try database.execute(sql: "PRAGMA secure_delete = ON")
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 4096")
      try database.execute(sql: "PRAGMA journal_size_limit = 33554432")
    }
    return configuration
  }

  private static func ingest(
    _ jobs: [IngestJob], _ pool: DatabasePool, _ served: ServedSQLiteFile?, _ announcer: Announcer,
    _ times: WriteTally?
  ) -> Result<IngestGroup, StorageError> {
    var group = IngestGroup(jobs)
    do {
      try pool.writeWithoutTransaction { database in
        try inTransaction(database, served, times, "ingest") { session throws(StoreFailure) in
          try group.run(in: session)
        }
      }
    } catch {
      return .failure(StoreFailure(sqlite: error).error(at: pool.path))
    }
    for (tenant, position) in group.announcements { announcer.announce(tenant, position) }
    return .success(group)
  }

  // GRDB rolls back its own asynchronous calls if their task is cancelled. The functions below do not: as in
  // PostgreSQL, a call is completed even if its task is cancelled.

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
    let operation = WriteTimes.operation ?? "server"
    do {
      return try await withCheckedThrowingContinuation { continuation in
        pool.asyncWriteWithoutTransaction { [served, writeTally] database in
          continuation.resume(
            with: Result {
              try Self.inTransaction(database, served, writeTally, operation) { session throws(StoreFailure) in
                try work(session)
              }
            })
        }
      }
    } catch {
      throw StoreFailure(sqlite: error).error(at: pool.path)
    }
  }

  /// Runs work in a transaction, counts the transaction if it has changed something, and commits it.
  private static func inTransaction<Value>(
    _ database: Database, _ served: ServedSQLiteFile?, _ times: WriteTally?, _ operation: String,
    _ work: (SQLiteSession) throws(StoreFailure) -> Value
  ) throws -> Value {
    let start = ContinuousClock.now
    defer { times?.add(ContinuousClock.now - start, operation) }
    var value: Value?
    var changes: UInt64?
    try database.inTransaction(.immediate) {
      let session = SQLiteSession(database: database)
      let before = database.totalChangesCount
      value = try work(session)
      try session.storeRecordBytes()
      if database.totalChangesCount != before { changes = try session.countChange() }
      return .commit
    }
    if let changes { served?.record(changes, database) }
    guard let value else { throw StoreFailure(.system, "database", "the transaction did not run") }
    return value
  }

  func removeRecords(_ recordClass: RecordClass, _ bounds: RetentionBounds) async throws(StorageError) -> Int64 {
    try await removeInPieces(from: RetentionPlace()) { session, place throws(StoreFailure) in
      try (session as? SQLiteSession)?.removePiece(recordClass, bounds, from: place) ?? (removed: 0, next: nil)
    }
  }

  func removeRecords(tenant: Int32, vehicle: Int32) async throws(StorageError) -> Int64 {
    try await removeInPieces { session throws(StoreFailure) in
      try (session as? SQLiteSession)?.removePiece(tenant: tenant, vehicle: vehicle) ?? 0
    }
  }

  func referenceTime() async throws(StorageError) -> Timestamp? {
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

  /// Does nothing, because SQLite has no partitions.
  func prepare(at now: Timestamp) async throws(StorageError) {}

  /// Writes all pages from the write-ahead log to the file, and empties the log, because it contains earlier versions
  /// of pages. In the file, SQLite overwrites deleted data with zeros (`secure_delete`). Returns `false` if another
  /// connection prevented this.
  func removeErasedCopies() async throws(StorageError) -> Bool {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        pool.asyncWriteWithoutTransaction { [isHurried] database in
          // All other writes wait during this call.
          isHurried.set(true)
          defer { isHurried.set(false) }
          do {
            _ = try database.checkpoint(.truncate)
            continuation.resume(returning: true)
          } catch DatabaseError.SQLITE_BUSY {
            continuation.resume(returning: false)
          } catch {
            continuation.resume(throwing: error)
          }
        }
      }
    } catch {
      throw StoreFailure(sqlite: error).error(at: pool.path)
    }
  }

  func waitForRound() async {
    await progress.wait {
      // This closure runs after all writes that were queued before it.
      pool.asyncWriteWithoutTransaction { [progress] _ in progress.made() }
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
          // This waits for the calls in progress.
          try pool.close()
          served?.release()
        } catch {
          // A reader has not finished. Its connection is closed later. All committed data are in the file.
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

/// A flag that is set once and never cleared.
private final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  func set() { value.store(true, ordering: .releasing) }
}

/// A flag that can be set and cleared.
private final class Toggle: Sendable {
  private let value = Atomic(false)

  var isOn: Bool { value.load(ordering: .acquiring) }

  func set(_ isOn: Bool) { value.store(isOn, ordering: .releasing) }
}

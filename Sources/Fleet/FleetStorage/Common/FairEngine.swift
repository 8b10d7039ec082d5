import FleetDomain
import Telemetry

/// An engine in which each call first waits for a permit (``FairPermits``), so that no tenant delays the others.
/// Ingestion needs no permit, because ``IngestQueue`` itself is fair. Retention needs no permit either, because its
/// transactions are small.
struct FairEngine: StoreEngine {
  private let engine: any StoreEngine
  private let reads: FairPermits
  private let writes: FairPermits

  /// Adds permits to an engine.
  ///
  /// - Parameters:
  ///   - reads: the permits for calls that read.
  ///   - writes: the permits for calls that write. This is the same object as `reads` if reading and writing calls use
  ///     the same connections.
  init(_ engine: any StoreEngine, reads: FairPermits, writes: FairPermits) {
    self.engine = engine
    self.reads = reads
    self.writes = writes
  }

  var cursorKey: CursorKey { engine.cursorKey }
  var queue: IngestQueue { engine.queue }
  var announcer: Announcer { engine.announcer }
  var tally: RemovalTally { engine.tally }
  var writeTally: WriteTally? { engine.writeTally }
  var schemaVersion: Int { engine.schemaVersion }
  var clock: String { engine.clock }
  var wasRestored: Bool { engine.wasRestored }

  func read<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value {
    try await reads.run(isCancellable: true) { () throws(StorageError) in try await engine.read(work) }
  }

  func write<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value {
    try await writes.run(isCancellable: false) { () throws(StorageError) in try await engine.write(work) }
  }

  func referenceTime() async throws(StorageError) -> Timestamp? { try await engine.referenceTime() }
  func prepare(at now: Timestamp) async throws(StorageError) { try await engine.prepare(at: now) }

  func removeRecords(_ recordClass: RecordClass, _ bounds: RetentionBounds) async throws(StorageError) -> Int64 {
    try await engine.removeRecords(recordClass, bounds)
  }

  func removeRecords(tenant: Int32, vehicle: Int32) async throws(StorageError) -> Int64 {
    try await engine.removeRecords(tenant: tenant, vehicle: vehicle)
  }

  func removeErasedCopies() async throws(StorageError) -> Bool { try await engine.removeErasedCopies() }

  func databaseName() async throws(StorageError) -> String { try await engine.databaseName() }
  func waitForRound() async { await engine.waitForRound() }

  func close() async { await engine.close() }

  func interrupt() {
    reads.close()
    writes.close()
    engine.interrupt()
  }
}

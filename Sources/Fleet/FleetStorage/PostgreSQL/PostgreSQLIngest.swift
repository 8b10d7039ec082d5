import FleetDomain
import Synchronization

/// Stores batches for one lane (a thread of ``IngestQueue``), with a connection of its own. A broken connection is
/// replaced.
final class PostgreSQLIngest: Sendable {
  private let address: PostgreSQLAddress
  private let partitions: PostgreSQLPartitions
  private let announcer: Announcer
  private let connection = Mutex<PostgreSQLConnection?>(nil)
  private let isStopping = Atomic(false)

  init(address: PostgreSQLAddress, partitions: PostgreSQLPartitions, announcer: Announcer) {
    self.address = address
    self.partitions = partitions
    self.announcer = announcer
  }

  /// Stores and commits a group of batches. After a conflict with another transaction, the group is tried again, up to
  /// 8 times in total.
  func ingest(_ jobs: [IngestJob]) -> Result<IngestGroup, StorageError> {
    var tries = 0
    // Records whose more accurate times were postponed already exist in the database.
    var expectsDuplicates = jobs.contains(where: \.wasPostponed)
    while true {
      tries += 1
      do throws(StoreFailure) {
        let group = try attempt(jobs, expectsDuplicates)
        for (tenant, position) in group.announcements { announcer.announce(tenant, position) }
        return .success(group)
      } catch {
        // A broken connection is replaced for the next group. This group is not stored again, because it may have been
        // committed. The senders send it again, and duplicates are recognised.
        if error.mayRetry, tries < 8 {
          if error.isDuplicateKey { expectsDuplicates = true } else { partitions.forget() }
          continue
        }
        return .failure(error.error)
      }
    }
  }

  /// Makes the current call and all later calls fail.
  func interrupt() {
    isStopping.store(true, ordering: .releasing)
    connection.withLock { $0?.interrupt() }
  }

  /// Closes the connection. Must not be called during ``ingest(_:)``.
  func close() { connection.withLock { $0 = nil } }

  private func attempt(_ jobs: [IngestJob], _ expectsDuplicates: Bool) throws(StoreFailure) -> IngestGroup {
    let connection = try open()
    try partitions.make(for: jobs, connection)
    let session = PostgreSQLSession(
      connection: connection, partitions: partitions, expectsDuplicates: expectsDuplicates)
    var group = IngestGroup(jobs)
    try session.inTransaction { () throws(StoreFailure) in try group.run(in: session) }
    return group
  }

  private func open() throws(StoreFailure) -> PostgreSQLConnection {
    if let open = connection.withLock({ $0 }), open.isOpen, !open.isInTransaction { return open }
    let new = try PostgreSQLConnection(address: address)
    connection.withLock { $0 = new }
    guard !isStopping.load(ordering: .acquiring) else { throw StoreFailure(.unavailable, "PostgreSQL", "closed") }
    return new
  }
}

import Synchronization

/// Counts removed records and removed changes of feeds. Each removal is counted as soon as it is committed.
final class RemovalTally: Sendable {
  private let state = Mutex<(records: Int64, changes: Int64)>((0, 0))

  var counts: (records: Int64, changes: Int64) { state.withLock { $0 } }

  func add(records: Int64 = 0, changes: Int64 = 0) {
    state.withLock { state in
      state.records += records
      state.changes += changes
    }
  }
}

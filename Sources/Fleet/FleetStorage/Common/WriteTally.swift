import FleetDomain
import Synchronization

/// The durations of transactions since the storage was opened, by operation.
final class WriteTally: Sendable {
  private let all = Mutex<[String: WriteTimes]>([:])

  var times: [String: WriteTimes] { all.withLock { $0 } }

  func add(_ duration: Duration, _ operation: String) {
    all.withLock { $0[operation, default: WriteTimes()].add(duration) }
  }
}

import FleetDomain
import Synchronization

/// For each operation, the durations of its transactions since the storage was opened.
final class WriteTally: Sendable {
  private let all = Mutex<[String: WriteTimes]>([:])

  var times: [String: WriteTimes] { all.withLock { $0 } }

  func add(_ duration: Duration, _ operation: String) {
    all.withLock { $0[operation, default: WriteTimes()].add(duration) }
  }
}

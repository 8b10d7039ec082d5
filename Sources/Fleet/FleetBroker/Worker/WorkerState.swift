import Synchronization

/// The state that the worker's thread shares with other threads.
final class WorkerState: Sendable {
  let wakeUp: WakeUpPipe
  private let counts = Mutex(BrokerCounts())
  /// The time by which the worker must have stopped; `.max` if no stop is requested.
  private let deadline = Atomic(Int64.max)

  init() throws(BrokerFailure) { wakeUp = try WakeUpPipe() }

  var isStopping: Bool { stopsAt != .max }
  var stopsAt: Int64 { deadline.load(ordering: .acquiring) }

  /// Requests a stop. Work in progress may continue until this time.
  func stop(by time: Int64) {
    _ = deadline.compareExchange(expected: .max, desired: time, ordering: .acquiringAndReleasing)
    wakeUp.wake()
  }

  var now: BrokerCounts { counts.withLock { $0 } }

  func count(_ change: (inout BrokerCounts) -> Void) { counts.withLock { change(&$0) } }
}

import CSystemd
import Failures
import GatewayOutput
import Ports
import Synchronization

/// Notifies the service manager that started the daemon: when the daemon is ready, when it ends, and, if there is a
/// watchdog, that all threads needed for records make progress (sd_notify(3), sd_watchdog_enabled(3)).
///
/// The watchdog is notified six times in its interval. A thread that makes no progress during two of these periods is
/// stuck. Notifications then stop until it continues. If it does not, the service manager restarts the daemon.
struct ServiceManager: ~Copyable {
  /// Time between two notifications, ns; `nil` without a watchdog.
  private let interval: Int64?
  /// Threads that run from start to end.
  private var watched: [(name: String, progress: Progress)] = []
  /// Boot time of the next notification; `.max` for never.
  private(set) var nextPing = Int64.max
  /// The thread that was stuck at the last check.
  private var stuck: String? { didSet { stuckThread.name = stuck } }
  /// The same value, readable by other threads.
  let stuckThread = StuckThread()
  /// Requests more time for a long start.
  let start = StartExtension()

  init() {
    let limit = csystemd_watchdog()
    interval = limit > 0 ? max(limit * 1_000 / 6, 1_000_000) : nil
    if let interval { nextPing = BootClock.now &+ interval }
  }

  /// Returns the progress of another thread; `nil` without a watchdog.
  func progress() -> Progress? { interval.map { Progress(interval: $0) } }

  /// Supervises a thread.
  ///
  /// - Parameter name: for log lines.
  mutating func watch(_ name: String, _ progress: Progress?) {
    if let progress { watched.append((name, progress)) }
  }

  /// Reports that the daemon is ready.
  func notifyReady() {
    start.end()
    notify("READY=1")
  }

  /// Sends a notification to the service manager.
  ///
  /// - Parameter state: a text as listed in sd_notify(3).
  func notify(_ state: String) {
    let code = unsafe csystemd_notify(state)
    if code < 0 { Log.write("cannot notify the service manager of \(state): \(systemReason(-code))") }
  }

  /// Notifies the watchdog if it is due and no thread is stuck; a stuck thread is logged once.
  mutating func ping(with links: Dictionary<Int, RunningLink>.Values, at now: Int64) {
    guard let interval, now >= nextPing else { return }
    nextPing = now &+ interval
    let name =
      watched.first { $0.progress.isStuck(at: now) }?.name
      ?? links.first { $0.progress?.isStuck(at: now) ?? false }?.name
    if let name, name != stuck { Log.write("\(name): stuck; the watchdog is not pinged until it continues", .error) }
    stuck = name
    if name == nil { notify("WATCHDOG=1") }
  }
}

/// Requests more time while the start makes progress (sd_notify(3), EXTEND_TIMEOUT_USEC=). A damaged spool is read
/// completely before the daemon is ready, and a worn disk may take long. A start without progress ends after the usual
/// time limit.
final class StartExtension: Sendable {
  /// Requested time, which exceeds the longest single step, and the time between two requests, which limits the number
  /// of datagrams; s.
  private static let seconds: (more: Int64, pause: Int64) = (60, 10)

  /// Boot time of the next request; `.max` after the start.
  private let next = Atomic<Int64>(0)

  /// Reports progress of the start; without effect after it.
  func continues() {
    let now = BootClock.now
    guard now >= next.load(ordering: .relaxed) else { return }
    next.store(now &+ Self.seconds.pause * 1_000_000_000, ordering: .relaxed)
    // If this fails, the notification of readiness fails too and is logged.
    _ = unsafe csystemd_notify("EXTEND_TIMEOUT_USEC=\(Self.seconds.more)000000")
  }

  func end() { next.store(.max, ordering: .relaxed) }
}

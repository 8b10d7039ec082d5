import CSystemd
import Failures
import GatewayOutput
import Ports
import Synchronization

/// Sends notifications to the service manager that started the daemon: one when the daemon is ready, and one when it
/// ends. If there is a watchdog, it is notified while all threads that are needed for records make progress
/// (sd_notify(3), sd_watchdog_enabled(3)).
///
/// The watchdog is notified six times per watchdog interval. A thread counts as stuck if it makes no progress for two
/// sixths of the interval. The notifications then stop until the thread continues. If it does not continue in time, the
/// service manager restarts the daemon.
struct ServiceManager: ~Copyable {
  /// Time between two notifications of the watchdog, ns; `nil` without a watchdog.
  private let interval: Int64?
  /// The watched threads that run until the daemon ends. Threads of links are not in this list.
  private var watched: [(name: String, progress: Progress)] = []
  /// Time of the next notification of the watchdog, ns since boot; `.max` without a watchdog.
  private(set) var nextPing = Int64.max
  /// The name of a thread that was stuck at the last check; `nil` if no thread was stuck.
  private var stuck: String? { didSet { stuckThread.name = stuck } }
  /// The name of a thread that was stuck at the last check, for other threads to read; `nil` if no thread was stuck.
  let stuckThread = StuckThread()
  /// Requests more time from the service manager if the start takes long.
  let start = StartExtension()

  init() {
    let limit = csystemd_watchdog()
    interval = limit > 0 ? max(limit * 1_000 / 6, 1_000_000) : nil
    if let interval { nextPing = BootClock.now &+ interval }
  }

  /// Creates an object with which a thread reports its progress; `nil` without a watchdog.
  func progress() -> Progress? { interval.map { Progress(interval: $0) } }

  /// Begins to watch the progress of a thread; does nothing if `progress` is `nil`.
  ///
  /// - Parameter name: the thread's name in log lines.
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
  /// - Parameter state: an assignment as in sd_notify(3), for example `READY=1`.
  func notify(_ state: String) {
    let code = unsafe csystemd_notify(state)
    if code < 0 { Log.write("cannot notify the service manager of \(state): \(systemReason(-code))") }
  }

  /// Notifies the watchdog if a notification is due and no thread is stuck. A stuck thread is logged once.
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

/// Requests more time from the service manager while the start makes progress (sd_notify(3), EXTEND_TIMEOUT_USEC=). A
/// damaged spool is read completely before the daemon is ready, and this may take long on a worn disk. If the start
/// makes no progress, the usual time limit applies.
final class StartExtension: Sendable {
  /// `more` is the time to request, which is longer than any single step of the start. `pause` is the minimum time
  /// between two requests. Both are in s.
  private static let seconds: (more: Int64, pause: Int64) = (60, 10)

  /// Time of the next request, ns since boot; `.max` after the start, when no more time is needed.
  private let next = Atomic<Int64>(0)

  /// Requests more time if a request is due. Call this when the start has made progress. It has no effect after the
  /// start.
  func continues() {
    let now = BootClock.now
    guard now >= next.load(ordering: .relaxed) else { return }
    next.store(now &+ Self.seconds.pause * 1_000_000_000, ordering: .relaxed)
    // An error is not logged here. The same error will occur and be logged when the daemon is ready.
    _ = unsafe csystemd_notify("EXTEND_TIMEOUT_USEC=\(Self.seconds.more)000000")
  }

  func end() { next.store(.max, ordering: .relaxed) }
}

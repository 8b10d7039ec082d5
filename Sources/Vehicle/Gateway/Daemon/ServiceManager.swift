import CSystemd
import Failures
import GatewayOutput
import Ports
import Synchronization

/// Notifies the service manager that started the daemon: when the daemon is ready, when it ends, and, if there is a
/// watchdog, that all threads needed for records make progress (sd_notify(3), sd_watchdog_enabled(3)).
///
/// The watchdog is notified six times in its interval. A thread that makes no progress for two sixths of the interval
/// is stuck. The notifications then stop until the thread continues. If it does not continue, the service manager
/// restarts the daemon.
struct ServiceManager: ~Copyable {
  /// Time between two notifications, ns; `nil` without a watchdog.
  private let interval: Int64?
  /// The watched threads that run as long as the daemon.
  private var watched: [(name: String, progress: Progress)] = []
  /// Boot time of the next notification; `.max` for never.
  private(set) var nextPing = Int64.max
  /// The name of the thread that was stuck at the last check; `nil` if none was.
  private var stuck: String? { didSet { stuckThread.name = stuck } }
  /// The name of the thread that was stuck at the last check, for other threads to read.
  let stuckThread = StuckThread()
  /// Asks the service manager for more time if the start takes long.
  let start = StartExtension()

  init() {
    let limit = csystemd_watchdog()
    interval = limit > 0 ? max(limit * 1_000 / 6, 1_000_000) : nil
    if let interval { nextPing = BootClock.now &+ interval }
  }

  /// Creates the object by which a thread reports its progress; `nil` without a watchdog.
  func progress() -> Progress? { interval.map { Progress(interval: $0) } }

  /// Watches the progress of a thread.
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

  /// Notifies the watchdog if a notification is due and no thread is stuck. If a thread is stuck, that is logged once.
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

/// Asks the service manager for more time as long as the start makes progress (sd_notify(3), EXTEND_TIMEOUT_USEC=). A
/// damaged spool is read completely before the daemon is ready, and a worn disk may take long. If the start makes no
/// progress, the usual time limit applies.
final class StartExtension: Sendable {
  /// The time to request, which is longer than any single step of the start, and the minimum time between two requests;
  /// s.
  private static let seconds: (more: Int64, pause: Int64) = (60, 10)

  /// Time of the boot clock before which no further request is sent; `.max` after the start, which then needs no more
  /// time.
  private let next = Atomic<Int64>(0)

  /// Call this when the start has made progress. It has no effect after the start.
  func continues() {
    let now = BootClock.now
    guard now >= next.load(ordering: .relaxed) else { return }
    next.store(now &+ Self.seconds.pause * 1_000_000_000, ordering: .relaxed)
    // An error is not logged here. It will occur again, and be logged, when the daemon is ready.
    _ = unsafe csystemd_notify("EXTEND_TIMEOUT_USEC=\(Self.seconds.more)000000")
  }

  func end() { next.store(.max, ordering: .relaxed) }
}

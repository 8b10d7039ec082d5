import CSystemd
import Ports
import Synchronization

/// Whoever started the daemon as a service: it is told when the daemon is ready and when it ends, and, where it keeps a
/// watchdog, that every thread without which nothing gets to the disk goes on (sd_notify(3), sd_watchdog_enabled(3)).
///
/// The watchdog is pinged six times in its limit. A thread that has not made a turn for two pings is stuck, and there
/// are no more pings until it goes on; when none comes, the service manager starts the daemon anew.
struct ServiceManager: ~Copyable {
  /// Between two pings, ns; nil: nobody waits for any.
  private let interval: Int64?
  /// Threads that are there from start to end.
  private var watched: [(name: String, progress: Progress)] = []
  /// When the next ping is due, by the boot clock; `.max`: never.
  private(set) var nextPing = Int64.max
  /// What was stuck at the last look.
  private var stuck: String? { didSet { stuckThread.name = stuck } }
  /// The same, for other threads.
  let stuckThread = StuckThread()
  /// For what may take longer than a start usually does.
  let start = StartExtension()

  init() {
    let limit = csystemd_watchdog()
    interval = limit > 0 ? max(limit * 1_000 / 6, 1_000_000) : nil
    if let interval { nextPing = BootClock.now &+ interval }
  }

  /// For one more thread that is to be watched; nil: nobody wants to know.
  func progress() -> Progress? { interval.map { Progress(interval: $0) } }

  /// - Parameter name: for people.
  mutating func watch(_ name: String, _ progress: Progress?) {
    if let progress { watched.append((name, progress)) }
  }

  /// The daemon is ready.
  func tellReady() {
    start.end()
    tell("READY=1")
  }

  /// - Parameter state: as sd_notify(3) lists them.
  func tell(_ state: String) {
    let code = unsafe csystemd_notify(state)
    if code < 0 { Log.write("the service manager cannot be told \(state): \(systemReason(-code))") }
  }

  /// Pings where it is due, unless a thread is stuck; that is said, once.
  mutating func ping(with links: Dictionary<Int, RunningLink>.Values, at now: Int64) {
    guard let interval, now >= nextPing else { return }
    nextPing = now &+ interval
    let name =
      watched.first { $0.progress.isStuck(at: now) }?.name
      ?? links.first { $0.progress?.isStuck(at: now) ?? false }?.name
    if let name, name != stuck { Log.write("\(name): stuck; the watchdog is not pinged until it goes on", .error) }
    stuck = name
    if name == nil { tell("WATCHDOG=1") }
  }
}

/// Asks for more time to start, again and again, as long as the start goes on (sd_notify(3), EXTEND_TIMEOUT_USEC=): a
/// damaged spool is read through before the daemon is ready, and nobody knows how long a worn disk takes for that. One
/// that does not come back is ended, as ever.
final class StartExtension: Sendable {
  /// What is asked for, and how often, s: the longest that one step may take, and few datagrams.
  private static let seconds: (more: Int64, pause: Int64) = (60, 10)

  /// When it is asked for next, by the boot clock; `.max`: the start is over.
  private let next = Atomic<Int64>(0)

  /// A turn of what takes long; after the start, nothing.
  func goesOn() {
    let now = BootClock.now
    guard now >= next.load(ordering: .relaxed) else { return }
    next.store(now &+ Self.seconds.pause * 1_000_000_000, ordering: .relaxed)
    // Who cannot be told here cannot be told anything, which is said when the daemon is ready.
    _ = unsafe csystemd_notify("EXTEND_TIMEOUT_USEC=\(Self.seconds.more)000000")
  }

  func end() { next.store(.max, ordering: .relaxed) }
}

import CSystemd
import FleetAPI
import FleetDomain
import Logging
import ServiceLifecycle
import Synchronization

/// Notifies the service manager (sd_notify(3)) when the server is ready and when it stops. If the service has a
/// watchdog, sends four pings in each watchdog period, as long as the threads that handle requests and the threads of
/// the storage make progress. Without pings, the service manager restarts the server.
///
/// If PostgreSQL cannot be reached, pings continue, because a restart of the server would not help. `/api/health` and
/// the log report the problem.
struct ServiceNotices: Service {
  let storage: any FleetStorage
  let server: FleetServer
  let logger: Logger

  /// Reports that the server accepts requests.
  static func ready() { _ = unsafe csystemd_notify("READY=1") }

  func run() async throws {
    let work = Task { await self.repeatPings() }
    defer { work.cancel() }
    try await gracefulShutdown()
    notify("STOPPING=1")
  }

  private func repeatPings() async {
    let limit = csystemd_watchdog()
    guard limit > 0 else { return }
    let (storage, server) = (storage, server)
    var answers = Watched("the storage", "has not answered for \(limit / 4_000_000) s", "answers again") {
      // An error also shows that the storage responds.
      _ = try? await storage.health()
    }
    var writes = Watched("the storage's threads", Self.stuck, "make progress again") { await storage.waitForRound() }
    var loops = Watched("the threads that answer requests", Self.stuck, "make progress again") {
      await server.waitForRound()
    }
    while !Task.isCancelled {
      answers.check { logger.log(level: $0 ? .warning : .notice, "\($1)") }
      writes.check { logger.log(level: $0 ? .error : .notice, "\($1)") }
      loops.check { logger.log(level: $0 ? .error : .notice, "\($1)") }
      if !writes.isStuck, !loops.isStuck { notify("WATCHDOG=1") }
      do {
        try await Task.sleep(for: .microseconds(limit / 4))
      } catch {
        return
      }
    }
  }

  private static let stuck = "are stuck; the watchdog is not pinged until they make progress"

  private func notify(_ state: String) {
    let code = unsafe csystemd_notify(state)
    if code < 0 { logger.warning("cannot notify the service manager of \(state): error \(-code)") }
  }
}

/// A component that is regularly checked for progress. A check does not wait: it asks for a sign of progress, and the
/// next check finds out whether the sign has come.
private struct Watched {
  /// Whether a sign of progress is overdue.
  private(set) var isStuck = false
  private let name: String
  private let stops: String
  private let resumes: String
  private let question: Question

  /// Creates the checks of a component.
  ///
  /// - Parameters:
  ///   - stops: the log line when the component makes no progress.
  ///   - resumes: the log line when it makes progress again.
  ///   - ask: returns when the component has made progress.
  init(_ name: String, _ stops: String, _ resumes: String, _ ask: @escaping @Sendable () async -> Void) {
    self.name = name
    self.stops = stops
    self.resumes = resumes
    question = Question(ask)
  }

  /// Checks whether the last request was answered, and sends a new one.
  ///
  /// - Parameter report: called if the component became stuck, or is no longer stuck.
  mutating func check(_ report: (_ isStuck: Bool, _ line: String) -> Void) {
    if question.isOpen != isStuck {
      isStuck.toggle()
      report(isStuck, "\(name) \(isStuck ? stops : resumes)")
    }
    question.send()
  }
}

private final class Question: Sendable {
  private let work: @Sendable () async -> Void
  private let waits = Mutex(false)

  init(_ work: @escaping @Sendable () async -> Void) { self.work = work }

  var isOpen: Bool { waits.withLock { $0 } }

  /// Asks for a sign of progress, unless an earlier request was not answered yet.
  func send() {
    let isNew = waits.withLock { waits in
      defer { waits = true }
      return !waits
    }
    guard isNew else { return }
    Task {
      await work()
      waits.withLock { $0 = false }
    }
  }
}

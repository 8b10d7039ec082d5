import CSystemd
import FleetAPI
import FleetDomain
import Logging
import ServiceLifecycle
import Synchronization

/// What the service manager is told (sd_notify(3)): that the server takes requests, that it ends, and, where a watchdog
/// waits for it, that its threads go on: those that answer requests, and those of the storage. The watchdog is pinged four
/// times in its limit; while a thread is stuck there are no pings, and when none comes, the server is started anew.
///
/// A PostgreSQL that is away, or that hangs, is no fault of the server's, and starting it anew brings nothing back: then
/// pings go on, `/api/health` says how it is, and so does the log.
struct ServiceNotices: Service {
  let storage: any FleetStorage
  let server: FleetServer
  let logger: Logger

  /// Requests are taken from now on.
  static func ready() { _ = unsafe csystemd_notify("READY=1") }

  func run() async throws {
    let work = Task { await self.repeatPings() }
    defer { work.cancel() }
    try await gracefulShutdown()
    tell("STOPPING=1")
  }

  private func repeatPings() async {
    let limit = csystemd_watchdog()
    guard limit > 0 else { return }
    let (storage, server) = (storage, server)
    var answers = Watched("the storage", "has not answered for \(limit / 4_000_000) s", "answers again") {
      // An error is an answer, too.
      _ = try? await storage.health()
    }
    var writes = Watched("the storage's threads", Self.stuck, "go on") { await storage.turn() }
    var loops = Watched("the threads that answer requests", Self.stuck, "go on") { await server.turn() }
    while !Task.isCancelled {
      answers.look { logger.log(level: $0 ? .warning : .notice, "\($1)") }
      writes.look { logger.log(level: $0 ? .error : .notice, "\($1)") }
      loops.look { logger.log(level: $0 ? .error : .notice, "\($1)") }
      if !writes.isStuck, !loops.isStuck { tell("WATCHDOG=1") }
      do {
        try await Task.sleep(for: .microseconds(limit / 4))
      } catch {
        return
      }
    }
  }

  private static let stuck = "are stuck; the watchdog is not pinged until they go on"

  private func tell(_ state: String) {
    let code = unsafe csystemd_notify(state)
    if code < 0 { logger.warning("the service manager cannot be told \(state): error \(-code)") }
  }
}

/// Something that is asked again and again whether it goes on, one question at a time, and never waited for.
private struct Watched {
  /// At the last look the question before it had no answer.
  private(set) var isStuck = false
  private let name: String
  private let stops: String
  private let resumes: String
  private let question: Question

  /// - Parameters:
  ///   - stops: what is said of it when it does not go on, and `resumes` when it does again.
  ///   - ask: returns once it has gone on.
  init(_ name: String, _ stops: String, _ resumes: String, _ ask: @escaping @Sendable () async -> Void) {
    self.name = name
    self.stops = stops
    self.resumes = resumes
    question = Question(ask)
  }

  /// Looks whether what was asked at the last look is answered, and asks anew.
  ///
  /// - Parameter say: is told of changes.
  mutating func look(_ say: (_ isStuck: Bool, _ line: String) -> Void) {
    if question.isOpen != isStuck {
      isStuck.toggle()
      say(isStuck, "\(name) \(isStuck ? stops : resumes)")
    }
    question.ask()
  }
}

private final class Question: Sendable {
  private let work: @Sendable () async -> Void
  private let waits = Mutex(false)

  init(_ work: @escaping @Sendable () async -> Void) { self.work = work }

  var isOpen: Bool { waits.withLock { $0 } }

  /// Asks, unless the last question waits for its answer still.
  func ask() {
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

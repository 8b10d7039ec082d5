import CSystemd
import FleetDomain
import Logging
import ServiceLifecycle
import Synchronization

/// What the service manager is told (sd_notify(3)): that the server takes requests, that it ends, and, where a watchdog
/// waits for it, that tasks still run: a server that hangs says nothing. A database that is away, or that hangs, is no
/// fault of the server's, and starting it anew brings nothing back: that it does not answer is a line in the log.
struct ServiceNotices: Service {
  let storage: any FleetStorage
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
    let question = StorageQuestion(storage)
    var isSilent = false
    while !Task.isCancelled {
      // Asked at the ping before, and one question at a time.
      if question.isUnanswered != isSilent {
        isSilent.toggle()
        if isSilent {
          logger.warning("the storage has not answered for \(limit / 4_000_000) s")
        } else {
          logger.notice("the storage answers again")
        }
      }
      question.ask()
      tell("WATCHDOG=1")
      do {
        try await Task.sleep(for: .microseconds(limit / 4))
      } catch {
        return
      }
    }
  }

  private func tell(_ state: String) {
    let code = unsafe csystemd_notify(state)
    if code < 0 { logger.warning("the service manager cannot be told \(state): error \(-code)") }
  }
}

/// Whether the storage answers, asked without waiting for it.
private final class StorageQuestion: Sendable {
  private let storage: any FleetStorage
  private let waits = Mutex(false)

  init(_ storage: any FleetStorage) { self.storage = storage }

  var isUnanswered: Bool { waits.withLock { $0 } }

  /// Asks, unless the last question waits for its answer still. An error is one, too.
  func ask() {
    let isNew = waits.withLock { waits in
      defer { waits = true }
      return !waits
    }
    guard isNew else { return }
    Task {
      _ = try? await storage.health()
      waits.withLock { $0 = false }
    }
  }
}

import CSystemd
import FleetDomain
import Logging
import ServiceLifecycle

/// What the service manager is told (sd_notify(3)): that the server takes requests, that it ends, and, where a watchdog
/// waits for it, that the storage answers. An error is an answer, too: a database that is away is no fault of the
/// server's, and starting it anew brings nothing back.
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
    while !Task.isCancelled {
      do throws(StorageError) {
        _ = try await storage.health()
      } catch {
        logger.debug("the storage answers the watchdog: \(error)")
      }
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

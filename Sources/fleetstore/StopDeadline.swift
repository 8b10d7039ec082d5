import Dispatch
import FleetAPI
import Glibc
import Logging
import ServiceLifecycle

/// Ends the program when a stop takes longer than it may: a disk that does not answer can be neither waited for nor
/// broken off. Nothing is lost by that: what was answered is committed, and what is not answered is sent again.
struct StopDeadline: Service {
  let milliseconds: Int
  let logger: Logger

  /// - Parameter limits: of the server that is stopped.
  init(_ limits: ServerLimits, logger: Logger) {
    milliseconds = limits.stopSeconds * 1_000 - 100
    self.logger = logger
  }

  /// Requests that are not answered by then are not answered.
  var forRequests: Duration { .milliseconds(milliseconds - 600) }
  /// How long the database may take to end what is under way.
  static let forDatabase = Duration.milliseconds(100)

  func run() async throws {
    try await gracefulShutdown()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [logger] in
      logger.warning("ended before the database did")
      _exit(0)
    }
  }
}

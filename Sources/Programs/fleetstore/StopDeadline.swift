import Dispatch
import FleetAPI
import Glibc
import Logging
import ServiceLifecycle

/// Ends the program if stopping takes too long, because a call that waits for a disk cannot be interrupted. No data are
/// lost: batches that were answered are committed, and clients send all others again.
struct StopDeadline: Service {
  let milliseconds: Int
  let logger: Logger
  private let onStop: @Sendable () -> Void

  /// Creates a deadline, which begins when the server stops.
  ///
  /// - Parameters:
  ///   - limits: limits of the server.
  ///   - onStop: called when the stop begins.
  init(_ limits: ServerLimits, logger: Logger, onStop: @escaping @Sendable () -> Void) {
    milliseconds = limits.stopSeconds * 1_000 - 100
    self.logger = logger
    self.onStop = onStop
  }

  /// The time limit for requests in progress.
  var forRequests: Duration { .milliseconds(milliseconds - 600) }
  /// The time limit for calls of the database in progress.
  static let forDatabase = Duration.milliseconds(100)

  func run() async throws {
    try await gracefulShutdown()
    onStop()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [logger] in
      logger.warning("ended before the database did")
      _exit(0)
    }
  }
}

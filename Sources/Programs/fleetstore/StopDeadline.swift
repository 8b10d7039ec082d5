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
  private let onStop: @Sendable () -> Void

  /// - Parameters:
  ///   - limits: of the server that is stopped.
  ///   - onStop: called as soon as the stop begins, for what ends beside the server.
  init(_ limits: ServerLimits, logger: Logger, onStop: @escaping @Sendable () -> Void) {
    milliseconds = limits.stopSeconds * 1_000 - 100
    self.logger = logger
    self.onStop = onStop
  }

  /// Requests that are not answered by then are not answered.
  var forRequests: Duration { .milliseconds(milliseconds - 600) }
  /// How long the database may take to end what is under way.
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

import NIOPosix

/// Runs work that occupies a processor for milliseconds: decompressing and parsing long bodies, encoding long lists.
///
/// It has its own threads, which serve tenants in rotation. Such work therefore does not delay small requests.
final class HeavyWork: Sendable {
  /// Maximum length of bodies that are processed on the event loop, bytes. For short bodies, switching to another
  /// thread costs more than it saves.
  static let smallBytes = 16 << 10

  private let threads: NIOThreadPool
  private let permits: Budget

  /// Creates the threads.
  ///
  /// - Parameters:
  ///   - processors: number of processors of the machine.
  ///   - seconds: the maximum time that work waits for a thread.
  init(processors: Int, within seconds: Int) {
    // One processor remains free for all other work. The budget leaves one permit free for another tenant.
    threads = NIOThreadPool(numberOfThreads: max(processors - 1, 1))
    threads.start()
    permits = Budget(
      max(processors, 2), fairness: .init(group: 3), patience: .seconds(seconds),
      refusal: APIError(
        .serviceUnavailable, "busy", "long requests keep the server's processors busy; try again", retryAfter: 5))
  }

  /// Waits until the work in progress is finished, and ends the threads.
  func stop() async throws { try await threads.shutdownGracefully() }

  /// Waits for a permit to do such work in the current task instead of on a thread. The permit is returned when the
  /// share is released.
  ///
  /// - Throws: 503 if there is no permit in time.
  func permit(for holder: Holder) async throws(APIError) -> Budget.Share { try await permits.acquire(1, for: holder) }

  /// Runs work on one of the threads.
  ///
  /// - Parameter bytes: the length of the data, which determines where the work runs (``smallBytes``).
  /// - Throws: 503 if no thread is free in time; errors of the work.
  func run<Value: Sendable>(
    _ bytes: Int, for holder: Holder, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard bytes > Self.smallBytes else { return try work() }
    let permit = try await permit(for: holder)
    defer { permit.shrink(to: 0) }
    return try await threads.runIfActive(work)
  }
}

import NIOPosix

/// Runs work that occupies a processor for milliseconds: decompressing and parsing long bodies, encoding long lists.
///
/// The work runs on separate threads, which serve tenants in rotation. Therefore it does not delay small requests.
final class HeavyWork: Sendable {
  /// Maximum length of data that are processed on the calling thread, in bytes. For short data, switching to another
  /// thread costs more time than it saves.
  static let smallBytes = 16 << 10

  private let threads: NIOThreadPool
  private let permits: Budget

  /// Creates the threads.
  ///
  /// - Parameters:
  ///   - processors: number of processors of the machine.
  ///   - seconds: the maximum time for which work waits for a permit, in s.
  init(processors: Int, within seconds: Int) {
    // One processor remains free for all other tasks. The budget leaves one permit free for another tenant.
    threads = NIOThreadPool(numberOfThreads: max(processors - 1, 1))
    threads.start()
    permits = Budget(
      max(processors, 2), fairness: .init(group: 3), patience: .seconds(seconds),
      refusal: APIError(
        .serviceUnavailable, "busy", "long requests keep the server's processors busy; try again", retryAfter: 5))
  }

  /// Waits until the work in progress is finished, and ends the threads.
  func stop() async throws { try await threads.shutdownGracefully() }

  /// Waits for a permit to do heavy work in the current task instead of on a separate thread. The permit is returned
  /// when the share is released.
  ///
  /// - Throws: 503 if no permit becomes free in time.
  func permit(for holder: Holder) async throws(APIError) -> Budget.Share { try await permits.acquire(1, for: holder) }

  /// Runs work on a separate thread, or on the calling thread if the data are short.
  ///
  /// - Parameter bytes: the length of the data in bytes. Up to ``smallBytes``, the work runs on the calling thread.
  /// - Throws: 503 if no permit becomes free in time; errors of the work.
  func run<Value: Sendable>(
    _ bytes: Int, for holder: Holder, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard bytes > Self.smallBytes else { return try work() }
    let permit = try await permit(for: holder)
    defer { permit.shrink(to: 0) }
    return try await threads.runIfActive(work)
  }
}

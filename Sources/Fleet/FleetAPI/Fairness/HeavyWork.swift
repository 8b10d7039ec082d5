import NIOPosix

/// Runs work that occupies a processor for milliseconds: decompressing and parsing long bodies, encoding long lists.
///
/// It has its own threads, which serve tenants in rotation, so that small requests are not delayed.
final class HeavyWork: Sendable {
  /// Bodies up to this length are processed without a thread switch, which would cost more; bytes.
  static let smallBytes = 16 << 10

  private let threads: NIOThreadPool
  private let permits: Budget

  /// - Parameters:
  ///   - processors: number of processors of the machine.
  ///   - seconds: the maximum time that work waits for a thread.
  init(processors: Int, within seconds: Int) {
    // One processor remains free for all other work, and one permit for another tenant.
    threads = NIOThreadPool(numberOfThreads: max(processors - 1, 1))
    threads.start()
    permits = Budget(
      max(processors, 2), fairness: .init(group: 3), patience: .seconds(seconds),
      refusal: APIError(
        .serviceUnavailable, "busy", "long requests keep the server's processors busy; try again", retryAfter: 5))
  }

  /// Finishes the work and ends the threads.
  func stop() async throws { try await threads.shutdownGracefully() }

  /// Waits for a permit to do the work in the current task. The permit is returned when the share is released.
  ///
  /// - Throws: 503 if there is no permit in time.
  func permit(for holder: Holder) async throws(APIError) -> Budget.Share { try await permits.acquire(1, for: holder) }

  /// Runs work on a thread.
  ///
  /// - Parameter bytes: the amount of work.
  /// - Throws: 503 if there is no thread in time; errors of the work.
  func run<Value: Sendable>(
    _ bytes: Int, for holder: Holder, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard bytes > Self.smallBytes else { return try work() }
    let permit = try await permit(for: holder)
    defer { permit.shrink(to: 0) }
    return try await threads.runIfActive(work)
  }
}

import NIOPosix

/// Runs work that occupies a processor for milliseconds: decompressing and parsing long bodies, writing long lists.
///
/// It has its own threads, and tenants take turns, so that small requests do not wait for it.
final class HeavyWork: Sendable {
  /// The maximum number of bytes that are processed at once, because a thread switch would cost more.
  static let smallBytes = 16 << 10

  private let threads: NIOThreadPool
  private let permits: Budget

  /// - Parameters:
  ///   - processors: the number of processors of the machine.
  ///   - seconds: the maximum time that work waits for its turn.
  init(processors: Int, within seconds: Int) {
    // One processor stays free for everything else, and one permit for another tenant.
    threads = NIOThreadPool(numberOfThreads: max(processors - 1, 1))
    threads.start()
    permits = Budget(
      max(processors, 2), fairness: .init(group: 3), patience: .seconds(seconds),
      refusal: APIError(
        .serviceUnavailable, "busy", "long requests keep the server's processors busy; try again", retryAfter: 5))
  }

  /// Finishes the work and ends the threads.
  func stop() async throws { try await threads.shutdownGracefully() }

  /// Waits for the right to do the work in the current task. It is given back when the share is released.
  ///
  /// - Throws: 503 if there is none in time.
  func permit(for holder: Holder) async throws(APIError) -> Budget.Share { try await permits.acquire(1, for: holder) }

  /// Runs work on a thread.
  ///
  /// - Parameter bytes: the amount of work.
  /// - Throws: 503 if its turn does not come in time; errors of the work.
  func run<Value: Sendable>(
    _ bytes: Int, for holder: Holder, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard bytes > Self.smallBytes else { return try work() }
    let permit = try await permit(for: holder)
    defer { permit.shrink(to: 0) }
    return try await threads.runIfActive(work)
  }
}

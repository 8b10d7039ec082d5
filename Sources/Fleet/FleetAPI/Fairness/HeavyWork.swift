import NIOPosix

/// Work that keeps a processor busy for milliseconds: long bodies that are unpacked and read, long lists that are written. It has
/// threads of its own, and tenants take turns, so that small requests wait for none of it.
final class HeavyWork: Sendable {
  /// Bytes up to which work is done at once, as it takes less than a switch of threads is worth.
  static let smallBytes = 16 << 10

  private let threads: NIOThreadPool
  private let permits: Budget

  /// - Parameters:
  ///   - processors: how many the machine has.
  ///   - seconds: how long work waits for its turn.
  init(processors: Int, within seconds: Int) {
    // A processor is left for everything else, and a permit for another tenant.
    threads = NIOThreadPool(numberOfThreads: max(processors - 1, 1))
    threads.start()
    permits = Budget(
      max(processors, 2), fairness: .init(group: 3), patience: .seconds(seconds),
      refusal: APIError(
        .serviceUnavailable, "busy", "long requests keep the server's processors busy; try again", retryAfter: 5))
  }

  /// Ends the threads once their work is done.
  func stop() async throws { try await threads.shutdownGracefully() }

  /// The right to work in the task itself; given back when it is released.
  ///
  /// - Throws: 503 if there is none in time.
  func permit(for holder: Holder) async throws(APIError) -> Budget.Share { try await permits.take(1, for: holder) }

  /// Runs work.
  ///
  /// - Parameter bytes: how much there is to do.
  /// - Throws: 503 if its turn does not come in time; what the work throws.
  func run<Value: Sendable>(
    _ bytes: Int, for holder: Holder, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard bytes > Self.smallBytes else { return try work() }
    let permit = try await permit(for: holder)
    defer { permit.shrink(to: 0) }
    return try await threads.runIfActive(work)
  }
}

import FleetDomain
import FleetFiles

/// Runs work that occupies a processor for milliseconds: decompressing and parsing long bodies, encoding long lists.
///
/// The work runs on separate threads, which serve one tenant after another (``FleetFiles/FairTurns``). Therefore it
/// delays neither small requests nor the work of other tenants.
final class HeavyWork: Sendable {
  /// Maximum length of data that are processed on the calling thread, in bytes. For short data, switching to another
  /// thread costs more time than it saves.
  static let smallBytes = 16 << 10
  /// The maximum number of jobs (calls of ``run(_:for:isWanted:_:)``) that have begun and not ended. Only a few of them
  /// run at any moment. The others wait for their next turn.
  private static let mostWorks = 32
  /// The maximum time for which one job may use a processor, in s.
  private static let mostSeconds = 20

  private let turns: FairTurns
  private let works: Budget
  /// The permits for work that runs in the calling task (``permit(for:)``).
  private let permits: Budget

  /// - Parameters:
  ///   - processors: number of processors of the machine.
  ///   - seconds: the maximum time for which work waits for a permit, in s.
  init(processors: Int, within seconds: Int) {
    // One processor remains free for all other tasks.
    turns = FairTurns(max(processors - 1, 1), limit: .seconds(Self.mostSeconds))
    let refusal = APIError(
      .serviceUnavailable, "busy", "long requests keep the server's processors busy; try again", retryAfter: 5)
    // The budgets leave one permit free for another tenant.
    works = Budget(Self.mostWorks, fairness: .init(group: 3), patience: .seconds(seconds), refusal: refusal)
    permits = Budget(max(processors, 2), fairness: .init(group: 3), patience: .seconds(seconds), refusal: refusal)
  }

  /// Waits for a permit to do heavy work in the current task instead of on a separate thread. The permit is returned
  /// when the share is released.
  ///
  /// - Throws: 503 if no permit becomes free in time.
  func permit(for holder: Holder) async throws(APIError) -> Budget.Share { try await permits.acquire(1, for: holder) }

  /// Runs work on a separate thread, or on the calling thread if the data are short.
  ///
  /// - Parameters:
  ///   - bytes: the length of the data in bytes. Up to ``smallBytes``, the work runs on the calling thread.
  ///   - isWanted: whether the client still waits for the result. If not, the work ends early.
  /// - Throws: 503 if no permit becomes free in time; 413 if the work takes too long; errors of the work.
  func run<Value: Sendable>(
    _ bytes: Int, for holder: Holder, isWanted: @escaping @Sendable () -> Bool = { true },
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard bytes > Self.smallBytes else { return try work() }
    let permit = try await works.acquire(1, for: holder)
    defer { permit.shrink(to: 0) }
    do {
      return try await turns.run(for: holder.caller, isWanted: isWanted, work)
    } catch FairTurns.Stop.cancelled {
      throw CancellationError()
    } catch FairTurns.Stop.tooLong {
      throw APIError.tooLarge("this takes the server longer than \(Self.mostSeconds) s; send or request less at once")
    }
  }
}

extension Holder {
  /// The caller to whom ``FleetFiles/FairTurns`` assigns the holder's work; `nil` for the server itself.
  fileprivate var caller: StorageCaller? {
    switch group {
    case .tenant(let tenant): StorageCaller(tenant: tenant, key: key)
    case .peer, .server: StorageCaller.current
    }
  }
}

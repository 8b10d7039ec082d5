import FleetAccess
import Glibc
import NIOPosix

/// Hashes passwords on separate threads, so that other requests are not delayed.
///
/// Only a few hashes are computed at a time, in rotation by address. Each hash counts in the server's memory. The
/// threads have a low priority, so that they use only spare time.
final class PasswordHasher: Sendable {
  let cost: PasswordHash.Cost
  private let threads: NIOThreadPool
  private let permits: Budget
  private let memory: Budget
  /// A hash that matches no password, so that unknown accounts take as long as known ones.
  private let nobody: PasswordHash

  /// - Parameters:
  ///   - processors: number of processors of the machine.
  ///   - memory: budget of the server's memory.
  init(_ cost: PasswordHash.Cost, processors: Int, memory: Budget) {
    self.cost = cost
    self.memory = memory
    let count = max(processors / 2, 1)
    threads = NIOThreadPool(numberOfThreads: count)
    permits = Budget(
      count, fairness: .init(group: 3), patience: .seconds(20),
      refusal: APIError(
        .serviceUnavailable, "busy", "too many people sign in at this moment; try again", retryAfter: 5))
    nobody = .random(cost)
  }

  /// Starts the threads. Before that, passwords wait.
  func start() { threads.start() }

  /// Finishes all work and ends the threads.
  func stop() async throws { try await threads.shutdownGracefully() }

  /// Hashes a new password.
  ///
  /// - Parameter address: the client's address.
  func hash(_ password: String, from address: String?) async throws -> PasswordHash {
    let (cost, normalized) = (cost, PasswordPolicy.normalized(password))
    return try await run(for: address) { try PasswordHash(of: normalized, cost) }
  }

  /// Whether a password is right.
  ///
  /// - Parameter hash: the stored hash; `nil` if the account is unknown or has no password. The answer is then `false`,
  ///   after the same time.
  func matches(_ password: String, _ hash: PasswordHash?, from address: String?) async throws -> Bool {
    // A longer password cannot have been set. It is not hashed, because hashing it would take longer than any valid
    // one.
    guard password.utf8.count <= PasswordPolicy.maximumBytes else { return false }
    let (expected, normalized) = (hash ?? nobody, PasswordPolicy.normalized(password))
    let isEqual = try await run(for: address) { expected.matches(normalized) }
    return isEqual && hash != nil
  }

  private func run<Value: Sendable>(
    for address: String?, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let holder = Holder(group: .peer(PeerAddress.group(address)), key: nil)
    let permit = try await permits.acquire(1, for: holder)
    defer { permit.shrink(to: 0) }
    let share = try await memory.acquire(cost.memoryBytes, for: .server)
    defer { share.shrink(to: 0) }
    return try await threads.runIfActive {
      // 0 means this thread (setpriority(2), "C library/kernel differences"). On failure, the priority stays normal.
      _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, 10)
      return try work()
    }
  }
}

import FleetAccess
import Glibc
import NIOPosix

/// Hashes passwords on threads of its own, so that nothing else waits for them.
///
/// Few hashes are computed at a time, and addresses take turns. Each hash counts in the server's memory. The threads have
/// a low priority: they use the time that requests leave.
final class PasswordHasher: Sendable {
  let cost: PasswordHash.Cost
  private let threads: NIOThreadPool
  private let permits: Budget
  private let memory: Budget
  /// A hash that no password has, so that unknown accounts take as long as known ones.
  private let nobody: PasswordHash

  /// - Parameters:
  ///   - processors: of the machine.
  ///   - memory: of the server.
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

  /// Starts the threads. Until then, passwords wait.
  func start() { threads.start() }

  /// Finishes the work and ends the threads.
  func stop() async throws { try await threads.shutdownGracefully() }

  /// Hashes a new password.
  ///
  /// - Parameter address: the client's.
  func hash(_ password: String, from address: String?) async throws -> PasswordHash {
    let (cost, normalized) = (cost, PasswordPolicy.normalized(password))
    return try await run(for: address) { try PasswordHash(of: normalized, cost) }
  }

  /// Whether a password is right.
  ///
  /// - Parameter hash: `nil` if the account is unknown or has no password: the answer is `false`, after the same time.
  func matches(_ password: String, _ hash: PasswordHash?, from address: String?) async throws -> Bool {
    // A longer one cannot have been set. It is not hashed, because that would take longer than any other.
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
      // 0: this thread (setpriority(2), "C library/kernel differences"). Failing leaves the normal priority.
      _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, 10)
      return try work()
    }
  }
}

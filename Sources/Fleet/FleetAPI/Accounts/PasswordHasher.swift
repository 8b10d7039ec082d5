import FleetAccess
import FleetDomain
import Glibc
import NIOPosix
import Synchronization

/// Hashes passwords on separate threads, so that other requests are not delayed.
///
/// Only a few hashes are computed at the same time. Known clients wait in one queue and unknown clients in another; the
/// two queues are served alternately. Each queue serves its tenants in rotation, and the addresses of each tenant in
/// rotation. Therefore wrong passwords from many addresses do not prevent other people from signing in. The memory that
/// a hash needs is part of the server's budget. The threads have a low priority, so that other threads get processor
/// time first.
final class PasswordHasher: Sendable {
  /// The client for whom a password is hashed.
  struct Client: Sendable {
    /// The tenant of the account; `nil` if the account is unknown.
    let tenant: TenantID?
    let address: String?
    /// Whether the client has shown before that the account's owner uses it: by a session, a link, or an earlier
    /// sign-in in the same browser.
    let isKnown: Bool
  }

  /// Maximum number of passwords of one tenant, or of all unknown accounts together, that wait to be hashed.
  static let mostWaiting = 128

  private struct State {
    var free: Int
    /// The queue of known clients (index 0), and the queue of unknown clients (index 1).
    var queues: [FairQueue<TenantID?, String, CheckedContinuation<Void, Never>>]
    /// The index of the queue that is served next if clients wait in both.
    var next = 0
    /// For each queue, the number of waiting clients of each tenant.
    var waiting: [[TenantID?: Int]] = [[:], [:]]

    /// Removes and returns the client that is served next; `nil` if no client waits.
    mutating func nextClient() -> CheckedContinuation<Void, Never>? {
      for index in [next, 1 - next] {
        guard let client = queues[index].next() else { continue }
        next = 1 - index
        return client
      }
      return nil
    }
  }

  let cost: PasswordHash.Cost
  private let threads: NIOThreadPool
  private let state: Mutex<State>
  private let memory: Budget
  /// A hash that matches no password. Passwords for unknown accounts are compared with it, so that this takes as long
  /// as for known accounts.
  private let nobody: PasswordHash

  /// Creates a hasher.
  ///
  /// - Parameters:
  ///   - processors: number of processors of the machine.
  ///   - memory: the budget of the server's memory.
  init(_ cost: PasswordHash.Cost, processors: Int, memory: Budget) {
    self.cost = cost
    self.memory = memory
    let count = max(processors / 2, 1)
    threads = NIOThreadPool(numberOfThreads: count)
    state = Mutex(State(free: count, queues: [FairQueue { _ in 1 }, FairQueue { _ in 1 }]))
    nobody = .random(cost)
  }

  /// The number of clients that wait for a thread.
  var waitingCount: Int { state.withLock { state in state.queues.reduce(0) { $0 + $1.count } } }

  /// Starts the threads.
  func start() { threads.start() }

  /// Waits until all running work is done, and ends the threads.
  func stop() async throws { try await threads.shutdownGracefully() }

  /// Hashes a new password.
  func hash(_ password: String, for client: Client) async throws -> PasswordHash {
    let (cost, normalized) = (cost, PasswordPolicy.normalized(password))
    return try await run(for: client) { try PasswordHash(of: normalized, cost) }
  }

  /// Returns whether a password matches a stored hash.
  ///
  /// - Parameter hash: the stored hash; `nil` if the account is unknown or has no password. For `nil`, the result is
  ///   `false`, after the same time as for a wrong password.
  func matches(_ password: String, _ hash: PasswordHash?, for client: Client) async throws -> Bool {
    // A password that is too long cannot match. It is not hashed, because hashing it would take longer than hashing a
    // valid password.
    guard password.utf8.count <= PasswordPolicy.maximumBytes else { return false }
    let (expected, normalized) = (hash ?? nobody, PasswordPolicy.normalized(password))
    let isEqual = try await run(for: client) { expected.matches(normalized) }
    return isEqual && hash != nil
  }

  /// Waits in the client's queue until a thread is free, and runs work on this thread.
  func run<Value: Sendable>(
    for client: Client, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await acquire(for: client)
    defer { release() }
    try Task.checkCancellation()
    let share = try await memory.acquire(cost.memoryBytes, for: .server)
    defer { share.shrink(to: 0) }
    return try await threads.runIfActive {
      // 0 means the calling thread (setpriority(2), "C library/kernel differences"). If the call fails, the thread
      // keeps its normal priority.
      _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, 10)
      return try work()
    }
  }

  // MARK: Turns

  /// Waits until the client may use one of the threads.
  ///
  /// - Throws: 503 if too many clients of the same tenant are waiting.
  private func acquire(for client: Client) async throws {
    let queue = client.isKnown ? 0 : 1
    let isFree = try state.withLock { state throws(APIError) in
      if state.free > 0 {
        state.free -= 1
        return true
      }
      guard state.waiting[queue][client.tenant, default: 0] < Self.mostWaiting else {
        throw APIError(
          .serviceUnavailable, "busy", "too many people sign in at this moment; try again", retryAfter: 5)
      }
      state.waiting[queue][client.tenant, default: 0] += 1
      return false
    }
    if isFree { return }
    await withCheckedContinuation { continuation in
      let isNext = state.withLock { state in
        // A thread may have become free since the first check above.
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.queues[queue].add(continuation, group: client.tenant, member: PeerAddress.group(client.address))
        return false
      }
      if isNext { continuation.resume() }
    }
    state.withLock { state in
      let left = state.waiting[queue][client.tenant, default: 1] - 1
      state.waiting[queue][client.tenant] = left == 0 ? nil : left
    }
  }

  /// Gives the thread to the client that is served next; if no client waits, marks the thread as free.
  private func release() {
    let next = state.withLock { state in
      let next = state.nextClient()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume()
  }
}

import FleetAccess
import FleetDomain
import Glibc
import NIOPosix
import Synchronization

/// Hashes passwords on separate threads, so that other requests are not delayed.
///
/// Only a few hashes are computed at a time. There is a queue for people who are known to the server and one for strangers,
/// which are served alternately. Each queue alternates between tenants, and for a tenant between addresses. Therefore, wrong passwords from many addresses do
/// not keep others from signing in. Each hash counts in the server's memory. The threads have a low priority, so that
/// they use only spare time.
final class PasswordHasher: Sendable {
  /// The client for whom a password is hashed.
  struct Client: Sendable {
    /// The tenant; `nil` if the account is unknown.
    let tenant: TenantID?
    let address: String?
    /// Whether the client has proved before that it is this person's: by a session, a link, or an earlier sign-in with
    /// the same browser.
    let isKnown: Bool
  }

  /// The maximum number of passwords that wait for one tenant, or for all unknown accounts.
  static let mostWaiting = 128

  private struct State {
    var free: Int
    /// The waiting clients that are known, and those that are not.
    var queues: [FairQueue<TenantID?, String, CheckedContinuation<Void, Never>>]
    /// The queue that is served next, if both have elements.
    var next = 0
    /// Numbers of waiting clients by queue and tenant.
    var waiting: [[TenantID?: Int]] = [[:], [:]]

    /// Removes and returns the client that is served next.
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
    state = Mutex(State(free: count, queues: [FairQueue { _ in 1 }, FairQueue { _ in 1 }]))
    nobody = .random(cost)
  }

  /// The number of clients that wait.
  var waitingCount: Int { state.withLock { state in state.queues.reduce(0) { $0 + $1.count } } }

  /// Starts the threads.
  func start() { threads.start() }

  /// Finishes all work and ends the threads.
  func stop() async throws { try await threads.shutdownGracefully() }

  /// Hashes a new password.
  func hash(_ password: String, for client: Client) async throws -> PasswordHash {
    let (cost, normalized) = (cost, PasswordPolicy.normalized(password))
    return try await run(for: client) { try PasswordHash(of: normalized, cost) }
  }

  /// Whether a password is right.
  ///
  /// - Parameter hash: the stored hash; `nil` if the account is unknown or has no password. The answer is then `false`,
  ///   after the same time.
  func matches(_ password: String, _ hash: PasswordHash?, for client: Client) async throws -> Bool {
    // A longer password cannot have been set. It is not hashed, because hashing it would take longer than any valid
    // one.
    guard password.utf8.count <= PasswordPolicy.maximumBytes else { return false }
    let (expected, normalized) = (hash ?? nobody, PasswordPolicy.normalized(password))
    let isEqual = try await run(for: client) { expected.matches(normalized) }
    return isEqual && hash != nil
  }

  /// Runs work on one of the threads when it is the client's turn.
  func run<Value: Sendable>(
    for client: Client, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await acquire(for: client)
    defer { release() }
    try Task.checkCancellation()
    let share = try await memory.acquire(cost.memoryBytes, for: .server)
    defer { share.shrink(to: 0) }
    return try await threads.runIfActive {
      // 0 means this thread (setpriority(2), "C library/kernel differences"). On failure, the priority stays normal.
      _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, 10)
      return try work()
    }
  }

  // MARK: Turns

  /// Waits until one of the threads is free for the client.
  ///
  /// - Throws: 503 if too many wait in front of it.
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
        // A thread may have become free since then.
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

  /// Gives the thread to the next client.
  private func release() {
    let next = state.withLock { state in
      let next = state.nextClient()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume()
  }
}

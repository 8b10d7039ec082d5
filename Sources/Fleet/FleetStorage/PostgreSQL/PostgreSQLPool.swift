import Dispatch
import FleetDomain
import Synchronization

/// A pool of connections for all calls except ingestion. Connections are opened when they are needed. Each connection
/// is used by one call at a time, on a thread that may block. Further calls wait in a queue.
final class PostgreSQLPool: Sendable {
  private struct State {
    var idle: [PostgreSQLConnection] = []
    var busy = 0
    /// The connections that calls use now. A connection that is being opened is not among them.
    var used: [ObjectIdentifier: PostgreSQLConnection] = [:]
    var isClosed = false
    var isInterrupted = false
    /// The waiting calls. A call is resumed with `true` when a connection is available, and with `false` when the pool
    /// is closed.
    var waiting: [CheckedContinuation<Bool, Never>] = []
    var closing: [CheckedContinuation<Void, Never>] = []
  }

  private let address: PostgreSQLAddress
  private let size: Int
  private let threads = DispatchQueue(label: "postgresql", attributes: .concurrent)
  private let state = Mutex(State())

  init(address: PostgreSQLAddress, size: Int) {
    self.address = address
    self.size = max(size, 1)
  }

  /// Runs blocking work with a connection.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (PostgreSQLConnection) throws(StoreFailure) -> Value
  ) async throws(StoreFailure) -> Value {
    guard await enter() else { throw Self.closed }
    let result: Result<Value, StoreFailure> = await withCheckedContinuation { continuation in
      threads.async { continuation.resume(returning: self.perform(work)) }
    }
    return try result.get()
  }

  /// Waits until a thread of the pool has run a task, which shows that the pool is not stuck. This does not depend on
  /// threads that wait for PostgreSQL.
  func waitForRound() async {
    await withCheckedContinuation { continuation in
      threads.async {
        // Every call needs this lock, so check that it can be acquired.
        self.state.withLock { _ in }
        continuation.resume()
      }
    }
  }

  private static let closed = StoreFailure(.unavailable, "PostgreSQL", "closed")

  private func perform<Value>(
    _ work: (PostgreSQLConnection) throws(StoreFailure) -> Value
  ) -> Result<Value, StoreFailure> {
    var connection: PostgreSQLConnection?
    defer { leave(connection) }
    do throws(StoreFailure) {
      connection = state.withLock { $0.idle.popLast() }
      let own: PostgreSQLConnection
      if let connection { own = connection } else { own = try PostgreSQLConnection(address: address) }
      connection = own
      let isInterrupted = state.withLock { state in
        state.used[ObjectIdentifier(own)] = own
        return state.isInterrupted
      }
      guard !isInterrupted else { throw Self.closed }
      return .success(try work(own))
    } catch {
      return .failure(error)
    }
  }

  private func enter() async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        if state.isClosed { return false }
        if state.busy < size {
          state.busy += 1
          return true
        }
        state.waiting.append(continuation)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// Gives a connection back to the pool, and lets the call that has waited longest continue. A broken connection is
  /// closed. The argument is `nil` if the caller could not open a connection.
  private func leave(_ connection: PostgreSQLConnection?) {
    let (next, closing) = state.withLock {
      state -> (CheckedContinuation<Bool, Never>?, [CheckedContinuation<Void, Never>]) in
      if let connection { state.used[ObjectIdentifier(connection)] = nil }
      if let connection, connection.isOpen, !connection.isInTransaction, !state.isClosed {
        state.idle.append(connection)
      }
      if !state.waiting.isEmpty { return (state.waiting.removeFirst(), []) }
      state.busy -= 1
      guard state.isClosed, state.busy == 0 else { return (nil, []) }
      let closing = state.closing
      state.closing = []
      return (nil, closing)
    }
    next?.resume(returning: true)
    for waiter in closing { waiter.resume() }
  }

  /// Makes all calls fail with `unavailable`: the calls in progress, the waiting ones, and later ones.
  func interrupt() {
    let (waiting, used) = state.withLock { state -> ([CheckedContinuation<Bool, Never>], [PostgreSQLConnection]) in
      state.isClosed = true
      state.isInterrupted = true
      let waiting = state.waiting
      state.waiting = []
      return (waiting, Array(state.used.values))
    }
    for waiter in waiting { waiter.resume(returning: false) }
    for connection in used { connection.interrupt() }
  }

  /// Waits for the calls in progress and for those in the queue, then closes all connections.
  func close() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.isClosed = true
        state.idle = []
        guard state.busy > 0 else { return true }
        state.closing.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }
}

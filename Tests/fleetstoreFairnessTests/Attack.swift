import Foundation
import Glibc
import TestKit

@testable import FleetstoreTestKit

/// A hostile tenant: threads that send requests until the attack ends.
///
/// A real attacker has separate machines; here it shares the server's machine. Its threads have the lowest priority, so
/// that the test measures the server and not the scheduler of this machine. All threads together open at most
/// ``connectionsPerSecond``, because a larger number would be rejected before it reaches a server.
final class Attack: @unchecked Sendable {
  /// The maximum number of new connections of all threads in a second.
  static let connectionsPerSecond = 2_000

  let port: Int
  private let condition = NSCondition()
  private var sockets: [LoadSocket] = []
  private var over = false
  /// The earliest time of the next connection.
  private var nextConnection = ContinuousClock.now
  private let threads = DispatchGroup()
  private var endings: [@Sendable () -> Void] = []

  init(port: Int) { self.port = port }

  var isOver: Bool { condition.withLock { over } }

  /// Opens a connection, which is closed when the attack ends.
  ///
  /// - Parameters:
  ///   - buffer: size of the kernel's receive buffer in bytes; `nil` for the default.
  ///   - host: the last number of the client's address, 127.0.0.x.
  func socket(buffer: Int32? = nil, from host: UInt32 = 1) throws -> LoadSocket {
    let due = condition.withLock {
      let due = max(nextConnection, .now)
      nextConnection = due + .seconds(1) / Self.connectionsPerSecond
      return due
    }
    rest(until: due)
    let socket = try LoadSocket(port: port, from: host, receiveBuffer: buffer)
    try condition.withLock {
      if over { throw LoadSocket.Failure(what: "the attack is over") }
      sockets.append(socket)
    }
    return socket
  }

  /// Waits until a time or until the end of the attack, whichever is first.
  func rest(until deadline: ContinuousClock.Instant) {
    condition.withLock {
      while !over, condition.wait(until: deadline) {}
    }
  }

  /// Repeats work in several threads. If the server rejects it or closes the connection, this is not a failure.
  func begin(threads count: Int, _ work: @escaping @Sendable (_ attack: Attack, _ number: Int) throws -> Void) {
    for number in 0..<count {
      threads.enter()
      Thread.detachNewThread { [self] in
        defer { threads.leave() }
        // On Linux, this sets the priority of this thread only.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        while !isOver {
          do {
            try work(self, number)
          } catch {
            condition.withLock { sockets.removeAll { !$0.isOpen } }
          }
        }
      }
    }
  }

  /// Adds work that is done after the threads have ended.
  func atEnd(_ work: @escaping @Sendable () -> Void) { endings.append(work) }

  /// Closes all connections and waits for the threads.
  func end() {
    condition.withLock {
      over = true
      for socket in sockets { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
      condition.broadcast()
    }
    threads.wait()
    for ending in endings { ending() }
    endings = []
    condition.withLock { sockets = [] }
  }
}

import Foundation
import Glibc
import TestKit

@testable import FleetstoreTestKit

/// A tenant that does its worst: threads that send without end until the attack is over. They have the lowest priority, so
/// that it is the server that is measured and not the machine's share between attackers and victim.
final class Attack: @unchecked Sendable {
  let port: Int
  private let lock = NSLock()
  private var sockets: [LoadSocket] = []
  private var over = false
  private let threads = DispatchGroup()

  init(port: Int) { self.port = port }

  var isOver: Bool { lock.withLock { over } }

  /// A connection that ends with the attack.
  ///
  /// - Parameter buffer: bytes that the kernel keeps for the reader; `nil`: as many as it likes.
  func socket(buffer: Int32? = nil) throws -> LoadSocket {
    let socket = try LoadSocket(port: port, receiveBuffer: buffer)
    try lock.withLock {
      if over { throw LoadSocket.Failure(what: "over") }
      sockets.append(socket)
    }
    return socket
  }

  /// Runs work again and again in so many threads. The server may refuse it or end its connection: that is no failure.
  func begin(threads count: Int, _ work: @escaping @Sendable (_ attack: Attack, _ number: Int) throws -> Void) {
    for number in 0..<count {
      threads.enter()
      Thread.detachNewThread { [self] in
        defer { threads.leave() }
        // Of this thread alone.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        while !isOver {
          do {
            try work(self, number)
          } catch {
            lock.withLock { sockets.removeAll { !$0.isOpen } }
          }
        }
      }
    }
  }

  /// Ends all connections and waits for the threads.
  func end() {
    lock.withLock {
      over = true
      for socket in sockets { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
    }
    threads.wait()
    lock.withLock { sockets = [] }
  }
}

import Foundation
import Glibc

/// Answers on a Unix socket, as a running daemon does, or in ways in which no daemon does.
///
///     let peer = try DaemonPeer(scratch.file("sock")) { $0.send(DaemonPeer.ok(#"{"pid":1}"#)) }
final class DaemonPeer: @unchecked Sendable {
  /// One connection, closed when its handler returns.
  struct Connection: Sendable {
    fileprivate let descriptor: Int32
    /// The number of connections before this one.
    let number: Int
    /// The process at the other end.
    let pid: pid_t
    /// The head of its request.
    let request: String

    /// Sends a text.
    ///
    /// - Returns: `false` if the other end no longer receives.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
      var done = 0
      while done < bytes.count {
        let count = unsafe bytes.withUnsafeBytes {
          unsafe Glibc.send(descriptor, $0.baseAddress! + done, $0.count - done, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }

    /// Waits until the other end has closed the connection.
    func awaitEnd() {
      var byte: UInt8 = 0
      while unsafe recv(descriptor, &byte, 1, 0) > 0 {}
    }
  }

  struct NoSocket: Error { let path: String }

  let path: String
  private let listener: Int32
  private let lock = NSLock()
  private var open: Set<Int32> = []
  private var isStopped = false

  init(_ path: String, _ serve: @escaping @Sendable (Connection) -> Void) throws {
    self.path = path
    unsafe unlink(path)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let number = listener
    let isListening = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(number, 16) == 0
      }
    }
    guard isListening else { throw NoSocket(path: path) }
    Thread.detachNewThread { [self] in accept(serve) }
  }

  /// Ends like a daemon: closes the listening socket and all connections.
  func stop() {
    lock.withLock {
      guard !isStopped else { return }
      isStopped = true
      unsafe unlink(path)
      shutdown(listener, Int32(SHUT_RDWR))
      for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  private func accept(_ serve: @escaping @Sendable (Connection) -> Void) {
    var number = 0
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      lock.withLock { _ = open.insert(descriptor) }
      let count = number
      number += 1
      Thread.detachNewThread { [self] in
        serve(Self.connection(descriptor, count))
        lock.withLock { _ = open.remove(descriptor) }
        // The other end notices it even if a program started meanwhile holds a copy of the descriptor.
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
      }
    }
    close(listener)
  }

  private static func connection(_ descriptor: Int32, _ number: Int) -> Connection {
    // struct ucred: process, user, group (unix(7)).
    var owner: [Int32] = [0, 0, 0]
    var length = socklen_t(owner.count * MemoryLayout<Int32>.size)
    unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &owner, &length)
    var request: [UInt8] = []
    var byte: UInt8 = 0
    while !request.suffix(4).elementsEqual("\r\n\r\n".utf8), unsafe recv(descriptor, &byte, 1, 0) == 1 {
      request.append(byte)
    }
    return Connection(
      descriptor: descriptor, number: number, pid: owner[0], request: String(decoding: request, as: UTF8.self))
  }

  /// Returns an answer as a daemon gives it.
  static func ok(_ body: String, type: String = "application/json") -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nConnection: close\r\n\r\n\(body)"
  }
}

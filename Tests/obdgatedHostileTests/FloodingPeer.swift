import Foundation
import Glibc
import Ports
import TestKit

@testable import DaemonTestKit

/// A TCP peer that sends a number of random bytes as fast as they are read. Later connections are relayed to a normal
/// peer.
final class FloodingPeer: @unchecked Sendable {
  let name: String
  private let listener: Int32
  private let changed = NSCondition()
  private var sent = 0
  private var isStopped = false

  /// Creates the peer.
  ///
  /// - Parameters:
  ///   - total: the number of bytes of noise.
  ///   - sane: serves a later connection (a non-blocking descriptor) until its end, or until its second argument
  ///     returns `true`.
  init(
    _ noise: Noise, bytes total: Int, then sane: @escaping @Sendable (_ connection: Int32, _ isOver: () -> Bool) -> Void
  ) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe bind(listener, generic, length) == 0 ? unsafe getsockname(listener, generic, &length) : -1
      }
    }
    guard result == 0, listen(listener, 4) == 0 else { throw DaemonRun.Missing(what: "a port") }
    name = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    Thread.detachNewThread { [self] in
      var noise = noise
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        _ = fcntl(connection, F_SETFL, O_NONBLOCK)
        if bytesSent < total {
          flood(connection, total, &noise)
        } else {
          sane(connection) { isOver }
        }
        close(connection)
      }
    }
  }

  func stop() {
    changed.withLock { isStopped = true }
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private var isOver: Bool { changed.withLock { isStopped } }
  private var bytesSent: Int { changed.withLock { sent } }

  /// Waits until this number of bytes of noise was sent.
  func awaitNoise(_ count: Int, within limit: TimeInterval) throws {
    let deadline = Date(timeIntervalSinceNow: limit)
    changed.lock()
    defer { changed.unlock() }
    while sent < count {
      guard changed.wait(until: deadline) else { throw DaemonRun.Missing(what: "\(count) bytes read; only \(sent)") }
    }
  }

  private func flood(_ connection: Int32, _ total: Int, _ noise: inout Noise) {
    var answer = [UInt8](repeating: 0, count: 4_096)
    var piece: ArraySlice<UInt8> = []
    while bytesSent < total, !isOver {
      var waiting = pollfd(fd: connection, events: Int16(POLLIN | POLLOUT), revents: 0)
      _ = unsafe poll(&waiting, 1, 200)
      if waiting.revents & Int16(POLLIN | POLLHUP) != 0 {
        let count = unsafe recv(connection, &answer, answer.count, 0)
        guard count > 0 || count < 0 && errno == EAGAIN else { return }
      }
      guard waiting.revents & Int16(POLLOUT) != 0 else { continue }
      if piece.isEmpty { piece = noise.next()[...] }
      let count = unsafe piece.withUnsafeBytes { bytes in
        unsafe send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno != EAGAIN { return }
      guard count > 0 else { continue }
      piece = piece.dropFirst(count)
      changed.withLock {
        sent += count
        changed.broadcast()
      }
    }
  }
}

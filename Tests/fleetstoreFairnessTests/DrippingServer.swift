import Foundation
import Glibc

/// A server that accepts every connection, reads all requests, and answers each with one byte every 200 ms. An answer
/// never ends.
final class DrippingServer: @unchecked Sendable {
  let port: Int
  private let listener: Int32
  private let lock = NSLock()
  private var connections: [Int32] = []
  private var isOver = false
  private let threads = DispatchGroup()

  init() throws {
    let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(listener, address, length) == 0 && listen(listener, 128) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard bound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    port = Int(UInt16(bigEndian: address.sin_port))
    run { server in
      while true {
        let connection = accept(server.listener, nil, nil)
        guard connection >= 0, server.add(connection) else { return }
      }
    }
    run { server in
      let byte: [UInt8] = [UInt8(ascii: "x")]
      let head = Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n".utf8)
      var answered: Set<Int32> = []
      var input = [UInt8](repeating: 0, count: 65_536)
      while !server.lock.withLock({ server.isOver }) {
        for connection in server.lock.withLock({ server.connections }) {
          while unsafe recv(connection, &input, input.count, Int32(MSG_DONTWAIT)) > 0 {}
          let bytes = answered.insert(connection).inserted ? head : byte
          _ = unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        _ = poll(nil, 0, 200)
      }
    }
  }

  private func add(_ connection: Int32) -> Bool {
    lock.withLock {
      if isOver { close(connection) } else { connections.append(connection) }
      return !isOver
    }
  }

  private func run(_ work: @escaping @Sendable (DrippingServer) -> Void) {
    threads.enter()
    Thread.detachNewThread { [self] in
      work(self)
      threads.leave()
    }
  }

  /// Closes all connections. Must be called, because the threads keep the object.
  func end() {
    lock.withLock { isOver = true }
    shutdown(listener, Int32(SHUT_RDWR))
    threads.wait()
    for connection in connections { close(connection) }
    close(listener)
  }
}

import Glibc

/// Listens on a port of the loopback address, and answers no connection.
public final class ListeningPort: @unchecked Sendable {
  /// The port.
  public let number: UInt16
  private var descriptor: Int32

  /// Begins to listen.
  ///
  /// - Throws: an error if no port is free.
  public init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe bind(descriptor, generic, length) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, generic, &length) == 0
      }
    }
    self.descriptor = descriptor
    number = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw ReservedPort.Unavailable() }
  }

  deinit { stop() }

  /// Stops listening, so that the port is free.
  public func stop() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Accepts the next connection and waits until it is closed.
  ///
  /// - Returns: the number of bytes that were received on it.
  public func bytesOfNext() -> Int {
    let line = accept(descriptor, nil, nil)
    defer { close(line) }
    var bytes = 0
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe recv(line, &buffer, buffer.count, 0)
      guard count > 0 else { return bytes }
      bytes += count
    }
  }
}

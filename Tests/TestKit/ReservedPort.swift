import Glibc

/// A port of the loopback address that is reserved for one test, even while the program that uses it does not run.
///
/// The port is bound by a socket that never listens. Programs that set SO_REUSEADDR, as servers do, can still listen on
/// it. The kernel does not give it to programs that ask for any free port.
public final class ReservedPort: Sendable {
  /// The port.
  public let number: UInt16
  private let descriptor: Int32

  /// Reserves a port.
  ///
  /// - Throws: an error if no port is free.
  public init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var on: Int32 = 1
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = descriptor
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe bind(number, generic, length) == 0 ? unsafe getsockname(number, generic, &length) : -1
      }
    }
    guard result == 0 else {
      close(number)
      throw Unavailable()
    }
    self.number = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  /// The error that no port is free.
  public struct Unavailable: Error {}
}

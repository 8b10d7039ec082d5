import CPorts
import Failures
import Glibc

/// A socket that listens at a path of this machine or at a TCP address. When its owner is destroyed, the file at its
/// path is deleted.
public struct ListeningSocket: ~Copyable, Sendable {
  private let socket: Descriptor
  private let path: String?
  /// Device and inode of the file that this socket created at its path; `nil` for TCP.
  private let made: (device: dev_t, inode: ino_t)?

  /// Listens at a path (unix(7)). If a process that has ended left its socket there, that socket is replaced.
  ///
  /// - Parameters:
  ///   - path: path of the socket.
  ///   - mode: permissions of the socket's file, which determine who may connect.
  /// - Throws: ``PortError/Kind/busy`` if another process is listening there.
  public init(path: String, mode: UInt32) throws(PortError) {
    let number = unsafe cports_local_listen(path, mode)
    guard number >= 0 else {
      let code = -number
      let detail =
        switch code {
        case EADDRINUSE: "another process listens there"
        case ENOTSOCK: "the file is not a socket; use another path"
        default: systemReason(code)
        }
      throw PortError(code == EADDRINUSE ? .busy : .system, path, code: code, detail)
    }
    socket = Descriptor(owning: number)
    self.path = path
    made = Self.file(path)
  }

  /// Listens for TCP connections.
  ///
  /// - Parameters:
  ///   - host: an IPv4 or IPv6 address, or a name of this machine.
  ///   - port: TCP port; 0 to use any free port.
  /// - Throws: ``PortError`` if the address cannot be used.
  public init(host: String, port: Int) throws(PortError) {
    let name = "\(host):\(port)"
    let found = try HostLookup.addresses(
      of: host, port: port, name: name, until: BootClock.now + 5_000_000_000, unless: nil)
    var address = found[0]
    let number = unsafe cports_listen(&address)
    guard number >= 0 else {
      throw PortError(number == -EADDRINUSE ? .busy : .system, name, code: -number, systemReason(-number))
    }
    socket = Descriptor(owning: number)
    path = nil
    made = nil
  }

  // Delete the file only if it is still the file of this socket, because another process may have replaced it.
  deinit { if let path, let made, let now = Self.file(path), made == now { _ = unsafe unlink(path) } }

  private static func file(_ path: String) -> (device: dev_t, inode: ino_t)? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
  }

  /// The descriptor for poll(2). It is readable while a client waits to be accepted.
  public var descriptor: Int32 { socket.number }

  /// The number of the TCP port at which the socket listens.
  public var port: Int { Int(cports_listening_port(socket.number)) }

  /// Accepts the next connection, and makes it non-blocking; `nil` if no client waits, or if the process has no free
  /// descriptors.
  public func accept() -> StreamSocket? {
    let number = cports_accept(socket.number)
    return number >= 0 ? StreamSocket(Descriptor(owning: number)) : nil
  }
}

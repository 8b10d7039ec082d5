import CPorts
import Glibc

/// Takes connections, at a path of this machine or at an address; its path is removed when its owner goes.
public struct ListeningSocket: ~Copyable, Sendable {
  private let socket: Descriptor
  private let path: String?
  /// The file at the path, as it was made.
  private let made: (device: dev_t, inode: ino_t)?

  /// Listens at a path (unix(7)). What a process left there that is no more makes room.
  ///
  /// - Parameter mode: who may connect, as of a file.
  /// - Throws: ``PortError/Kind/busy`` where somebody listens there already.
  public init(path: String, mode: UInt32) throws(PortError) {
    let number = unsafe cports_local_listen(path, mode)
    guard number >= 0 else {
      let code = -number
      let detail =
        switch code {
        case EADDRINUSE: "somebody listens there already"
        case ENOTSOCK: "there is something that is not a socket; name another path"
        default: systemReason(code)
        }
      throw PortError(code == EADDRINUSE ? .busy : .system, path, code: code, detail)
    }
    socket = Descriptor(owning: number)
    self.path = path
    made = Self.file(path)
  }

  /// Listens for TCP.
  ///
  /// - Parameters:
  ///   - host: an IPv4 or IPv6 address, or a name of this machine.
  ///   - port: 0: any that is free.
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

  // Somebody may have removed it, and another listen there by now.
  deinit { if let path, let made, let now = Self.file(path), made == now { _ = unsafe unlink(path) } }

  private static func file(_ path: String) -> (device: dev_t, inode: ino_t)? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
  }

  /// For `poll(2)`: readable while somebody waits.
  public var descriptor: Int32 { socket.number }

  /// Of TCP.
  public var port: Int { Int(cports_listening_port(socket.number)) }

  /// Takes the next connection; nil: there is none, or the process has no descriptor for it.
  public func accept() -> StreamSocket? {
    let number = cports_accept(socket.number)
    return number >= 0 ? StreamSocket(Descriptor(owning: number)) : nil
  }
}

import CPorts
import Glibc

/// One connection, not blocking where it was accepted; closed when its owner goes.
public struct StreamSocket: ~Copyable, Sendable {
  private let socket: Descriptor

  init(_ socket: consuming Descriptor) { self.socket = socket }

  /// Connects to a socket of this machine; blocks where its owner does not take the connection.
  ///
  /// - Throws: ``PortError/Kind/missing`` where there is none, ``PortError/Kind/notPermitted`` where it is for others,
  ///   ``PortError/Kind/refused`` where nobody listens at it.
  public init(path: String) throws(PortError) {
    let number = unsafe cports_local_connect(path)
    guard number >= 0 else {
      let kind: PortError.Kind =
        switch -number {
        case ENOENT, ENOTDIR, ENAMETOOLONG: .missing
        case EACCES, EPERM: .notPermitted
        case ECONNREFUSED: .refused
        default: .system
        }
      throw PortError(kind, path, code: -number, systemReason(-number))
    }
    socket = Descriptor(owning: number)
  }

  /// For `poll(2)`.
  public var descriptor: Int32 { socket.number }

  /// Reads what is there; 0: the other end has closed; -1 with `errno` as read(2).
  public func read(into buffer: inout MutableSpan<UInt8>) -> Int { socket.read(into: &buffer) }

  /// Writes what there is room for; -1 with `errno` as send(2). Never raises SIGPIPE.
  public func write(_ bytes: Span<UInt8>) -> Int { socket.send(bytes) }
}

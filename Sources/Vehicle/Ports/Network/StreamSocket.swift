import CPorts
import Failures
import Glibc

/// A stream connection. It is closed when its owner is destroyed. It is non-blocking if a ``ListeningSocket`` accepted
/// it.
public struct StreamSocket: ~Copyable, Sendable {
  private let socket: Descriptor

  init(_ socket: consuming Descriptor) { self.socket = socket }

  /// Connects to a local socket, and blocks until the server accepts the connection.
  ///
  /// - Throws: ``PortError/Kind/missing`` if the socket does not exist, ``PortError/Kind/notPermitted`` if this user
  ///   may not connect, ``PortError/Kind/refused`` if no process is listening.
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

  /// The descriptor for `poll(2)`.
  public var descriptor: Int32 { socket.number }

  /// Reads the bytes that are available, and returns their number; 0 if the peer has closed the connection. If this
  /// fails, returns -1 and sets `errno`, as read(2) does.
  public func read(into buffer: inout MutableSpan<UInt8>) -> Int { socket.read(into: &buffer) }

  /// Writes as many bytes as the kernel accepts now, and returns their number. If this fails, returns -1 and sets
  /// `errno`, as send(2) does. It never raises SIGPIPE.
  public func write(_ bytes: Span<UInt8>) -> Int { socket.send(bytes) }
}

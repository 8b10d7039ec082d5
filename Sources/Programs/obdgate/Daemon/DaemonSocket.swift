import ArgumentParser
import Failures
import Gateway
import GatewayStatus
import Glibc

/// The Unix socket (unix(7)) on which a running daemon serves its status.
struct DaemonSocket: Equatable {
  let path: String

  init(_ path: String) { self.path = path }

  /// Returns the socket that the user has named. If the user has named none, returns the first socket that exists at
  /// the usual places.
  ///
  /// - Parameter inspect: the settings of the daemon's configuration file that determine the usual places.
  /// - Throws: an error that states the remedy if no socket exists.
  static func found(
    named: String?, _ inspect: StatusLocation = StatusLocation(file: DoctorCommand.usualFile)
  ) throws(DaemonTrouble) -> DaemonSocket {
    if let named { return DaemonSocket(named) }
    let places = inspect.places
    if let path = places.first(where: isThere) { return DaemonSocket(path) }
    throw DaemonTrouble(
      .notRunning,
      "no running daemon found at \(places.joined(separator: " or ")): start it (\(starting)), or name its "
        + "socket (\"status\" of its configuration) with --socket")
  }

  /// The command that starts a daemon on this machine.
  private static var starting: String { ServiceUser.hasUnit ? "systemctl start obdgated" : "obdgated --config FILE" }

  /// Whether a file may exist at a path. If this user is not permitted to check it, the result is `true`: connecting
  /// then fails with an error that states the remedy.
  private static func isThere(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
  }

  /// Time within which a daemon must accept a connection, and within which it must send the whole response, ns. A
  /// daemon needs little time for this, because it has all data in memory.
  static let patience: Int64 = 5_000_000_000

  /// Connects to the socket.
  ///
  /// - Returns: the file descriptor, which the caller must close.
  func connect() throws(DaemonTrouble) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    // The last byte of the path must be 0.
    guard (1..<MemoryLayout.size(ofValue: address.sun_path)).contains(bytes.count), !bytes.contains(0) else {
      throw DaemonTrouble(.notRunning, "\(path): not the path of a socket, which has 1 to 107 bytes")
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw DaemonTrouble(.system, "\(path): no socket: \(systemReason(errno))") }
    // Limits the wait for a daemon that does not accept connections.
    var limit = timeval(tv_sec: Int(Self.patience / 1_000_000_000), tv_usec: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isConnected else {
      let code = errno
      close(descriptor)
      throw trouble(code)
    }
    return descriptor
  }

  /// Whether the file at the path is a socket. It is also `true` if the file does not exist.
  private var isSocket: Bool {
    var status = stat()
    return unsafe stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFSOCK
  }

  private func trouble(_ code: Int32) -> DaemonTrouble {
    switch code {
    case ENOENT, ENOTDIR:
      DaemonTrouble(.notRunning, "\(path): no such socket: obdgated is not running, or uses another path (--socket)")
    // connect(2) returns the same error for a file that is not a socket and for a socket on which no process listens.
    case ECONNREFUSED where !isSocket:
      DaemonTrouble(
        .system,
        "\(path): not a socket; use another path, with --socket or by \"status\" of the daemon's configuration")
    case ECONNREFUSED, ENOTSOCK, EPROTOTYPE:
      DaemonTrouble(.notRunning, "\(path): no answer: obdgated is not running; \(Self.starting)")
    case EACCES, EPERM:
      DaemonTrouble(
        .notPermitted,
        "\(path): no permission; add the user to the group obdgate: usermod -aG obdgate USER, then log in "
          + "again")
    case EAGAIN, EINTR:
      DaemonTrouble(.timedOut, "\(path): obdgated accepts no connection: there are too many, or it is stuck")
    default: DaemonTrouble(.system, "\(path): \(systemReason(code))")
    }
  }
}

/// The option `--socket`, for all commands that query a running daemon.
struct SocketOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The daemon's socket. Default: that of \(DoctorCommand.usualFile), else \(StatusSocketPath.service), else "
        + "obdgated.sock in $XDG_RUNTIME_DIR or in the stateDirectory of that file.",
      valueName: "path"),
    completion: .file())
  var socket: String?
}

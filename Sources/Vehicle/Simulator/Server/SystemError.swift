import Failures
import Glibc

/// The reason why the simulator cannot run. `description` is one text line: the failed operation, its place, and the
/// expected value.
public typealias SimulatorError = PlacedError<SimulatorErrorKind>

/// The kind of a ``SimulatorError``; the raw value is the exit status.
public enum SimulatorErrorKind: Int32, Sendable {
  /// An option or the list of faults is invalid.
  case usage = 64
  /// The scenario does not exist or is a directory.
  case noInput = 66
  /// The pseudo-terminal or the TCP port is unavailable.
  case unavailable = 69
  /// The scenario cannot be read, or the log cannot be written.
  case inputOutput = 74
  /// The scenario is invalid.
  case badScenario = 78
}

extension SimulatorError {
  /// Creates an error with the system's text for the current `errno` as its detail.
  static func system(_ kind: Kind, _ what: String) -> SimulatorError {
    SimulatorError(kind, what, systemReason(errno))
  }
}

/// A file descriptor that is closed when its owner is destroyed.
struct Descriptor: ~Copyable {
  /// The number of the file descriptor; -1 if there is none.
  let raw: Int32

  init() { raw = -1 }

  init(_ raw: Int32) {
    self.raw = raw
    // Child processes must not inherit the descriptor.
    _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
  }

  var isOpen: Bool { raw >= 0 }

  deinit { if raw >= 0 { close(raw) } }

  /// Makes reads and writes return immediately instead of blocking.
  func makeNonblocking() { _ = fcntl(raw, F_SETFL, fcntl(raw, F_GETFL) | O_NONBLOCK) }

  /// The result of a read: the number of bytes read, no bytes available, or a closed connection.
  enum Input {
    case bytes(Int)
    case nothing, closed
  }

  /// Reads the bytes that are available into a buffer.
  func read(into buffer: inout [UInt8]) -> Input {
    let count = unsafe Glibc.read(raw, &buffer, buffer.count)
    if count > 0 { return .bytes(count) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .closed
  }

  /// Writes bytes without blocking.
  ///
  /// - Returns: number of bytes that were written; `nil` if the peer has disconnected.
  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    // The process must ignore SIGPIPE. Otherwise, writing to a closed connection would end it.
    let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(raw, $0.baseAddress, $0.count) }
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }
}

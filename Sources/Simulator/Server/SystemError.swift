import Glibc

/// Why a simulator does not run: what, where, what would be right.
public struct SimulatorError: Error, Sendable, CustomStringConvertible {
  /// What failed; each has its exit status of sysexits.h.
  public enum Kind: Int32, Sendable {
    /// A fault list or an option that is none.
    case usage = 64
    /// No such scenario, or a folder.
    case noInput = 66
    /// No pty, no port.
    case unavailable = 69
    /// The scenario or the log cannot be read or written.
    case inputOutput = 74
    /// A scenario that is none.
    case badScenario = 78
  }

  /// What failed.
  public var kind: Kind
  /// One line for people.
  public var description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// The same with the text of `errno`.
  static func system(_ kind: Kind, _ what: String) -> SimulatorError {
    let number = errno
    guard let text = unsafe strerror(number) else { return SimulatorError(kind, "\(what): error \(number)") }
    return unsafe SimulatorError(kind, "\(what): \(String(cString: text))")
  }
}

/// A file descriptor that closes itself.
struct Descriptor: ~Copyable {
  /// -1: none.
  let raw: Int32

  init() { raw = -1 }

  init(_ raw: Int32) {
    self.raw = raw
    // No program that is started meanwhile may hold it open.
    _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
  }

  var isOpen: Bool { raw >= 0 }

  deinit { if raw >= 0 { close(raw) } }

  func makeNonblocking() { _ = fcntl(raw, F_SETFL, fcntl(raw, F_GETFL) | O_NONBLOCK) }

  enum Input {
    case bytes(Int)
    case nothing, closed
  }

  func read(into buffer: inout [UInt8]) -> Input {
    let count = unsafe Glibc.read(raw, &buffer, buffer.count)
    if count > 0 { return .bytes(count) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .closed
  }

  /// - Returns: how many bytes went; nil where the other side is gone.
  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    // SIGPIPE is for programs that have nothing else to do.
    let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(raw, $0.baseAddress, $0.count) }
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }
}

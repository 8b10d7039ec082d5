import FleetAPI
import FleetDomain
import Glibc
import Telemetry

/// The reason why a command fails, on one line, with its exit status of sysexits.h.
struct CommandError: Error, CustomStringConvertible {
  enum Status: Int32 {
    /// The command was executed and failed.
    case failed = 1
    /// EX_USAGE
    case usage = 64
    /// EX_DATAERR
    case badData = 65
    /// EX_NOINPUT
    case noInput = 66
    /// EX_UNAVAILABLE
    case unavailable = 69
    /// EX_IOERR
    case unreadable = 74
    /// EX_CONFIG
    case badConfiguration = 78
  }

  let status: Status
  let description: String

  init(_ status: Status, _ description: String) {
    self.status = status
    self.description = description
  }

  init(_ error: StorageError) {
    let status: Status =
      switch error.kind {
      case .noDatabase: .noInput
      case .unavailable, .full, .inUse: .unavailable
      case .readOnly: .unreadable
      case .damaged, .newerSchema: .badData
      default: .failed
      }
    let remedy = error.kind == .noDatabase ? "; fleetstore serve makes it, and so does this command with --create" : ""
    self.init(status, error.description + remedy)
  }

  init(_ error: ServerStartError) {
    self.init(error.kind == .unavailable ? .unavailable : .badConfiguration, error.description)
  }
}

/// Messages for people, on stderr.
enum StandardError {
  /// Prints one line with control characters escaped. Errors of the write are ignored.
  static func say(_ line: String) { _ = writeWhole(line.printable + "\n", to: STDERR_FILENO) }
}

/// Output for programs, on stdout.
enum StandardOutput {
  /// Prints one line with control characters escaped, except tabs between columns.
  static func say(_ line: String) throws(CommandError) {
    let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable }
    try write(columns.joined(separator: "\t") + "\n")
  }

  /// - Throws: an error if the lines cannot be written. `EPIPE` is not an error here.
  static func write(_ lines: String) throws(CommandError) {
    let code = writeWhole(lines, to: STDOUT_FILENO)
    guard code == 0 || code == EPIPE else {
      throw CommandError(.unreadable, "standard output: cannot be written: \(unsafe String(cString: strerror(code)))")
    }
  }

  /// Prints a secret that cannot be shown again.
  static func say(secret: String, lost remedy: String) throws(CommandError) {
    do throws(CommandError) {
      try say(secret)
    } catch {
      throw CommandError(error.status, "\(error.description); \(remedy)")
    }
  }
}

/// - Returns: 0, or errno.
private func writeWhole(_ text: String, to descriptor: Int32) -> Int32 {
  var text = text
  return text.withUTF8 { bytes in
    var done = 0
    while done < bytes.count {
      let count = unsafe write(descriptor, bytes.baseAddress! + done, bytes.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      done += count
    }
    return 0
  }
}

import FleetAPI
import FleetDomain
import Glibc

/// Why a command ends early: one line for people, and the status of sysexits.h.
struct Failure: Error, CustomStringConvertible {
  enum Status: Int32 {
    /// The work was done, and failed.
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
      case .unavailable, .full: .unavailable
      case .readOnly: .unreadable
      case .damaged, .newerSchema: .badData
      default: .failed
      }
    self.init(status, error.description)
  }

  init(_ error: ServerStartError) {
    self.init(error.kind == .unavailable ? .unavailable : .badConfiguration, error.description)
  }
}

/// Lines for people.
enum StandardError {
  static func say(_ line: String) { writeWhole(line + "\n", to: STDERR_FILENO) }
}

/// Lines for programs.
enum StandardOutput {
  static func say(_ line: String) { write(line + "\n") }
  static func write(_ lines: String) { writeWhole(lines, to: STDOUT_FILENO) }
}

private func writeWhole(_ text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { bytes in
    var done = 0
    while done < bytes.count {
      let count = unsafe write(descriptor, bytes.baseAddress! + done, bytes.count - done)
      if count < 0, errno == EINTR { continue }
      // Closed: there is nobody left to tell.
      guard count > 0 else { return }
      done += count
    }
  }
}

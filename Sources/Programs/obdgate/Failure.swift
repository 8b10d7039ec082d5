import ArgumentParser
import Glibc
import Telemetry

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
    /// EX_UNAVAILABLE: a device or a service.
    case unavailable = 69
    /// EX_IOERR
    case unreadable = 74
    /// EX_CONFIG
    case badConfiguration = 78
  }

  let status: Int32
  let description: String

  init(_ status: Status, _ description: String) {
    self.status = status.rawValue
    self.description = description
  }

  init(status: Int32, _ description: String) {
    self.status = status
    self.description = description
  }

  /// Says it on stderr and gives what ArgumentParser ends the program with.
  func reported(by command: String) -> ExitCode {
    StandardError.say("obdgate \(command): \(description)")
    return ExitCode(status)
  }
}

/// Lines for people on standard error. Text that comes from outside is printed by ``say(_:)``, which escapes it.
enum StandardError {
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Prints one line; what a terminal would obey in it is escaped.
  static func say(_ line: String) { write(line.printable + "\n") }

  /// Replaces the line that the cursor stands in (ECMA-48); an empty text erases it.
  static func showProgress(_ text: String) { write("\r\(text.printable)\u{1B}[K") }

  private static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let count = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress! + done, bytes.count - done)
        // stderr closed: there is nobody left to tell.
        guard count > 0 else { return }
        done += count
      }
    }
  }
}

import Failures
import Glibc
import Telemetry

/// Writes messages for users to stderr. Control characters are escaped, because a message may contain text of another
/// program. If writing fails, the error is ignored.
public enum StandardError {
  /// Whether stderr is a terminal.
  public static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Prints one line. Control characters in it are escaped.
  public static func print(_ line: String) { write(line.printable + "\n") }

  /// Replaces the text in the terminal's current line (ECMA-48). An empty text erases the line.
  public static func showProgress(_ text: String) { write("\r\(text.printable)\u{1B}[K") }

  private static func write(_ text: String) { _ = writeAll(text.utf8.span, to: STDERR_FILENO) }
}

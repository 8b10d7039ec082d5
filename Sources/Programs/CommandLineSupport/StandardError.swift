import Failures
import Glibc
import Telemetry

/// Messages for people, on stderr. Text from outside is escaped. Errors of the write are ignored.
public enum StandardError {
  /// Whether stderr is a terminal.
  public static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Prints one line with control characters escaped.
  public static func say(_ line: String) { write(line.printable + "\n") }

  /// Replaces the line that the cursor is in (ECMA-48); an empty text erases it.
  public static func showProgress(_ text: String) { write("\r\(text.printable)\u{1B}[K") }

  private static func write(_ text: String) { _ = writeAll(text.utf8.span, to: STDERR_FILENO) }
}

import Failures
import Glibc
import Telemetry

/// Writes messages for people to stderr. Control characters in them are escaped, because texts may come from other
/// programs. Errors of writing are ignored.
public enum StandardError {
  /// Whether stderr is a terminal.
  public static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Prints one line with control characters escaped.
  public static func say(_ line: String) { write(line.printable + "\n") }

  /// Replaces the text on the terminal's current line (ECMA-48); an empty text erases it.
  public static func showProgress(_ text: String) { write("\r\(text.printable)\u{1B}[K") }

  private static func write(_ text: String) { _ = writeAll(text.utf8.span, to: STDERR_FILENO) }
}

import Failures
import Glibc
import Telemetry

/// Writes results to stdout, where other programs may read them.
public enum StandardOutput {
  /// Prints one line. Control characters are escaped, except tabs, which separate columns.
  public static func print(_ line: String) throws(Failure) {
    let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable }
    try write(columns.joined(separator: "\t") + "\n")
  }

  /// Writes a text as it is, without escaping control characters.
  ///
  /// - Throws: an error if the text cannot be written. `EPIPE` (the reader has closed the pipe) is not an error here.
  public static func write(_ lines: String) throws(Failure) {
    let code = writeAll(lines.utf8.span, to: STDOUT_FILENO)
    guard code == 0 || code == EPIPE else { throw unwritable(code) }
  }

  /// Prints a secret that cannot be printed again later.
  ///
  /// - Parameter remedy: the remedy that the error states if the secret could not be printed.
  public static func print(secret: String, lost remedy: String) throws(Failure) {
    do throws(Failure) {
      try print(secret)
    } catch {
      throw Failure(error.kind, error.place, "\(error.detail); \(remedy)")
    }
  }

  /// Returns the failure for a write to stdout that failed with this value of `errno`.
  public static func unwritable(_ code: Int32) -> Failure {
    Failure(.unreadable, "standard output", "cannot be written: \(systemReason(code))")
  }
}

import Glibc
import Telemetry

/// A page on a terminal that is drawn repeatedly (ECMA-48).
struct LivePage {
  /// Columns and rows of the terminal at stdout; `nil` if stdout is not a terminal or does not report its size.
  static var size: (columns: Int, rows: Int)? {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
      size.ws_row > 0
    else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// The size that is assumed if a terminal does not report its size.
  static let usualSize = (columns: 80, rows: 24)

  /// Divides a text into lines between words.
  ///
  /// - Parameter columns: maximum length of a line; `nil` to return the text as one line.
  static func wrapped(_ text: String, to columns: Int?) -> [String] {
    guard let columns, columns > 0 else { return [text] }
    var lines: [String] = []
    var rest = Substring(text)
    while rest.count > columns {
      let most = rest.prefix(columns + 1)
      let space = most.lastIndex(of: " ") ?? most.startIndex
      // A word that is longer than a line is divided.
      let end = space > most.startIndex ? space : most.dropLast().endIndex
      lines.append(String(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    return lines + [String(rest)]
  }

  /// Escapes control characters in lines, and cuts each line off at `columns` characters.
  private static func cut(_ lines: [String], to columns: Int) -> [String] {
    lines.map(\.printable).map { $0.count > columns ? $0.prefix(max(0, columns - 1)) + "…" : $0 }
  }

  /// Draws a page over the previous one. Parts of the page for which the terminal has no room are not drawn.
  ///
  /// - Parameter output: the terminal, which is flushed afterwards.
  static func show(_ lines: [String], on output: inout OutputStream) throws {
    let (columns, rows) = size ?? usualSize
    var shown = cut(lines, to: columns)
    if shown.count > rows - 1 {
      let left = lines.count - max(0, rows - 2)
      shown = shown.prefix(max(0, rows - 2)) + cut(["… and \(left) lines more"], to: columns)
    }
    // Automatic line wrapping is off while the page is drawn. Otherwise, a line with double-width characters could
    // continue in the next row.
    let text = shown.map { $0 + "\u{1B}[K\n" }.joined()
    try output.write("\u{1B}[?7l\u{1B}[H\(text)\u{1B}[J\u{1B}[?7h".utf8.span)
    try output.flush()
  }
}

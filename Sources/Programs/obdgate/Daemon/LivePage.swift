import Glibc
import Telemetry

/// A page on a terminal that is redrawn at intervals (ECMA-48).
struct LivePage {
  /// Columns and rows of the terminal at standard output; `nil` if it is not a terminal or does not report its size.
  static var size: (columns: Int, rows: Int)? {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
      size.ws_row > 0
    else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// The size that is assumed if a terminal does not report its own.
  static let usualSize = (columns: 80, rows: 24)

  /// Wraps a text between words.
  ///
  /// - Parameter columns: maximum length of a line; `nil` for one line.
  static func wrapped(_ text: String, to columns: Int?) -> [String] {
    guard let columns, columns > 0 else { return [text] }
    var lines: [String] = []
    var rest = Substring(text)
    while rest.count > columns {
      let most = rest.prefix(columns + 1)
      let space = most.lastIndex(of: " ") ?? most.startIndex
      // Divide a word that is longer than a line.
      let end = space > most.startIndex ? space : most.dropLast().endIndex
      lines.append(String(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    return lines + [String(rest)]
  }

  /// Escapes control characters in lines, and cuts each line to a width.
  private static func cut(_ lines: [String], to columns: Int) -> [String] {
    lines.map(\.printable).map { $0.count > columns ? $0.prefix(max(0, columns - 1)) + "…" : $0 }
  }

  /// Draws a page over the previous one. Lines and columns that do not fit on the terminal are left out.
  ///
  /// - Parameter output: receives the page and is then flushed.
  static func show(_ lines: [String], on output: inout OutputStream) throws {
    let (columns, rows) = size ?? usualSize
    var shown = cut(lines, to: columns)
    if shown.count > rows - 1 {
      let left = lines.count - max(0, rows - 2)
      shown = shown.prefix(max(0, rows - 2)) + cut(["… and \(left) lines more"], to: columns)
    }
    // Automatic wrapping is switched off. Otherwise a line with characters that take two columns could be too long and
    // continue in the next row.
    let text = shown.map { $0 + "\u{1B}[K\n" }.joined()
    try output.write("\u{1B}[?7l\u{1B}[H\(text)\u{1B}[J\u{1B}[?7h".utf8.span)
    try output.flush()
  }
}

/// Why a capture cannot be read, and where.
public struct CaptureError: Error, Sendable {
  public enum Kind: Hashable, Sendable {
    /// There is no byte to read.
    case empty
    /// Not text: an executable, an archive, a picture.
    case binary
    /// No format fits; the line is the first that fits none.
    case unknownFormat
    /// `# obdgate-capture N` with an N that this program does not know.
    case unsupportedVersion
    /// A line longer than 1 MiB.
    case lineTooLong
    /// A line that its own format does not allow.
    case damagedLine
    /// A file of that name does not exist.
    case missing
    /// The name is a directory's.
    case isDirectory
    /// The system refused; the number is its errno.
    case unreadable(Int32)
  }

  public let kind: Kind
  /// The line's number, from 1; 0 where the error is not of one line, or lines are not counted (bare bytes).
  public let line: Int
  /// The format being read; nil while it is not known.
  public let format: CaptureFormat?

  private static let textLimit = 48
  private var text = InlineArray<48, UInt8>(repeating: 0)
  private var textCount = 0
  private var isCut = false

  /// - Parameter line: the line's bytes, of which the first 48 are kept for the message.
  init(_ kind: Kind, line number: Int = 0, format: CaptureFormat? = nil, text line: Span<UInt8> = Span()) {
    self.kind = kind
    self.line = number
    self.format = format
    textCount = min(line.count, Self.textLimit)
    isCut = line.count > textCount
    for i in 0..<textCount { text[i] = line[i] }
  }

  /// The first bytes of the offending line, at most 48.
  public borrowing func withText<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(text.span.extracting(first: textCount))
  }

  /// The exit status that sysexits.h has for it: 65 bad data, 66 no such input, 74 unreadable.
  public var exitStatus: Int32 {
    switch kind {
    case .empty, .binary, .unknownFormat, .unsupportedVersion, .lineTooLong, .damagedLine: 65
    case .missing, .isDirectory: 66
    case .unreadable: 74
    }
  }
}

extension CaptureError: CustomStringConvertible {
  /// One line: where, what, what would be right.
  public var description: String {
    switch kind {
    case .empty: "empty: a capture has at least one line"
    case .binary: "binary data: a capture is text, give it unpacked"
    case .missing: "no such file"
    case .isDirectory: "a directory: name a file in it"
    case .unreadable(let number): "cannot be read: \(Self.reason(number))"
    case .lineTooLong:
      line == 0
        ? "more than 1 MiB without CR, LF or prompt: an adapter ends its lines"
        : "line \(line): longer than 1 MiB: no adapter or log writes such a line"
    case .unsupportedVersion: "line \(line): \(quoted): this program reads version 1"
    case .unknownFormat:
      "line \(line): \(quoted) fits no known format: expected an adapter's transcript or one of \(Self.allNames)"
    case .damagedLine:
      "line \(line): \(quoted) is no line of format \(format.map { "\($0.name)" } ?? "?"):"
        + " expected as in \(format.map { "\($0.sample)" } ?? "?")"
    }
  }

  /// The message under the name of what was read: `FILE: line 3: …`.
  public func description(of path: String) -> String { "\(path == "-" ? "standard input" : path): \(description)" }

  private static var allNames: String { CaptureFormat.allCases.map { "\($0.name)" }.joined(separator: ", ") }

  /// The line's start in quotes, with everything unprintable escaped.
  private var quoted: String {
    var out = "\""
    for i in 0..<textCount {
      let byte = text[i]
      switch byte {
      case 0x0D: out += "\\r"
      case 0x22, 0x5C: out += "\\" + String(Unicode.Scalar(byte))
      case 0x20..<0x7F: out.unicodeScalars.append(Unicode.Scalar(byte))
      default: out += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return out + (isCut ? "…\"" : "\"")
  }
}

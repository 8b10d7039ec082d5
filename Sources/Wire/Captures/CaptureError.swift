import Failures

/// The reason why a capture cannot be read, with the line at fault.
public struct CaptureError: Error, Sendable {
  /// The kind of problem.
  public enum Kind: Hashable, Sendable {
    /// The content is empty.
    case empty
    /// The content is not text, for example an executable, an archive or an image.
    case binary
    /// The content has no known format. ``line`` is the first line that matches no format.
    case unknownFormat
    /// The first line is `# obdgate-capture N` with an unsupported version N.
    case unsupportedVersion
    /// A line is longer than 1 MiB.
    case lineTooLong
    /// A line does not conform to the capture's format.
    case damagedLine
    /// The file does not exist.
    case missing
    /// The path is a directory.
    case isDirectory
    /// The operating system reported this `errno`.
    case unreadable(Int32)
  }

  /// The kind of problem.
  public let kind: Kind
  /// Line number, from 1; 0 if the error has no line or the format is not divided into lines.
  public let line: Int
  /// The format in which the capture is read; `nil` if unknown.
  public let format: CaptureFormat?

  private static let textLimit = 48
  private var text = InlineArray<48, UInt8>(repeating: 0)
  private var textCount = 0
  private var isCut = false

  /// Creates an error.
  ///
  /// - Parameter line: the bytes of the line at fault. The first 48 of them are kept for the message.
  init(_ kind: Kind, line number: Int = 0, format: CaptureFormat? = nil, text line: Span<UInt8> = Span()) {
    self.kind = kind
    self.line = number
    self.format = format
    textCount = min(line.count, Self.textLimit)
    isCut = line.count > textCount
    for i in 0..<textCount { text[i] = line[i] }
  }

  /// Calls `body` with the first bytes of the invalid line, at most 48.
  public borrowing func withText<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(text.span.extracting(first: textCount))
  }

  /// The exit status for this error, as in sysexits.h: 65 for invalid data, 66 for missing input, 74 for unreadable
  /// input.
  public var exitStatus: ExitStatus {
    switch kind {
    case .empty, .binary, .unknownFormat, .unsupportedVersion, .lineTooLong, .damagedLine: .badData
    case .missing, .isDirectory: .noInput
    case .unreadable: .unreadable
    }
  }
}

extension CaptureError: CustomStringConvertible {
  /// The message as one text line: position, problem, and what was expected.
  public var description: String {
    switch kind {
    case .empty: "empty: a capture has at least one line"
    case .binary: "binary data: a capture is text; decompress it first"
    case .missing: "no such file"
    case .isDirectory: "a directory: name a file in it"
    case .unreadable(let number): "cannot be read: \(systemReason(number))"
    case .lineTooLong:
      line == 0
        ? "more than 1 MiB without CR, LF or prompt: an adapter ends its lines"
        : "line \(line): longer than 1 MiB: no adapter or log writes such a line"
    case .unsupportedVersion: "line \(line): \(quoted): this program reads version 1"
    case .unknownFormat:
      "line \(line): \(quoted) fits no known format: expected an adapter's transcript or one of \(Self.allNames)"
    case .damagedLine:
      "line \(line): \(quoted) is not a line of the format \(format.map { "\($0.name)" } ?? "?"):"
        + " expected as in \(format.map { "\($0.sample)" } ?? "?")"
    }
  }

  /// The message as one text line that begins with the name of the input: `FILE: line 3: …`.
  public func description(of path: String) -> String { "\(path == "-" ? "standard input" : path): \(description)" }

  private static var allNames: String { CaptureFormat.allCases.map { "\($0.name)" }.joined(separator: ", ") }

  /// The start of the line at fault in quotes, with unprintable characters escaped.
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

/// Why a file of codes cannot be used: which file, which line, and what would be right.
public struct TroubleCodeFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Kind: Error, Equatable, Sendable {
    /// The bytes are not UTF-8.
    case notUTF8
    /// A quoted field does not end before the file does.
    case unterminatedQuote
    /// A quotation mark inside a field that is not quoted.
    case strayQuote
    /// Something stands between a closing quotation mark and the next comma.
    case textAfterQuote
    /// A carriage return that no line feed follows.
    case bareCarriageReturn
    /// The line has this number of fields.
    case fieldCount(Int)
    /// The first line begins with `code`, but is not the header.
    case header
    /// The first field is not a code.
    case code(String)
    /// The code has no text.
    case emptyText
    /// The text has this many bytes, more than ``TroubleCodeCatalog/maximumTextLength``.
    case longText(Int)
    /// A line break or another control character inside a field.
    case controlCharacter
    /// The same code, for the same make, stands on this earlier line.
    case duplicate(line: Int)
  }

  /// The file's name, as it was given.
  public var file: String
  /// Line on which the wrong record begins, from 1.
  public var line: Int
  /// What is wrong.
  public var kind: Kind

  /// - Parameters: as the properties of the same names.
  public init(file: String, line: Int, kind: Kind) {
    self.file = file
    self.line = line
    self.kind = kind
  }

  /// One line: `ford.csv:3: expected a code such as P1234 (P, C, B or U, a digit 0-3, three hex digits), found "X1"`.
  public var description: String { "\(file):\(line): \(reason)" }

  private var reason: String {
    switch kind {
    case .notUTF8: "expected UTF-8 text"
    case .unterminatedQuote: "expected a closing quotation mark before the end of the file"
    case .strayQuote: "expected the whole field in quotation marks, and each mark inside it doubled"
    case .textAfterQuote: "expected a comma or the end of the line after the closing quotation mark"
    case .bareCarriageReturn: "expected a line feed after the carriage return"
    case .fieldCount(let count):
      "expected code,text or code,text,make, found \(count) \(count == 1 ? "field" : "fields")"
    case .header: "expected the header code,text or code,text,make"
    case .code(let found):
      "expected a code such as P1234 (P, C, B or U, a digit 0-3, three hex digits), found \"\(Self.short(found))\""
    case .emptyText: "expected a text after the code"
    case .longText(let length):
      "expected a text of at most \(TroubleCodeCatalog.maximumTextLength) bytes, found \(length)"
    case .controlCharacter: "expected a text on one line, without control characters"
    case .duplicate(let line): "expected one text for a code and make, the other stands on line \(line)"
    }
  }

  /// So much of what was found that the message stays one readable line.
  private static func short(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(24).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    return text.unicodeScalars.count > 24 ? shown + "…" : shown
  }
}

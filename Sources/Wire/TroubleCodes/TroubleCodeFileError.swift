/// An error in a file of trouble codes: the line and what was expected.
public struct TroubleCodeFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of problem.
  public enum Kind: Error, Equatable, Sendable {
    /// The text is not valid UTF-8.
    case notUTF8
    /// A quoted field is not closed before the end of the file.
    case unterminatedQuote
    /// A field without quotes contains a quotation mark.
    case strayQuote
    /// A closing quotation mark is not followed by a comma or a line end.
    case textAfterQuote
    /// A carriage return is not followed by a line feed.
    case bareCarriageReturn
    /// The line has this number of fields, but should have 2 or 3.
    case fieldCount(Int)
    /// The first line begins with `code` but is not a valid header.
    case header
    /// The first field is not a trouble code.
    case code(String)
    /// The text of the code is empty.
    case emptyText
    /// The text has this many bytes, more than ``TroubleCodeCatalog/maximumTextLength``.
    case longText(Int)
    /// A field contains a line break or another control character.
    case controlCharacter
    /// An earlier line has the same code and make.
    case duplicate(line: Int)
  }

  /// Name of the file, as the caller has stated it.
  public var file: String
  /// Line on which the invalid record begins, from 1.
  public var line: Int
  /// The kind of problem.
  public var kind: Kind

  /// Creates an error; the parameters are the properties of the same names.
  public init(file: String, line: Int, kind: Kind) {
    self.file = file
    self.line = line
    self.kind = kind
  }

  /// The message as one text line, for example:
  /// `ford.csv:3: expected a code such as P1234 (P, C, B or U, a digit 0-3, three hex digits), found "X1"`.
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

  /// Shortens a text for the message, and replaces its control characters.
  private static func short(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(24).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    return text.unicodeScalars.count > 24 ? shown + "…" : shown
  }
}

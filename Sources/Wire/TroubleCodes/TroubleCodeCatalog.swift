/// Texts of diagnostic trouble codes: built-in texts of the generic codes, and manufacturer-specific texts from files.
///
///     var catalog = TroubleCodeCatalog()
///     try catalog.add(csv: bytes, file: "ford.csv")
///     catalog.describe(0x0420)
///     // P0420 — catalyst efficiency below threshold, bank 1 (powertrain, auxiliary emission controls)
public struct TroubleCodeCatalog: Sendable {
  /// Maximum length of a text in a file, UTF-8 bytes. The limit keeps records short enough to read.
  public static let maximumTextLength = 200

  /// The codes with a built-in text, in ascending order of code.
  public static var generic: [(code: UInt16, text: String)] {
    GenericTexts.rows.map { (code: $0.code, text: $0.text.description) }
  }

  /// The texts from files. The keys consist of a code and a make.
  var added: [Key: String] = [:]

  /// Creates a catalog that contains only the texts of the generic codes.
  public init() {}

  /// Number of texts from files.
  public var addedCount: Int { added.count }

  /// Returns the text of a code.
  ///
  /// The result is the first of these texts that exists: a text from a file for this make, a text from a file for all
  /// makes, the generic text.
  ///
  /// - Parameters:
  ///   - code: the two bytes, high byte first: 0x0420 is P0420.
  ///   - make: make of the vehicle, for example `Ford`, ignoring case; `nil` if unknown.
  /// - Returns: the text; `nil` if there is none.
  public func text(for code: UInt16, make: String? = nil) -> String? {
    if !added.isEmpty {
      if let make, let text = added[Key(code: code, make: make)] { return text }
      if let text = added[Key(code: code, make: "")] { return text }
    }
    return GenericTexts.text(for: code)?.description
  }

  /// Describes a code in one text line: the code, its text, the failure, the system and the subsystem.
  ///
  /// If the code has no text, the line contains only the meaning of its digits:
  /// `P1234 (powertrain, fuel and air metering, maker's own code)`.
  ///
  /// - Parameters:
  ///   - code: the two bytes, high byte first.
  ///   - failureType: the third byte, which is appended to the code as in `C0031-11`; `nil` if there is none.
  ///   - make: make of the vehicle; `nil` if unknown.
  public func describe(_ code: UInt16, failureType: UInt8? = nil, make: String? = nil) -> String {
    let name = CodeName(code)
    var line = name.description
    var failure = ""
    if let failureType {
      let hex = String(failureType, radix: 16, uppercase: true)
      line += hex.utf8.count == 1 ? "-0\(hex)" : "-\(hex)"
      failure = FailureType(failureType).description
    }
    let text = text(for: code, make: make)
    let parts = [text, failure.isEmpty ? nil : failure].compactMap { $0 }
    if !parts.isEmpty { line += " — " + parts.joined(separator: ": ") }
    return line + " (\(name.system), \(name.subsystem)\(Self.remark(name, known: text != nil)))"
  }

  /// Returns an explanation of why the code has no text; empty if it has a text.
  private static func remark(_ name: CodeName, known: Bool) -> String {
    if known { return "" }
    return switch name.authority {
    case .maker: ", maker's own code"
    case .reserved: ", reserved code"
    case .standard: ", no text known"
    }
  }

  /// A code and the lower-case make to which a text applies; an empty make stands for all makes.
  struct Key: Hashable, Sendable {
    let code: UInt16
    let make: String

    init(code: UInt16, make: String) {
      self.code = code
      self.make = make.lowercased()
    }
  }
}

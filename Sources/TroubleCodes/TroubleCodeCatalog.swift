/// Texts of diagnostic trouble codes: the generic ones built in, makers' own from files.
///
///     var catalog = TroubleCodeCatalog()
///     try catalog.add(csv: bytes, file: "ford.csv")
///     catalog.describe(0x0420)
///     // P0420 — catalyst efficiency below threshold, bank 1 (powertrain, auxiliary emission controls)
public struct TroubleCodeCatalog: Sendable {
  /// Longest text that a file may give, in UTF-8 bytes: a record's line must stay readable.
  public static let maximumTextLength = 200

  /// The generic codes that have a text built in, and their texts, in the order of the codes' numbers.
  public static var generic: [(code: UInt16, text: String)] {
    GenericTexts.rows.map { (code: $0.code, text: $0.text.description) }
  }

  /// Texts from files, by code and make.
  var added: [Key: String] = [:]

  /// A catalog of the generic codes alone.
  public init() {}

  /// Number of texts from files.
  public var addedCount: Int { added.count }

  /// The text of a code.
  ///
  /// A file's line for this make comes first, then a file's line for every make, then the generic text; a line in a
  /// file thus overrides the generic text of the same code.
  ///
  /// - Parameters:
  ///   - code: the two bytes, high byte first: 0x0420 is P0420.
  ///   - make: the vehicle's make, as in `Ford`, capitals not minded; nil where it is not known.
  /// - Returns: nil where no text is known.
  public func text(for code: UInt16, make: String? = nil) -> String? {
    if !added.isEmpty {
      if let make, let text = added[Key(code: code, make: make)] { return text }
      if let text = added[Key(code: code, make: "")] { return text }
    }
    return GenericTexts.text(for: code)?.description
  }

  /// One line for people: the code, its text, how it failed, and the system and sub-system that its digits name.
  ///
  /// Without a text, the digits still speak: `P1234 (powertrain, fuel and air metering, maker's own code)`.
  ///
  /// - Parameters:
  ///   - code: the two bytes, high byte first.
  ///   - failureType: the third byte, where the car gave one; the code is then shown as `C0031-11`.
  ///   - make: the vehicle's make; nil where it is not known.
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
    return line + " (\(name.system), \(name.subsystem)\(Self.note(name, known: text != nil)))"
  }

  /// Why there is no text, where the digits tell it.
  private static func note(_ name: CodeName, known: Bool) -> String {
    if known { return "" }
    return switch name.authority {
    case .maker: ", maker's own code"
    case .reserved: ", reserved code"
    case .standard: ", no text known"
    }
  }

  /// A code and, folded to small letters, the make that it is meant for; an empty make is every make.
  struct Key: Hashable, Sendable {
    let code: UInt16
    let make: String

    init(code: UInt16, make: String) {
      self.code = code
      self.make = make.lowercased()
    }
  }
}

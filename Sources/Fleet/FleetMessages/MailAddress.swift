import FleetDomain

/// An email address with an optional name: `Fleet <fleet@example.com>`.
public struct MailAddress: Equatable, Sendable {
  public let address: EmailAddress
  /// The name that mail programs show for the address; `nil` if it has no name.
  public let name: String?

  /// Creates an address; `nil` if the name contains control characters or other invisible characters, or if it has more
  /// than 100 characters.
  public init?(_ address: EmailAddress, name: String? = nil) {
    guard name.map({ $0.unicodeScalars.count <= 100 && NameRules.isVisible($0) }) ?? true else { return nil }
    self.address = address
    self.name = name.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The address with its name, in the format that ``init(parsing:)`` reads.
  public var text: String { name.map { "\($0) <\(address.text)>" } ?? address.text }

  /// Parses `ADDRESS` or `NAME <ADDRESS>`; `nil` if the text is neither.
  public init?(parsing text: String) {
    guard text.hasSuffix(">"), let open = text.lastIndex(of: "<") else {
      guard let address = EmailAddress(text) else { return nil }
      self.init(address)
      return
    }
    guard let address = EmailAddress(String(text[text.index(after: open)...].dropLast())) else { return nil }
    var name = text[..<open]
    while name.last == " " { name = name.dropLast() }
    guard !name.contains("<"), !name.contains(">") else { return nil }
    self.init(address, name: String(name))
  }
}

import Telemetry

/// A role, which gives permissions to a person. A person can have several roles.
public enum PersonRole: String, FieldChoice, Sendable {
  /// All permissions within the tenant.
  case admin
  /// May drive vehicles and record journeys.
  case driver
  /// May maintain vehicles.
  case maintenance
  /// May only read.
  case viewer
}

/// The part of a tenant's vehicles that a person may see.
public enum FleetScope: FieldValue, Hashable, Sendable {
  case all
  /// Vehicles of these fleets, and the things that belong to them.
  case fleets([UUIDv7])

  public static var type: FieldType { .json }
  public static var schema: String {
    #"{"oneOf":[{"type":"string","enum":["all"]},{"type":"array","items":\#(UUIDv7.schema),"maxItems":1000}]}"#
  }

  public init(json: JSON) throws(FieldError) {
    if json == .text("all") {
      self = .all
    } else if case .array(let ids) = json {
      let fleets = try [UUIDv7](json: .array(ids))
      guard fleets.count <= 1_000 else { throw FieldError("", "expected at most 1000 fleets, found \(fleets.count)") }
      self = .fleets(fleets)
    } else {
      throw FieldError("", "expected \"all\" or an array of fleet ids, found \(json.summary)")
    }
  }

  public var json: JSON {
    switch self {
    case .all: .text("all")
    case .fleets(let ids): .array(ids.map(\.json))
    }
  }
}

/// An email address, in lower case.
public struct EmailAddress: FieldValue, Hashable, Sendable {
  public let text: String

  public static var type: FieldType { .text }
  public static var schema: String { #"{"type":"string","format":"email","maxLength":254}"# }

  /// Parses an address of the format `LOCAL@DOMAIN`: at most 64 bytes before the `@` and 254 bytes in total (RFC 5321,
  /// section 4.5.3.1), without spaces, invisible characters, quotes or brackets. Returns `nil` for other texts.
  public init?(_ text: String) {
    let folded = NameRules.composed(text).lowercased()
    let parts = folded.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...64).contains(parts[0].utf8.count), folded.utf8.count <= 254,
      Self.isDomain(parts[1]),
      parts[0].unicodeScalars.allSatisfy({
        $0.value > 0x20 && $0.value != 0x7F && !"\"(),:;<>@[\\]".unicodeScalars.contains($0)
      }),
      NameRules.isVisible(folded)
    else { return nil }
    self.text = folded
  }

  /// Whether the address is free of compatibility variants of other characters, such as fullwidth letters and ligatures
  /// (Unicode Standard Annex 15, form NFKC). With such variants, two different addresses could look alike. Letters of
  /// all languages are allowed, also in domains (RFC 6531).
  ///
  /// Only new addresses are checked, not stored ones.
  public var isUnambiguous: Bool {
    text.utf8.allSatisfy { $0 < 0x80 }
      || !text.unicodeScalars.contains { scalar in
        // The property also includes letters that change only because the case is folded.
        scalar.properties.changesWhenNFKCCaseFolded && scalar != "ß" && scalar != "ς"
      }
  }

  private static func isDomain(_ text: Substring) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return !labels.isEmpty
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" }
      }
  }

  public init(json: JSON) throws(FieldError) {
    guard let text = json.textValue, let address = EmailAddress(text) else {
      throw FieldError("", "expected an email address like \"ann@example.com\", found \(json.summary)")
    }
    self = address
  }

  public var json: JSON { .text(text) }
}

/// A person who can sign in.
public struct Person: Kind {
  /// Units in which values are shown to a person.
  public enum Units: String, FieldChoice, Sendable { case metric, imperial }

  /// The email address; `nil` only after the person was erased.
  public var email: EmailAddress?
  public var firstName = ""
  public var lastName = ""
  public var roles: [PersonRole] = []
  public var scope = FleetScope.all
  /// Whether the person may read the costs of the vehicles in the scope, even if no role allows it.
  public var mayReadCosts = false
  /// Whether the person's account is active. If not, the person cannot sign in.
  public var isActive = true
  /// Language and region (BCP 47), for example `de-AT`; `nil` if unknown.
  public var locale: String?
  /// The person's time zone, by its IANA name; `nil` for the tenant's time zone.
  public var timeZone: String?
  public var units = Units.metric
  /// Time of the person's last request, rounded to a minute; `nil` if there was none.
  public var lastSeenAt: Timestamp?
  /// Argon2id hash in the PHC string format; `nil` if the person has not set a password.
  public var passwordHash: String?
  /// Hashes of the network addresses from which the person signed in most recently, separated by spaces; at most 8, the
  /// newest last. `nil` if there are none.
  public var knownAddresses: String?

  public init() {}

  /// Whether the person's most recent 8 addresses include an address.
  ///
  /// - Parameter hash: the hash of the network address.
  public func hasSignedIn(fromAddress hash: String) -> Bool { addresses.contains(hash) }

  /// Stores the hash of a network address from which the person has signed in. Only the newest 8 are kept.
  public mutating func remember(address hash: String) {
    knownAddresses = (addresses.filter { $0 != hash } + [hash]).suffix(8).joined(separator: " ")
  }

  private var addresses: [String] { (knownAddresses ?? "").split(separator: " ").map(String.init) }

  public static let names = KindNames(one: "person", many: "people")
  public static let fields: [Field<Person>] = [
    Field("email", \.email) { address throws(FieldError) in
      guard let address else { throw FieldError("", "expected an email address, found null") }
      guard address.isUnambiguous else {
        throw FieldError(
          "", "expected ordinary letters and digits, found a character that only looks like one (Unicode, NFKC)")
      }
    }.required().filterable().sortable().textSearched().personal(),
    Field("firstName", \.firstName, TextRules.shown).required().textSearched().personal(),
    Field("lastName", \.lastName, TextRules.shown).required().sortable().textSearched().personal(),
    Field("roles", \.roles) { roles throws(FieldError) in
      guard !roles.isEmpty, Set(roles).count == roles.count else {
        throw FieldError("", "expected one or more roles, each once")
      }
    }.required(),
    Field("scope", \.scope),
    Field("mayReadCosts", \.mayReadCosts),
    Field("isActive", \.isActive).settable(by: .server).filterable(),
    Field("locale", \.locale, TextRules.languageTag),
    Field("timeZone", \.timeZone, TextRules.timeZone),
    Field("units", \.units),
    Field("lastSeenAt", \.lastSeenAt).settable(by: .server).sortable(),
    Field("passwordHash", \.passwordHash).settable(by: .hidden),
    Field("knownAddresses", \.knownAddresses).settable(by: .hidden),
  ]
}

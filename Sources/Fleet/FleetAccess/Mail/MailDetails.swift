import FleetDomain
import Telemetry

/// The values that are inserted into the text of a mail.
public struct MailDetails: Equatable, Sendable {
  /// First and last name of the person.
  public var name: String
  /// Language and region of the person (BCP 47); `nil` if unknown.
  public var locale: String?
  /// The link to a page on which a person sets a password.
  public var link: String?
  /// The code to enter.
  public var code: String?
  /// The time until which the link or code is valid.
  public var validUntil: Timestamp?
  /// The time of the change that a notice reports.
  public var changedAt: Timestamp?
  /// The network address of the client that made the change.
  public var address: String?
  /// The name of the thing that was changed, for example of a factor.
  public var item: String?
  /// The texts of the notifications in the mail.
  public var items: [String] = []

  public init(name: String, locale: String? = nil) {
    self.name = name
    self.locale = locale
  }

  /// Creates the values for a person.
  public init(of person: Person) { self.init(name: "\(person.firstName) \(person.lastName)", locale: person.locale) }

  /// Encrypts the values for the mail with an id, which is in the queue.
  func sealed(for id: UUIDv7, _ keys: SecretKeys) -> String {
    var members: [String: JSON] = ["name": .text(name)]
    for (key, text) in [("locale", locale), ("link", link), ("code", code), ("address", address), ("item", item)] {
      if let text { members[key] = .text(text) }
    }
    for (key, time) in [("validUntil", validUntil), ("changedAt", changedAt)] {
      if let time { members[key] = time.json }
    }
    if !items.isEmpty { members["items"] = items.json }
    return keys.seal(Array(JSON.object(members).canonicalText.utf8), for: SecretPlace.mail(id))
  }

  /// Decrypts the values of a queued mail; `nil` if the key is missing.
  public init?(_ mail: Stored<QueuedMail>, _ keys: SecretKeys) {
    guard let details = mail.value.details, let bytes = keys.open(details, for: SecretPlace.mail(mail.id)),
      let json = try? JSON(parsing: bytes), let name = json["name"]?.textValue
    else { return nil }
    self.init(name: name, locale: json["locale"]?.textValue)
    link = json["link"]?.textValue
    code = json["code"]?.textValue
    address = json["address"]?.textValue
    item = json["item"]?.textValue
    items = json["items"].flatMap { try? [String](json: $0) } ?? []
    validUntil = json["validUntil"].flatMap { try? Timestamp(json: $0) }
    changedAt = json["changedAt"].flatMap { try? Timestamp(json: $0) }
  }
}

import FleetDomain
import Telemetry

/// The values that are inserted into the text of a mail. A value is `nil` if the mail's text does not contain it.
public struct MailDetails: Equatable, Sendable {
  /// First and last name of the person.
  public var name: String
  /// Language and region of the person (BCP 47); `nil` if unknown.
  public var locale: String?
  /// The link to a page on which a person sets a password.
  public var link: String?
  /// The code that the person must enter.
  public var code: String?
  /// The time until which the link or code is valid.
  public var validUntil: Timestamp?
  /// The time of the change that a notice reports.
  public var changedAt: Timestamp?
  /// The network address of the client that made the change.
  public var address: String?
  /// The name of the thing that was changed, for example of a factor.
  public var item: String?
  /// A file that is sent with the mail.
  public var attachment: MailAttachment?
  /// The texts of the notifications in the mail.
  public var items: [String] = []

  public init(name: String, locale: String? = nil) {
    self.name = name
    self.locale = locale
  }

  /// Creates the values for a person.
  public init(of person: Person) { self.init(name: "\(person.firstName) \(person.lastName)", locale: person.locale) }

  /// Encrypts the values. They can be decrypted only with the ID of the queued mail.
  func sealed(for id: UUIDv7, _ keys: SecretKeys) -> String {
    var members: [String: JSON] = ["name": .text(name)]
    for (key, text) in [("locale", locale), ("link", link), ("code", code), ("address", address), ("item", item)] {
      if let text { members[key] = .text(text) }
    }
    for (key, time) in [("validUntil", validUntil), ("changedAt", changedAt)] {
      if let time { members[key] = time.json }
    }
    if !items.isEmpty { members["items"] = items.json }
    if let attachment {
      members["attachment"] = .object([
        "name": .text(attachment.name), "type": .text(attachment.mediaType),
        "bytes": .text(Base64URL.text(attachment.bytes)),
      ])
    }
    return keys.seal(Array(JSON.object(members).canonicalText.utf8), for: SecretPlace.mail(id))
  }

  /// Decrypts the values of a queued mail; `nil` if the mail has none, or if they cannot be decrypted.
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
    if let file = json["attachment"], let name = file["name"]?.textValue, let type = file["type"]?.textValue,
      let bytes = file["bytes"]?.textValue.flatMap({ Base64URL.bytes($0) })
    {
      attachment = MailAttachment(name: name, mediaType: type, bytes: bytes)
    }
    changedAt = json["changedAt"].flatMap { try? Timestamp(json: $0) }
  }
}

/// A file that is sent with a mail.
public struct MailAttachment: Equatable, Sendable {
  /// The greatest size in bytes. Mail servers refuse mails of more than about 10 MB.
  public static let most = 5 << 20

  /// The name of the file: ASCII letters, digits, `.` and `-`.
  public var name: String
  /// The type of the content, for example `text/csv; charset=utf-8`.
  public var mediaType: String
  public var bytes: [UInt8]

  public init(name: String, mediaType: String, bytes: [UInt8]) {
    (self.name, self.mediaType, self.bytes) = (name, mediaType, bytes)
  }
}

import FleetDomain
import FleetWork

/// Creates push messages. A message contains the text that the browser shows, and the data that determine which page it
/// opens.
public enum PushText {
  /// The maximum length of the text in a message, in bytes.
  private static let longestText = 1_000

  /// Returns a push message about one or more notifications, as JSON text.
  ///
  /// - Parameters:
  ///   - notifications: the notifications, at least one, the oldest first.
  ///   - locale: the language and region of the person; `nil` if unknown.
  public static func body(_ notifications: [Notification], service: String, locale: String?) -> String {
    var members: [String: JSON] = ["title": .text(service)]
    if let only = notifications.first, notifications.count == 1 {
      members["body"] = .text(cut(only.text))
      members["kind"] = .text(only.kind)
      members["thing"] = only.thing.json
    } else {
      let texts = notifications.suffix(3).map(\.text).joined(separator: "\n")
      members["body"] = .text(cut("\(count(notifications.count, locale))\n\(texts)"))
    }
    return JSON.object(members).canonicalText
  }

  private static func count(_ count: Int, _ locale: String?) -> String {
    switch MailText.Language(locale: locale) {
    case .english: "\(count) notifications"
    case .german: "\(count) Meldungen"
    }
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > longestText else { return text }
    var text = text
    while text.utf8.count > longestText - 3 { text.removeLast() }
    return text + "…"
  }

  /// The urgency of a push message (RFC 8030, section 5.3): `high` if the event concerns safety, otherwise `normal`.
  public static func urgency(of event: String) -> String {
    switch FleetEvent.Event(rawValue: event) {
    case .journeyIncident, .defectUnsafe: "high"
    default: "normal"
    }
  }
}

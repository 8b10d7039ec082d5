import FleetAccess
import FleetDomain
import Mustache
import Telemetry

/// The subject and the content of a mail, in the language of the recipient.
public struct MailText: Equatable, Sendable {
  /// The languages in which mails are written.
  public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    /// Selects the language for a locale such as `de-AT`; English if no mail is written in the locale's language.
    public init(locale: String?) {
      let code = locale?.prefix { $0 != "-" && $0 != "_" }.lowercased()
      self = code.flatMap { Language(rawValue: $0) } ?? .english
    }
  }

  public let subject: String
  public let plain: String
  public let html: String

  /// Creates the text of a mail.
  ///
  /// - Parameters:
  ///   - reason: the reason why the mail is sent; it determines the wording.
  ///   - service: the name of the server that people see.
  ///   - details: the values that the text contains.
  public init(_ reason: QueuedMail.Reason, service: String, _ details: MailDetails) throws {
    let language = Language(locale: details.locale)
    let wording = MailWording.of(reason, language)
    var values = ["name": details.name, "service": service]
    values["item"] = details.item
    values["address"] = details.address
    values["validUntil"] = details.validUntil.map { Self.text(of: $0) }
    values["at"] = details.changedAt.map { Self.text(of: $0) }
    /// Inserts the values without escaping them. The HTML layout escapes the result.
    func filled(_ template: String) throws -> String {
      try MustacheTemplate(string: "{{% CONTENT_TYPE: TEXT}}" + template).render(values)
    }
    var parts: [[String: String]] = []
    for part in wording.parts {
      switch part {
      case .text(let template): parts.append(["text": try filled(template)])
      case .link: parts += details.link.map { [["link": $0]] } ?? []
      case .items: parts += details.items.map { ["text": $0] }
      case .code: parts += details.code.map { [["code": $0]] } ?? []
      }
    }
    subject = try filled(wording.subject)
    let layoutValues: [String: Any] = ["parts": parts, "subject": subject, "language": language.rawValue]
    plain = try MustacheTemplate(string: Self.plainLayout).render(layoutValues)
    html = try MustacheTemplate(string: Self.htmlLayout).render(layoutValues)
  }

  /// Returns a time in the format for people: `2026-11-23 14:05 UTC`.
  private static func text(of time: Timestamp) -> String {
    let text = time.json.textValue ?? ""
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }

  private static let plainLayout = """
    {{% CONTENT_TYPE: TEXT}}{{#parts}}{{#text}}{{.}}{{/text}}{{#link}}{{.}}{{/link}}{{#code}}{{.}}{{/code}}


    {{/parts}}
    """

  /// The layout of the HTML page. It has no images and scripts, so that mail programs load nothing from the network.
  private static let htmlLayout = """
    <!DOCTYPE html>
    <html lang="{{language}}"><head><meta charset="utf-8"><title>{{subject}}</title></head>
    <body style="font-family: sans-serif; line-height: 1.5; max-width: 36em">
    {{#parts}}
    <p>{{#text}}{{.}}{{/text}}{{#link}}<a href="{{.}}">{{.}}</a>{{/link}}{{#code}}<strong style="font-size: 1.5em">{{.}}</strong>{{/code}}</p>
    {{/parts}}
    </body></html>

    """
}

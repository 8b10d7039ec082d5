import FleetAccess
import FleetDomain
import Telemetry
import Testing

@testable import FleetMessages

@Suite struct MailTextTests {
  private static func details(_ locale: String?, name: String = "Jörg <b>Lee</b>") -> MailDetails {
    var details = MailDetails(name: name, locale: locale)
    details.link = "https://fleet.example/reset#fsl_default.5f0c"
    details.code = "012345"
    details.item = "Phone & tablet"
    details.address = "192.0.2.1"
    details.items = ["A & B"]
    details.validUntil = Timestamp(nanoseconds: 1_795_442_709_000_000_000)
    details.changedAt = Timestamp(nanoseconds: 1_795_442_709_000_000_000)
    return details
  }

  @Test(arguments: QueuedMail.Reason.allCases, ["de", "en"])
  func each_text_is_complete_in_each_language(_ reason: QueuedMail.Reason, _ locale: String) throws {
    let text = try MailText(reason, service: "North Depot", Self.details(locale))
    for part in [text.subject, text.plain, text.html] { #expect(!part.contains("{{") && !part.contains("}}")) }
    #expect(text.subject.contains("North Depot") && !text.subject.contains("\n"))
    #expect(text.plain.contains("Jörg <b>Lee</b>,"))
    // A name is always text: it is never interpreted as HTML.
    #expect(text.html.contains("Jörg &lt;b&gt;Lee&lt;/b&gt;,") && !text.html.contains("<b>"))
    #expect(text.html.contains("lang=\"\(locale)\""))
    #expect(!text.html.contains("<img") && !text.html.contains("<script"))
    let lines = text.plain.split(separator: "\n").map(String.init)
    switch reason {
    case .invitation, .recovery:
      #expect(lines.contains("https://fleet.example/reset#fsl_default.5f0c"))
      #expect(text.html.contains("<a href=\"https://fleet.example/reset#fsl_default.5f0c\">"))
      #expect(text.plain.contains("2026-11-23 14:05 UTC") && !text.plain.contains("012345"))
    case .emailCode:
      #expect(lines.contains("012345") && text.plain.contains("2026-11-23 14:05 UTC"))
      #expect(!text.subject.contains("012345") && !text.plain.contains("https://"))
    case .emailChanged, .factorAdded, .factorRemoved:
      #expect(text.plain.contains("Phone & tablet") && text.html.contains("Phone &amp; tablet"))
      #expect(text.plain.contains("192.0.2.1"))
    case .report: #expect(text.subject.contains("Phone & tablet") && lines.contains("A & B"))
    case .notification:
      #expect(lines.contains("A & B") && text.html.contains("<p>A &amp; B</p>"))
    case .passwordChanged:
      #expect(text.plain.contains("2026-11-23 14:05 UTC") && text.plain.contains("192.0.2.1"))
    }
  }

  @Test(
    arguments: [
      ("de", "de"), ("de-AT", "de"), ("DE_ch", "de"), ("en-GB", "en"), ("fr", "en"), (nil, "en"), ("deu", "en"),
    ] as [(String?, String)])
  func the_language_follows_the_locale(_ locale: String?, _ language: String) throws {
    #expect(MailText.Language(locale: locale).rawValue == language)
    let text = try MailText(.recovery, service: "x", Self.details(locale))
    #expect(text.plain.hasPrefix(language == "de" ? "Guten Tag " : "Hello "))
  }

  @Test func a_name_with_template_tags_stays_as_it_is() throws {
    let text = try MailText(.recovery, service: "x", Self.details(nil, name: "{{link}} {{{code}}}"))
    #expect(text.plain.hasPrefix("Hello {{link}} {{{code}}},\n"))
  }
}

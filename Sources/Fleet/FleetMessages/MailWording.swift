import FleetDomain

/// The wording of a mail in one language. It consists of Mustache templates with the variables `name`, `service`,
/// `item`, `address`, `validUntil` and `at`.
struct MailWording: Sendable {
  enum Part: Sendable {
    /// A paragraph, as a template.
    case text(String)
    /// The link of the mail, on a separate line.
    case link
    /// The code of the mail, on a separate line.
    case code
    /// The texts of notifications, each in a separate paragraph.
    case items
  }

  let subject: String
  let parts: [Part]

  static func of(_ reason: QueuedMail.Reason, _ language: MailText.Language) -> MailWording {
    switch language {
    case .english: english(reason)
    case .german: german(reason)
    }
  }

  private static func english(_ reason: QueuedMail.Reason) -> MailWording {
    let hello = Part.text("Hello {{name}},")
    let end = Part.text("The link is valid once, until {{validUntil}}.")
    let when = "on {{at}}{{#address}}, from the address {{address}}{{/address}}"
    let warning = Part.text("If it was not you, tell an administrator at once.")
    return switch reason {
    case .invitation:
      MailWording(
        subject: "Your invitation to {{service}}",
        parts: [
          hello, .text("You are invited to {{service}}. To set a password for your account, open this link:"), .link,
          end, .text("If you do not expect this invitation, ignore this mail."),
        ])
    case .recovery:
      MailWording(
        subject: "{{service}}: set a new password",
        parts: [
          hello, .text("A new password was requested for your account. To set one, open this link:"), .link, end,
          .text("If it was not you, ignore this mail. Your password does not change."),
        ])
    case .emailCode:
      MailWording(
        subject: "{{service}}: your code",
        parts: [
          hello, .text("This is the code that you asked for:"), .code,
          .text(
            "It is valid once, until {{validUntil}}. Tell it to nobody, and enter it only on the page of {{service}}."),
          .text("If you did not ask for it, another person knows your password. Change it."),
        ])
    case .passwordChanged:
      MailWording(
        subject: "{{service}}: your password was changed",
        parts: [hello, .text("The password of your account was changed \(when)."), warning])
    case .emailChanged:
      MailWording(
        subject: "{{service}}: your email address was changed",
        parts: [hello, .text("The email address of your account was changed to {{item}} \(when)."), warning])
    case .factorAdded:
      MailWording(
        subject: "{{service}}: a second factor was added",
        parts: [hello, .text("The second factor “{{item}}” was added to your account \(when)."), warning])
    case .factorRemoved:
      MailWording(
        subject: "{{service}}: a second factor was removed",
        parts: [hello, .text("The second factor “{{item}}” was removed from your account \(when)."), warning])
    case .notification:
      MailWording(subject: "{{service}}: news of your fleet", parts: [hello, .items])
    case .report:
      MailWording(
        subject: "{{service}}: report {{item}}", parts: [hello, .text("Here is the report {{item}}."), .items])
    }
  }

  private static func german(_ reason: QueuedMail.Reason) -> MailWording {
    let hello = Part.text("Guten Tag {{name}},")
    let end = Part.text("Der Link gilt einmal, bis {{validUntil}}.")
    let when = "am {{at}}{{#address}} von der Adresse {{address}}{{/address}}"
    let warning = Part.text("Wenn Sie das nicht waren, sagen Sie es sofort Ihrer Administration.")
    return switch reason {
    case .invitation:
      MailWording(
        subject: "Ihre Einladung zu {{service}}",
        parts: [
          hello,
          .text("Sie sind zu {{service}} eingeladen. Um ein Passwort für Ihr Konto zu setzen, öffnen Sie diesen Link:"),
          .link, end, .text("Wenn Sie diese Einladung nicht erwarten, beachten Sie diese Nachricht nicht."),
        ])
    case .recovery:
      MailWording(
        subject: "{{service}}: neues Passwort setzen",
        parts: [
          hello,
          .text("Jemand hat ein neues Passwort für Ihr Konto angefordert. Um eines zu setzen, öffnen Sie diesen Link:"),
          .link, end,
          .text("Wenn Sie das nicht waren, beachten Sie diese Nachricht nicht. Ihr Passwort ändert sich nicht."),
        ])
    case .emailCode:
      MailWording(
        subject: "{{service}}: Ihr Code",
        parts: [
          hello, .text("Das ist der Code, den Sie angefordert haben:"), .code,
          .text(
            "Er gilt einmal, bis {{validUntil}}. Sagen Sie ihn niemandem, und geben Sie ihn nur auf der Seite von {{service}} ein."
          ), .text("Wenn Sie ihn nicht angefordert haben, kennt jemand Ihr Passwort. Ändern Sie es."),
        ])
    case .passwordChanged:
      MailWording(
        subject: "{{service}}: Ihr Passwort wurde geändert",
        parts: [hello, .text("Das Passwort Ihres Kontos wurde \(when) geändert."), warning])
    case .emailChanged:
      MailWording(
        subject: "{{service}}: Ihre E-Mail-Adresse wurde geändert",
        parts: [hello, .text("Die E-Mail-Adresse Ihres Kontos wurde \(when) zu {{item}} geändert."), warning])
    case .factorAdded:
      MailWording(
        subject: "{{service}}: zweiter Faktor hinzugefügt",
        parts: [hello, .text("Der zweite Faktor „{{item}}“ wurde Ihrem Konto \(when) hinzugefügt."), warning])
    case .factorRemoved:
      MailWording(
        subject: "{{service}}: zweiter Faktor entfernt",
        parts: [hello, .text("Der zweite Faktor „{{item}}“ wurde \(when) von Ihrem Konto entfernt."), warning])
    case .notification:
      MailWording(subject: "{{service}}: Neues aus Ihrer Flotte", parts: [hello, .items])
    case .report:
      MailWording(
        subject: "{{service}}: Bericht {{item}}", parts: [hello, .text("Hier ist der Bericht {{item}}."), .items])
    }
  }
}

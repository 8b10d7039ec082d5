import FleetAccess
import FleetDomain
import Telemetry

/// A mail in the format in which it is sent: its headers, and its content both as plain text and as HTML (RFC 5322, RFC
/// 2045 to 2047).
///
///     Date: Mon, 23 Nov 2026 14:05:00 +0000
///     From: Fleet <fleet@example.com>
///     To: =?UTF-8?B?SsO2cmc=?= <joerg@example.com>
///     Subject: Set a new password
public struct MailMessage: Sendable {
  public let from: MailAddress
  public let to: MailAddress
  public let subject: String
  /// The content as plain text; its lines are separated by `\n`.
  public let text: String
  public let html: String
  public let attachment: MailAttachment?
  public let date: Timestamp
  /// The part of the header `Message-ID` before the `@`. It is the same for all attempts to send the mail, so that the
  /// receiver recognises a repeated mail.
  public let id: String

  /// Creates a message; `nil` if the subject is empty or longer than 200 characters, or if the subject or the id
  /// contains a line break or another invisible character. Line breaks could add headers.
  public init?(
    from: MailAddress, to: MailAddress, subject: String, text: String, html: String,
    attachment: MailAttachment? = nil, date: Timestamp, id: String
  ) {
    guard NameRules.isVisible(subject), (1...200).contains(subject.unicodeScalars.count), !id.isEmpty,
      id.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") })
    else { return nil }
    self.from = from
    self.to = to
    self.subject = subject
    self.text = text
    self.html = html
    self.attachment = attachment
    self.date = date
    self.id = id
  }

  /// The whole mail as it is sent. Each line ends with CR LF.
  public var bytes: [UInt8] {
    // No line of the content can begin with the boundary, because quoted-printable text never contains "=_".
    let boundary = "=_\(id)"
    let domain = from.address.text.split(separator: "@").last.map(String.init) ?? "localhost"
    let lines =
      [
        "Date: \(Self.text(of: date))",
        "From: \(Self.text(of: from))",
        "To: \(Self.text(of: to))",
        EncodedWord.header("Subject", subject),
        "Message-ID: <\(id)@\(domain)>",
        // This header asks receivers not to send automatic answers (RFC 3834, section 5).
        "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
      ] + body(boundary)
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// Returns the lines of the message from the header `Content-Type` to the end. If a file is attached, the message has
  /// two parts: the texts, and the file.
  private func body(_ boundary: String) -> [String] {
    let texts =
      ["Content-Type: multipart/alternative; boundary=\"\(boundary)\"", ""]
      + Self.part("text/plain", text, boundary) + Self.part("text/html", html, boundary) + ["--\(boundary)--"]
    guard let attachment else { return texts + [""] }
    let outer = "=_file_\(id)"
    return ["Content-Type: multipart/mixed; boundary=\"\(outer)\"", "", "--\(outer)"] + texts + [
      "--\(outer)", "Content-Type: \(attachment.mediaType)", "Content-Transfer-Encoding: base64",
      "Content-Disposition: attachment; filename=\"\(attachment.name)\"", "",
    ] + Base64.lines(attachment.bytes) + ["--\(outer)--", ""]
  }

  private static func part(_ type: String, _ content: String, _ boundary: String) -> [String] {
    [
      "--\(boundary)", "Content-Type: \(type); charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
    ] + QuotedPrintable.lines(content)
  }

  private static func text(of address: MailAddress) -> String {
    guard let name = address.name else { return address.address.text }
    // Put the address on a separate line, because encoded words may be long.
    let phrase = EncodedWord.phrase(name)
    return "\(phrase)\(phrase.hasPrefix("=?") ? "\r\n" : "") <\(address.address.text)>"
  }

  /// Returns the date in the format of headers (RFC 5322, section 3.3): `Mon, 23 Nov 2026 14:05:00 +0000`.
  static func text(of time: Timestamp) -> String {
    let text = time.json.textValue ?? ""
    let parts = text.split { "-T:.Z".contains($0) }
    // 1970-01-01 was a Thursday.
    let days = Int(time.milliseconds / 86_400_000)
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][max(days, 0) % 7]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return
      "\(weekday), \(parts[2]) \(months[(Int(parts[1]) ?? 1) - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) +0000"
  }
}

import FleetAccess
import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetMessages

/// Messages that Python's email package reads, which is an independent implementation of RFC 5322 and MIME.
@Suite struct MailMessageTests {
  /// 2026-11-23 14:05:09 UTC, a Monday.
  private static let date = Timestamp(nanoseconds: 1_795_442_709_000_000_000)

  private static func message(
    name: String? = "Ann Lee", subject: String = "Hello", text: String = "a\n", html: String = "<p>a</p>\n",
    attachment: MailAttachment? = nil
  ) throws -> MailMessage {
    let from = try #require(MailAddress(parsing: "North Depot <fleet@example.com>"))
    let address = try #require(EmailAddress("ann@example.org"))
    let to = try #require(MailAddress(address, name: name))
    return try #require(
      MailMessage(
        from: from, to: to, subject: subject, text: text, html: html, attachment: attachment, date: date, id: "0193-7"))
  }

  private static func read(_ message: MailMessage) throws -> [String: Any] {
    let script = """
      import email, email.header, email.policy, email.utils, json, sys
      raw = sys.stdin.buffer.read()
      m = email.message_from_bytes(raw, policy=email.policy.default)
      name, address = email.utils.parseaddr(email.message_from_bytes(raw)["to"])
      name = str(email.header.make_header(email.header.decode_header(name)))
      print(json.dumps({
        "subject": m["subject"], "to": name, "address": address,
        "from": str(m["from"]), "time": m["date"].datetime.timestamp(), "auto": m["auto-submitted"], "id": m["message-id"],
        "names": [n.lower() for n in m.keys()], "plain": m.get_body(("plain",)).get_content().replace("\\r\\n", "\\n"),
        "html": m.get_body(("html",)).get_content().replace("\\r\\n", "\\n"), "types": [p.get_content_type() for p in m.walk()],
        "longest": max(map(len, raw.split(b"\\r\\n"))), "bare": raw.replace(b"\\r\\n", b"").count(b"\\n"),
        "files": [[p.get_filename(), p.get_content_type(), p.get_content().hex() if isinstance(p.get_content(), bytes)
          else p.get_content()] for p in m.iter_attachments()], "ascii": raw.isascii(), "defects": [str(d) for p in m.walk() for d in p.defects]}))
      """
    let result = try Tool.run("/usr/bin/python3", ["-c", script], stdin: message.bytes)
    try #require(result.status == 0, "\(result.errors)")
    return try #require(try JSONSerialization.jsonObject(with: Data(result.stdout)) as? [String: Any])
  }

  @Test(arguments: [0, 1, 57, 58, 5_000]) func a_file_is_attached(_ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let read = try Self.read(
      try Self.message(attachment: MailAttachment(name: "a-1.pdf", mediaType: "application/pdf", bytes: bytes)))
    #expect(
      read["types"] as? [String] == [
        "multipart/mixed", "multipart/alternative", "text/plain", "text/html", "application/pdf",
      ])
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(read["files"] as? [[String]] == [["a-1.pdf", "application/pdf", digits]])
    #expect(read["plain"] as? String == "a\n" && (read["defects"] as? [String])?.isEmpty == true)
    #expect(read["longest"] as? Int ?? 99 <= 78 && read["bare"] as? Int == 0)
  }

  @Test func headers_are_complete_and_each_is_there_once() throws {
    let read = try Self.read(try Self.message())
    #expect(read["subject"] as? String == "Hello" && read["address"] as? String == "ann@example.org")
    #expect(read["from"] as? String == "North Depot <fleet@example.com>")
    #expect(read["time"] as? Double == 1_795_442_709)
    #expect(read["auto"] as? String == "auto-generated")
    #expect(read["id"] as? String == "<0193-7@example.com>")
    #expect(
      read["names"] as? [String] == [
        "date", "from", "to", "subject", "message-id", "auto-submitted", "mime-version", "content-type",
      ])
    #expect(read["types"] as? [String] == ["multipart/alternative", "text/plain", "text/html"])
    let text = String(decoding: try Self.message().bytes, as: UTF8.self)
    #expect(text.hasPrefix("Date: Mon, 23 Nov 2026 14:05:09 +0000\r\n"))
  }

  @Test(arguments: [
    "Jörg Müßig", "Ann \"the boss\" Lee", "Lee, Ann", "a\\b", "山田太郎", "=?UTF-8?B?YQ==?=",
    "👩🏽 Ann",
    String(repeating: "ö", count: 100), String(repeating: "山", count: 99), "Ann <x@evil.example>", "O'Neil; x:",
  ])
  func names_and_subjects_of_any_characters_arrive_as_they_are(_ text: String) throws {
    let read = try Self.read(try Self.message(name: text, subject: text, text: text + "\n", html: text + "\n"))
    #expect(read["to"] as? String == text && read["subject"] as? String == text)
    #expect(read["address"] as? String == "ann@example.org")
    #expect(read["plain"] as? String == text + "\n" && read["html"] as? String == text + "\n")
    #expect(try #require(read["longest"] as? Int) <= 78)
    #expect(read["bare"] as? Int == 0 && read["ascii"] as? Bool == true && read["defects"] as? [String] == [])
  }

  @Test(arguments: [
    ".", "..\n.\n", "From here\nto there\n", "a = b=3D\n", "ends with a space \nand a tab\t\n",
    String(repeating: "x", count: 2_000),
    String(repeating: "=", count: 300), String(repeating: "ü", count: 300), "--=_0193-7--\n", "\n\n\n", "",
  ])
  func bodies_arrive_as_they_are(_ text: String) throws {
    let read = try Self.read(try Self.message(text: text, html: text))
    #expect(read["plain"] as? String == text && read["html"] as? String == text)
    #expect(try #require(read["longest"] as? Int) <= 78)
    #expect(read["bare"] as? Int == 0 && read["defects"] as? [String] == [])
  }

  @Test(arguments: [
    "a\r\nBcc: x@evil.example", "a\nb", "a\rb", "a\u{0}b", "a\u{2028}b", "a\u{202E}b", "a\u{200B}b", "a\u{85}b", "",
    String(repeating: "x", count: 201),
  ])
  func a_subject_or_name_that_could_add_headers_is_refused(_ text: String) throws {
    let address = try #require(EmailAddress("ann@example.org"))
    let plain = try #require(MailAddress(address))
    #expect(MailMessage(from: plain, to: plain, subject: text, text: "", html: "", date: Self.date, id: "a") == nil)
    #expect(
      MailMessage(from: plain, to: plain, subject: "a", text: "", html: "", date: Self.date, id: text + "\n") == nil)
    #expect(MailAddress(address, name: text + "\n") == nil)
    #expect(MailAddress(parsing: "\(text)\n <ann@example.org>") == nil)
    #expect(EmailAddress("ann@example.org\r\nBcc: x@evil.example") == nil)
  }

  @Test(
    arguments: [
      ("fleet@example.com", nil, "fleet@example.com"), ("<fleet@example.com>", nil, "fleet@example.com"),
      ("North Depot <Fleet@Example.com>", "North Depot", "fleet@example.com"),
      ("Jörg  <j@example.com>", "Jörg", "j@example.com"),
    ] as [(String, String?, String)])
  func an_address_is_read_with_or_without_a_name(_ text: String, _ name: String?, _ address: String) throws {
    let read = try #require(MailAddress(parsing: text))
    #expect(read.name == name && read.address.text == address)
    #expect(MailAddress(parsing: read.text) == read)
  }

  @Test(arguments: [
    "", "fleet", "Fleet fleet@example.com", "Fleet <fleet>", "Fleet <fleet@example.com", "a@b <>", "<a@b>, <c@d>",
  ])
  func other_texts_are_no_address(_ text: String) { #expect(MailAddress(parsing: text) == nil) }
}

import FleetAccess
import FleetDomain
import FleetMessages
import FleetStorage
import Foundation
import Logging
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import FleetOutbox

/// The queue and its sender, with a real mail server (aiosmtpd) and both databases.
@Suite struct MailSenderTests {
  @Test(arguments: MailOutbox.Database.allCases)
  func mails_wait_for_a_server_that_is_down_and_each_arrives_once(_ database: MailOutbox.Database) async throws {
    try await MailOutbox.with(database) { outbox in
      let peer = try await runBlocking { try MailPeer(starts: false) }
      try await outbox.add(0..<5)
      let url = "smtp://127.0.0.1:\(peer.port)"
      try await outbox.sending(url) { sender in
        try await outbox.wait(sender) { $0.failed == 5 }
        // Nothing is tried before its time.
        outbox.advance(59)
        try await outbox.add(5..<6)
        try await outbox.wait(sender) { $0.failed == 6 }
      }
      #expect(try await outbox.queued().allSatisfy { $0.value.lastError != nil && $0.value.attempts == 1 })
      // Another process continues where the first one stopped.
      try await runBlocking { try peer.start() }
      outbox.advance(1)
      try await outbox.sending(url) { sender in
        try await outbox.wait(sender) { $0.sent == 5 }
        outbox.advance(59)
        try await outbox.wait(sender) { $0.sent == 6 }
        outbox.advance(86_400)
        #expect(sender.current == MailCounts(sent: 6, failed: 0, dropped: 0))
      }
      let mails = try peer.mails()
      #expect(mails.map { $0.to[0] }.sorted() == (0..<6).map { "p\($0)@example.org" })
      #expect(Set(mails.compactMap { $0.header("Message-ID") }).count == 6)
      let first = try #require(mails.first { $0.to == ["p0@example.org"] })
      #expect(first.link == "https://fleet.example/reset#fsl_0" && first.from == "fleet@example.com")
      #expect(first.header("To") == "Jörg Nr 0 <p0@example.org>" && first.defects == [])
      // When the mails are sent, the secrets are deleted.
      #expect(try await outbox.queued().allSatisfy { $0.value.details == nil && $0.value.lastError == nil })
    }
  }

  @Test func mails_are_sent_over_tls_with_a_login() async throws {
    try await MailOutbox.with(.sqlite) { outbox in
      let certificates = try await runBlocking { try Certificates() }
      let (certificate, key) = try await runBlocking { try certificates.make("mail", for: "IP:127.0.0.1") }
      let peer = try await runBlocking { try MailPeer(["--tls", certificate, key, "--login", "fleet", "se cret"]) }
      try await outbox.add(0..<2)
      try await outbox.sending(
        "smtps://127.0.0.1:\(peer.port)", login: .init(user: "fleet", password: "se cret"),
        authorities: certificates.authority
      ) { sender in
        try await outbox.wait(sender) { $0.sent == 2 }
      }
      #expect(try await runBlocking { try peer.login() })
      #expect(try peer.mails().count == 2)
    }
  }

  /// A host name that is not known as this machine needs TLS, even if it is this machine.
  @Test(arguments: [true, false])
  func another_host_gets_mails_only_after_starttls(_ offersTLS: Bool) async throws {
    try await MailOutbox.with(.sqlite) { outbox in
      let output = try await runBlocking { try Tool.run("hostname").output }
      let host = output.trimmingCharacters(in: .whitespacesAndNewlines)
      let certificates = try await runBlocking { try Certificates() }
      let (certificate, key) = try await runBlocking { try certificates.make("mail", for: "DNS:\(host)") }
      let arguments = ["--host", "0.0.0.0"] + (offersTLS ? ["--starttls", certificate, key] : [])
      let peer = try await runBlocking { try MailPeer(arguments) }
      try await outbox.add(0..<1)
      try await outbox.sending("smtp://\(host):\(peer.port)", authorities: certificates.authority) { sender in
        try await outbox.wait(sender) { $0.sent + $0.failed == 1 }
        #expect(sender.current.sent == (offersTLS ? 1 : 0))
      }
      #expect(try peer.mails().count == (offersTLS ? 1 : 0))
      let error = try await outbox.queued().first?.value.lastError
      #expect(offersTLS ? error == nil : error?.contains("does not offer STARTTLS") == true, "\(error ?? "")")
    }
  }

  @Test(arguments: ["other authority", "other name", "expired"])
  func nothing_is_sent_to_a_server_with_a_wrong_certificate(_ fault: String) async throws {
    try await MailOutbox.with(.sqlite) { outbox in
      let certificates = try await runBlocking { try Certificates() }
      let trusted = fault == "other authority" ? try await runBlocking { try Certificates() } : certificates
      let (certificate, key) = try await runBlocking {
        try certificates.make(
          "mail", for: fault == "other name" ? "DNS:mail.example" : "IP:127.0.0.1", isExpired: fault == "expired")
      }
      let peer = try await runBlocking { try MailPeer(["--tls", certificate, key, "--login", "fleet", "secret"]) }
      try await outbox.add(0..<1)
      try await outbox.sending(
        "smtps://127.0.0.1:\(peer.port)", login: .init(user: "fleet", password: "secret"),
        authorities: trusted.authority
      ) { sender in
        try await outbox.wait(sender) { $0.failed == 1 }
      }
      #expect(try await outbox.queued().first?.value.lastError?.contains("certificate") == true)
      #expect(try peer.mails().isEmpty)
    }
  }

  @Test func a_mail_waits_while_the_password_is_wrong() async throws {
    try await MailOutbox.with(.sqlite) { outbox in
      let peer = try await runBlocking { try MailPeer(["--login", "fleet", "secret"]) }
      try await outbox.add(0..<1)
      let url = "smtp://127.0.0.1:\(peer.port)"
      try await outbox.sending(url, login: .init(user: "fleet", password: "wr0ng-passw0rd")) { sender in
        try await outbox.wait(sender) { $0.failed == 1 }
      }
      let error = try #require(try await outbox.queued().first?.value.lastError)
      #expect(error.contains("refuses the user or the password") && !error.contains("wr0ng"), "\(error)")
      outbox.advance(60)
      try await outbox.sending(url, login: .init(user: "fleet", password: "secret")) { sender in
        try await outbox.wait(sender) { $0.sent == 1 }
      }
    }
  }

  @Test func a_mail_that_the_server_refuses_for_good_is_dropped() async throws {
    try await MailOutbox.with(.sqlite) { outbox in
      let peer = try await runBlocking { try MailPeer(["--refuse-recipient", "550"]) }
      try await outbox.add(0..<1)
      try await outbox.sending("smtp://127.0.0.1:\(peer.port)") { sender in
        try await outbox.wait(sender) { $0.dropped == 1 }
        #expect(sender.current == MailCounts(sent: 0, failed: 0, dropped: 1))
      }
      let mail = try #require(try await outbox.queued().first?.value)
      #expect(mail.nextAttemptAt == nil && mail.details == nil && mail.lastError?.contains("550") == true)
    }
  }

  @Test func a_mail_that_the_server_refuses_for_now_is_sent_again() async throws {
    try await MailOutbox.with(.sqlite) { outbox in
      let peer = try await runBlocking { try MailPeer(["--refuse-recipient", "451"]) }
      try await outbox.add(0..<1)
      try await outbox.sending("smtp://127.0.0.1:\(peer.port)") { sender in
        try await outbox.wait(sender) { $0.failed == 1 }
        outbox.advance(60)
        try await outbox.wait(sender) { $0.failed == 2 }
      }
      #expect(try await outbox.queued().first?.value.attempts == 2)
    }
  }

  @Test(arguments: [3 * 86_400, 3_600])
  func a_mail_is_dropped_when_its_time_is_over(_ seconds: Int) async throws {
    try await MailOutbox.with(.sqlite) { outbox in
      let peer = try await runBlocking { try MailPeer(starts: false) }
      try await outbox.add(0..<1, validSeconds: seconds < 86_400 ? seconds : nil)
      try await outbox.sending("smtp://127.0.0.1:\(peer.port)") { sender in
        try await outbox.wait(sender) { $0.failed == 1 }
        outbox.advance(seconds - 1)
        try await outbox.wait(sender) { $0.failed == 2 }
        outbox.advance(6 * 3_600)
        try await outbox.wait(sender) { $0.dropped == 1 }
      }
    }
  }

  @Test func a_stop_does_not_wait_for_a_silent_server_and_the_mail_stays() async throws {
    try await MailOutbox.with(.sqlite) { outbox in
      let peer = try await runBlocking { try MailPeer(["--silent"]) }
      try await outbox.add(0..<1)
      let start = ContinuousClock.now
      try await outbox.sending("smtp://127.0.0.1:\(peer.port)") { sender in
        let deadline = ContinuousClock.now + .seconds(60)
        while try await outbox.queued().first?.value.attempts != 1 {
          guard .now < deadline else { throw MailOutbox.Late(description: "no attempt") }
        }
      }
      #expect(.now - start < .seconds(8))
      #expect(try await outbox.queued().first?.value.nextAttemptAt == outbox.now.adding(seconds: 60))
    }
  }

  /// libcurl marks the end of a mail when it is interrupted, so that a server would take a part of it for all.
  @Test func an_interrupted_mail_is_not_delivered() async throws {
    let peer = try await runBlocking { try MailPeer() }
    let address = try #require(MailAddress(parsing: "fleet@example.com"))
    let server = try #require(MailServer("smtp://127.0.0.1:\(peer.port)", from: address))
    // Longer than several buffers of libcurl.
    let text = String(repeating: String(repeating: "x", count: 70) + "\n", count: 8_000) + "end"
    func message(_ subject: String, _ text: String) -> MailMessage? {
      MailMessage(
        from: address, to: address, subject: subject, text: text, html: text, date: Timestamp(nanoseconds: 0), id: "1")
    }
    let messages = try [#require(message("long", text)), #require(message("short", "end"))]
    let mails = try await runBlocking {
      let client = try SMTPClient(server)
      for message in messages {
        // Interrupt it at each of its steps, and finally not at all.
        var (steps, isDone) = (0, false)
        while !isDone {
          var step = 0
          do throws(MailFailure) {
            try client.send(message) {
              step += 1
              return step > steps
            }
            isDone = true
          } catch {
            #expect(error.kind == .stopped, "\(error)")
          }
          steps += 1 + steps / 4
        }
        #expect(steps > 3)
      }
      // The last one is complete, so that all others have ended.
      while try peer.mail().header("Subject") != "short" {}
      return try peer.mails()
    }
    #expect(Set(mails.map { $0.header("Subject") }) == ["long", "short"])
    for mail in mails { #expect(mail.plain.trimmingCharacters(in: .whitespacesAndNewlines).hasSuffix("end")) }
  }

  @Test(arguments: MailOutbox.Database.allCases)
  func many_mails_of_one_tenant_do_not_delay_those_of_another(_ database: MailOutbox.Database) async throws {
    try await MailOutbox.with(database) { outbox in
      #expect(try await outbox.add(0..<300, .passwordChanged) == 300)
      try await outbox.add(900..<903, tenant: MailOutbox.other)
      try await outbox.add(990..<991)
      let peer = try await runBlocking { try MailPeer() }
      try await outbox.sending("smtp://127.0.0.1:\(peer.port)") { sender in
        try await outbox.wait(sender) { $0.sent >= 12 }
      }
      let recipients = try peer.mails().map { $0.to[0] }
      // One mail of each tenant is sent in each round, and links for a new password come before notices.
      #expect(recipients.first == "p990@example.org")
      for number in 900..<903 {
        let place = try #require(recipients.firstIndex(of: "p\(number)@example.org"))
        #expect(place < 8, "\(recipients.prefix(12))")
      }
    }
  }

  @Test(arguments: MailOutbox.Database.allCases)
  func an_account_gets_five_recovery_mails_an_hour_and_a_tenant_100_invitations(_ database: MailOutbox.Database)
    async throws
  {
    try await MailOutbox.with(database) { outbox in
      try await outbox.add(0..<1)
      func again() async throws -> Bool {
        try await outbox.storage.change(tenant: .standard, by: Actor(.command), at: outbox.now) {
          transaction throws(ThingError) in
          let person = try transaction.first(ThingQuery<Person>())!
          return try transaction.enqueueMail(.recovery, to: person, MailDetails(of: person.value), MailOutbox.keys)
        }
      }
      for number in 1..<8 { #expect(try await again() == (number < 5), "\(number)") }
      outbox.advance(3_599)
      #expect(try await !again())
      outbox.advance(2)
      #expect(try await again())
      #expect(try await outbox.add(100..<220, .invitation) == 100)
      #expect(try await outbox.add(300..<301, .invitation, tenant: MailOutbox.other) == 1)
      #expect(try await outbox.add(400..<401) == 1)
    }
  }

  @Test func nothing_secret_of_a_mail_can_be_read_in_the_database() async throws {
    try await MailOutbox.with(.sqlite) { outbox in
      try await outbox.add(0..<1)
      let mail = try #require(try await outbox.queued().first)
      let details = try #require(mail.value.details)
      #expect(
        !details.contains("fsl_") && MailDetails(mail, MailOutbox.keys)?.link == "https://fleet.example/reset#fsl_0")
      // The values of one mail cannot be moved to another mail, and cannot be read with another key.
      let other = Stored(
        id: .random(at: outbox.now), version: 1, createdAt: outbox.now, updatedAt: outbox.now, value: mail.value)
      #expect(MailDetails(other, MailOutbox.keys) == nil)
      #expect(MailDetails(mail, SecretKeys(file: String(repeating: "8", count: 64))!) == nil)
    }
  }

  @Test(
    arguments: [
      (1, 60), (2, 120), (3, 240), (9, 15_360), (10, 21_600), (11, 21_600), (1_000_000, 21_600), (0, 60),
    ] as [(Int64, Int)])
  func the_time_between_attempts_doubles_up_to_six_hours(_ attempts: Int64, _ seconds: Int) {
    #expect(RetryDelay.mail.seconds(after: attempts) == seconds)
  }

  @Test(arguments: [
    "smtp://", "http://mail.example", "smtps://mail.example/x", "smtps://u:p@mail.example", "smtps://mail.example:0",
    "smtps://mail example", "smtps://a\"b", "mail.example",
  ])
  func other_texts_are_no_mail_server(_ text: String) throws {
    let from = try #require(MailAddress(parsing: "a@b"))
    #expect(MailServer(text, from: from) == nil)
  }
}

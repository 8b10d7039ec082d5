import FleetAccess
import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Mails that the routes of accounts queue, and codes by email.
@Suite struct MailedAccountTests {
  private static let keys = SecretKeys(file: String(repeating: "7", count: 64))!

  private static func options(_ change: (inout AccountSettings) -> Void = { _ in }) -> ServerOptions {
    .test { options in
      options.accounts.use(keys)
      options.accounts.publicURL = "https://fleet.example"
      options.accounts.sendsMail = true
      change(&options.accounts)
    }
  }

  /// Queued mails of a tenant, the oldest first.
  private static func mails(
    _ server: TestServer, _ reason: QueuedMail.Reason? = nil
  ) async throws -> [(mail: QueuedMail, details: MailDetails)] {
    let all = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
      try view.list(ThingQuery<QueuedMail>(order: [.init("createdAt")], limit: 1_000)).items
    }
    return try all.filter { reason == nil || $0.value.reason == reason }.map {
      ($0.value, try #require(MailDetails($0, keys)))
    }
  }

  /// Waits for so many mails: recovery continues after its answer.
  private static func mails(_ server: TestServer, count: Int) async throws -> [MailDetails] {
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      let mails = try await mails(server, .recovery)
      if mails.count >= count || .now > deadline { return mails.map(\.details) }
      await Task.yield()
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_code_by_email_is_a_second_factor(_ database: TestServer.Database) async throws {
    try await TestServer.run(Self.options(), on: database) { server in
      try await server.addPerson("ann@example.com")
      let session = try await runBlocking { try server.signIn("ann@example.com") }
      let added = try await runBlocking { try server.asPage(session, "POST", "/api/factors", #"{"kind":"emailCode"}"#) }
      #expect(added.status == 201, "\(added.text)")
      let id = try #require((try added.json["factor"] as? [String: Any])?["id"] as? String)
      let first = try #require(try await Self.mails(server, .emailCode).last)
      #expect(first.mail.recipient?.text == "ann@example.com" && first.details.code?.count == 6)
      // It does not count before it is confirmed.
      let confirmed = try await runBlocking { () throws in
        #expect(try server.signIn("ann@example.com").hasPrefix("fss_"))
        let wrong = first.details.code == "000000" ? "000001" : "000000"
        #expect(
          try server.asPage(session, "POST", "/api/factors/\(id)/confirm", #"{"code":"\#(wrong)"}"#).errorCode
            == "wrongFactor")
        return try server.asPage(
          session, "POST", "/api/factors/\(id)/confirm", #"{"code":"\#(first.details.code ?? "")"}"#)
      }
      let codes = try confirmed.json["recoveryCodes"] as? [String]
      #expect(confirmed.status == 200 && codes?.count == 10)
      #expect(try await Self.mails(server, .factorAdded).map(\.details.item) == ["Email"])

      @Sendable func ticket() throws -> String {
        let reply = try server.asPage(
          nil, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#)
        return try #require(try reply.json["ticket"] as? String)
      }
      @Sendable func send(_ ticket: String) throws -> TestClient.Reply {
        try server.asPage(nil, "POST", "/api/auth/factor/code", #"{"ticket":"\#(ticket)"}"#)
      }
      @Sendable func answer(_ ticket: String, _ code: String) throws -> TestClient.Reply {
        try server.asPage(
          nil, "POST", "/api/auth/factor", #"{"ticket":"\#(ticket)","kind":"emailCode","code":"\#(code)"}"#)
      }
      func code() async throws -> String { try await Self.mails(server, .emailCode).last?.details.code ?? "" }

      let one = try await runBlocking { try ticket() }
      // No code before it is asked for; not that of the confirmation either.
      try await runBlocking { () throws in
        #expect(try answer(one, first.details.code ?? "").errorCode == "wrongFactor")
        #expect(try send(one).status == 202)
      }
      let sent = try await code()
      let two = try await runBlocking { try ticket() }
      try await runBlocking { () throws in
        // A code is good for its own sign-in, once.
        #expect(try answer(two, sent).errorCode == "wrongFactor")
        #expect(try answer(one, sent).cookie("fleet-session") != nil)
        #expect(try answer(one, sent).errorCode == "expiredTicket")
        #expect(try send(one).errorCode == "expiredTicket")
        #expect(try send(two).status == 202)
      }
      let older = try await code()
      try await runBlocking { () throws in #expect(try send(two).status == 202) }
      let newer = try await code()
      try await runBlocking { () throws in
        if older != newer { #expect(try answer(two, older).errorCode == "wrongFactor") }
        #expect(try answer(two, newer).cookie("fleet-session") != nil)
      }
      // Five wrong answers end it.
      let three = try await runBlocking { try ticket() }
      try await runBlocking { () throws in #expect(try send(three).status == 202) }
      let last = try await code()
      try await runBlocking { () throws in
        let wrong = last == "000000" ? "000001" : "000000"
        for _ in 0..<5 { #expect(try answer(three, wrong).status == 401) }
        #expect(try answer(three, last).errorCode == "expiredTicket")
      }
    }
  }

  @Test func a_tenant_or_server_without_mail_has_no_codes_by_email() async throws {
    for options in [Self.options { $0.withoutEmailCodes = [.standard] }, Self.options { $0.sendsMail = false }] {
      try await TestServer.run(options) { server in
        try await server.addPerson("ann@example.com")
        try await runBlocking { () throws in
          let session = try server.signIn("ann@example.com")
          #expect(
            try server.asPage(session, "POST", "/api/factors", #"{"kind":"emailCode"}"#).errorCode == "noEmailCodes")
          #expect(try server.asPage(session, "POST", "/api/factors", #"{"kind":"totp"}"#).status == 201)
        }
      }
    }
  }

  @Test func ten_codes_an_hour_are_sent_to_an_account() async throws {
    try await TestServer.run(Self.options()) { server in
      let ann = try await server.addPerson("ann@example.com")
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        var factor = Factor()
        factor.personID = ann.id
        factor.form = .emailCode
        factor.name = "Email"
        factor.isConfirmed = true
        return try transaction.insert(factor)
      }
      try await runBlocking { () throws in
        let reply = try server.asPage(
          nil, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#)
        let ticket = try #require(try reply.json["ticket"] as? String)
        let statuses = try (0..<11).map { _ in
          try server.asPage(nil, "POST", "/api/auth/factor/code", #"{"ticket":"\#(ticket)"}"#).status
        }
        #expect(statuses == Array(repeating: 202, count: 10) + [429])
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_stranger_who_asks_for_new_passwords_ends_no_link_and_learns_nothing(_ database: TestServer.Database)
    async throws
  {
    try await TestServer.run(Self.options(), on: database) { server in
      try await server.addPerson("ann@example.com")
      let gone = try await server.addPerson("gone@example.com", [.viewer])
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in try transaction.setActive(false, gone)
      }
      try await runBlocking { () throws in
        let answers = try ["ann@example.com", "nobody@example.com", "gone@example.com", "no address"].map {
          try server.asPage(nil, "POST", "/api/auth/recover", #"{"email":"\#($0)"}"#)
        }
        #expect(Set(answers.map(\.status)) == [202] && Set(answers.map(\.text)) == [""])
      }
      let first = try #require(try await Self.mails(server, count: 1).first?.link)
      try await runBlocking { () throws in
        for number in 0..<8 {
          #expect(
            try server.asPage(
              nil, "POST", "/api/auth/recover", #"{"email":"ann@example.com"}"#, from: UInt32(10 + number)
            ).status == 202)
        }
      }
      #expect(try await Self.mails(server, count: 5).count == 5)
      // Not one row is left of unknown addresses.
      let mails = try await Self.mails(server)
      #expect(mails.allSatisfy { $0.mail.recipient?.text == "ann@example.com" })
      let token = try #require(first.split(separator: "#").last)
      let reset = try await runBlocking { () throws in
        try server.asPage(nil, "POST", "/api/auth/reset", #"{"token":"\#(token)","password":"a quite different text"}"#)
      }
      #expect(reset.status == 200, "\(reset.text)")
      let left = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<Ticket>(.oneOf(key: "purpose", [Ticket.Purpose.recovery.json]))).items.count
      }
      #expect(left == 0)
    }
  }

  @Test func the_owner_is_told_of_a_new_password_address_and_factor() async throws {
    try await TestServer.run(Self.options()) { server in
      let ann = try await server.addPerson("ann@example.com")
      let path = "/api/people/\(ann.id.json.textValue ?? "")"
      try await runBlocking { () throws in
        let session = try server.signIn("ann@example.com")
        #expect(
          try server.asPage(
            session, "POST", "/api/auth/password",
            #"{"password":"\#(TestServer.password)","newPassword":"a quite different text"}"#
          ).status == 204)
        #expect(
          try server.asPage(
            session, "PATCH", path, #"{"email":"ann@example.org"}"#, headers: ["If-Match": "*"]
          ).status == 200)
        // A change of something else, or none, is no news.
        #expect(
          try server.asPage(
            session, "PATCH", path, #"{"email":"ann@example.org","lastName":"X"}"#, headers: ["If-Match": "*"]
          ).status == 200)
      }
      let mails = try await Self.mails(server)
      #expect(
        Set(mails.map { "\($0.mail.reason) \($0.mail.recipient?.text ?? "")" }) == [
          "passwordChanged ann@example.com", "emailChanged ann@example.com", "emailChanged ann@example.org",
        ])
      #expect(mails.count == 3)
      #expect(mails.allSatisfy { $0.details.address == "127.0.0.1" && $0.details.changedAt != nil })
    }
  }
}

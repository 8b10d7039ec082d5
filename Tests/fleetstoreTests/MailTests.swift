import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Mails of the whole program, with a real mail server (aiosmtpd).
@Suite struct MailTests {
  /// A store with an administrator, and the folder of its files.
  private final class Site {
    let scratch: ScratchFolder
    let peer: MailPeer
    let store: ServedStore
    private let settings: String

    init(_ database: Database, startsMail: Bool = true) throws {
      scratch = try ScratchFolder()
      peer = try MailPeer(["--login", "fleet", "se cret"], starts: startsMail)
      try scratch.writeSecret("mail.password", "se cret\n")
      try scratch.writeSecret("secret.keys", String(repeating: "7", count: 64) + "\n")
      let address = try database.address(in: scratch)
      settings = try scratch.write(
        "c.json",
        """
        {"database":"\(address)","accounts":{"url":"https://fleet.example","name":"North Depot",
         "secretKeysFile":"secret.keys"},
         "mail":{"url":"smtp://127.0.0.1:\(peer.port)","from":"North Depot <fleet@example.com>","user":"fleet",
         "passwordFile":"mail.password"}}
        """)
      store = try ServedStore(["--config", settings])
      let link = try FleetstoreProgram.run(["setup", "--config", settings], in: scratch.path).output
      let token = try #require(
        link.split(separator: "#").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) })
      let answer = try post(
        "/api/auth/setup",
        #"{"token":"\#(token)","password":"\#(Self.password)","email":"ann@example.org","firstName":"Ann","lastName":"Müller","locale":"de-AT"}"#
      )
      try #require(answer.status == 200, "\(answer.text)")
    }

    deinit { store.program.kill() }

    static let password = "correct horse battery"

    struct Answer {
      let status: Int
      let text: String
      /// The value of the session cookie that the answer sets; `nil` if it sets none.
      let session: String?

      var json: [String: Any] {
        get throws { try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:] }
      }
    }

    func post(_ path: String, _ body: String, session: String? = nil, host: String? = nil) throws -> Answer {
      var arguments = ["-sS", "-i", "--json", "@-", "-H", "Origin: https://fleet.example"]
      if let host { arguments += ["-H", "Host: \(host)"] }
      if let session { arguments += ["-H", "Cookie: fleet-session=\(session)"] }
      let result = try Tool.run(
        "curl", arguments + ["http://127.0.0.1:\(store.port)\(path)"], stdin: Array(body.utf8))
      let parts = result.output.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
      let cookie = parts[0].split(separator: "\r\n").first { $0.lowercased().hasPrefix("set-cookie: fleet-session=") }
      return Answer(
        status: Int(parts[0].dropFirst(9).prefix(3)) ?? 0, text: parts.count > 1 ? String(parts[1]) : "",
        session: cookie?.split(separator: "=")[1].split(separator: ";").first.map(String.init))
    }

    func login(_ password: String) throws -> Answer {
      try post("/api/auth/login", #"{"email":"ann@example.org","password":"\#(password)"}"#)
    }
  }

  @Test(arguments: Database.allCases)
  func a_forgotten_password_is_replaced_by_the_link_of_a_mail(_ database: Database) async throws {
    try await runBlocking { () throws in
      let site = try Site(database)
      // The host name that a client uses for the server is in no link.
      let asked = try site.post(
        "/api/auth/recover", #"{"email":"Ann@Example.org"}"#, host: "evil.example")
      let unknown = try site.post("/api/auth/recover", #"{"email":"nobody@example.org"}"#)
      #expect(asked.status == 202 && unknown.status == 202 && asked.text == unknown.text)
      let mail = try site.peer.mail()
      #expect(mail.to == ["ann@example.org"] && mail.from == "fleet@example.com" && mail.defects == [])
      #expect(mail.header("Subject") == "North Depot: neues Passwort setzen")
      #expect(mail.header("To") == "Ann Müller <ann@example.org>")
      #expect(mail.plain.hasPrefix("Guten Tag Ann Müller,") && mail.html.contains("Guten Tag Ann Müller,"))
      let link = try #require(mail.link)
      #expect(link.hasPrefix("https://fleet.example/reset#fsl_default."))
      let token = try #require(link.split(separator: "#").last)
      let reset = try site.post("/api/auth/reset", #"{"token":"\#(token)","password":"a quite different text"}"#)
      #expect(reset.status == 200, "\(reset.text)")
      // The owner gets a notice, and the link is no longer valid.
      let notice = try site.peer.mail()
      #expect(notice.header("Subject") == "North Depot: Ihr Passwort wurde geändert")
      #expect(notice.plain.contains("127.0.0.1") && notice.link == nil)
      #expect(try site.post("/api/auth/reset", #"{"token":"\#(token)","password":"another quite long"}"#).status == 401)
      #expect(try site.login(Site.password).status == 401)
      #expect(try site.login("a quite different text").status == 200)
      // Nobody else got a mail.
      #expect(try site.peer.mails().count == 2)
    }
  }

  @Test func an_invited_person_gets_the_link_and_the_administrator_too() async throws {
    try await runBlocking { () throws in
      let site = try Site(.sqlite)
      let session = try #require(try site.login(Site.password).session)
      let made = try site.post(
        "/api/people", #"{"email":"bob@example.org","firstName":"Bob","lastName":"Ray","roles":["driver"]}"#,
        session: session)
      let id = try #require(try made.json["id"] as? String, "\(made.text)")
      let invited = try site.post("/api/people/\(id)/invite", "{}", session: session)
      #expect(try invited.json["isMailed"] as? Bool == true, "\(invited.text)")
      let mail = try site.peer.mail()
      #expect(mail.to == ["bob@example.org"] && mail.header("Subject") == "Your invitation to North Depot")
      #expect(try mail.link == invited.json["link"] as? String)
    }
  }

  @Test func a_mail_that_waited_for_its_server_survives_a_crash() async throws {
    try await runBlocking { () throws in
      let site = try Site(.sqlite, startsMail: false)
      #expect(try site.post("/api/auth/recover", #"{"email":"ann@example.org"}"#).status == 202)
      try site.store.program.errorLine(within: .seconds(60)) { $0.contains("mail: attempt 1 for recovery") }
      try site.store.program.killNow()
      let file = site.scratch.file("fleet.db")
      // The next attempt is a minute later, so set its time back.
      let moved = try Tool.run("sqlite3", [file, "UPDATE queued_mail SET next_attempt_at = 0"])
      #expect(moved.status == 0, "\(moved.errors)")
      try site.peer.start()
      let again = try ServedStore(["--config", site.scratch.file("c.json")], isFirst: false)
      defer { again.program.kill() }
      #expect(try site.peer.mail().link?.hasPrefix("https://fleet.example/reset#") == true)
      #expect(try site.peer.mails().count == 1)
      let log = again.program.errorLines + site.store.program.errorLines
      #expect(!log.contains { $0.contains("fsl_") || $0.contains("se cret") })
    }
  }

  @Test(arguments: [
    (#""mail":{"url":"smtps://mail.example","from":"a@b.example"}"#, "accounts.url"),
    (#""accounts":{"url":"https://f.example"},"mail":{"url":"http://mail.example","from":"a@b.example"}"#, "smtps://"),
    (
      #""accounts":{"url":"https://f.example"},"mail":{"url":"smtps://m.example","from":"no address"}"#,
      "fleet@example.com"
    ),
    (
      #""accounts":{"url":"https://f.example"},"mail":{"url":"smtps://m.example","from":"a@b","user":"u"}"#,
      "passwordFile"
    ),
    (
      #""accounts":{"url":"https://f.example"},"mail":{"url":"smtps://m.example","from":"a@b","passwordFile":"p"}"#,
      "user"
    ),
    (
      #""accounts":{"url":"https://f.example"},"mail":{"url":"smtps://m.example","from":"a@b","user":"u","passwordFile":"open"}"#,
      "600"
    ),
  ])
  func faults_of_the_configuration_are_reported_with_their_place(_ members: String, _ part: String) async throws {
    try await runBlocking { () throws in
      let scratch = try ScratchFolder()
      try scratch.writeSecret("p", "hunter2\n")
      try scratch.write("open", "hunter2\n")
      let file = try scratch.write("c.json", "{\(members)}")
      let result = try FleetstoreProgram.run(["serve", "--check", "--config", file], in: scratch.path)
      #expect(
        result.status == 78 && result.errors.contains("c.json:1:") && result.errors.contains(part), "\(result.errors)")
      #expect(!result.errors.contains("hunter2"))
    }
  }
}

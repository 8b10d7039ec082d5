import Foundation
import Glibc
import TestKit
import Testing

@testable import FleetstoreTestKit

/// If a server is killed during a change of an account, either the whole change was made or nothing of it, and the
/// audit is intact.
@Suite struct AccountKillTests {
  /// A database, its administrator, and the server that runs at present.
  final class Site {
    let scratch: ScratchFolder
    /// The address of the database, as the configuration has it.
    let address: String
    let settings: String
    /// The configured address of the server; `nil` if it has none.
    private let url: String?
    private(set) var store: ServedStore

    /// - Parameters:
    ///   - url: the address of the server, as people see it.
    ///   - accounts: further members of the configuration's `accounts`, each after a comma.
    ///   - more: other members of the configuration, each after a comma.
    ///   - secrets: the contents of files with secrets, by their names.
    init(
      _ database: Database, url: String? = nil, accounts: String = "", more: String = "",
      secrets: [String: String] = [:]
    ) throws {
      self.url = url
      scratch = try ScratchFolder()
      for (name, text) in secrets { try scratch.writeSecret(name, text) }
      try scratch.writeSecret("secret.keys", String(repeating: "7", count: 64) + "\n")
      address = try database.address(in: scratch)
      let members = (url.map { #","url":"\#($0)""# } ?? "") + accounts
      settings = try scratch.write(
        "c.json", #"{"database":"\#(address)","accounts":{"secretKeysFile":"secret.keys"\#(members)}\#(more)}"#)
      store = try ServedStore(["--config", settings])
      let link = try FleetstoreProgram.run(["setup", "--config", settings], in: scratch.path).output
      let token = try #require(
        link.split(separator: "#").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) })
      let answer = try send(
        "POST", "/api/auth/setup",
        #"{"token":"\#(token)","password":"\#(AccountKillTests.password)","email":"ann@example.org","firstName":"Ann","lastName":"Lee"}"#
      )
      try #require(answer.status == 200, "\(answer.text)")
    }

    deinit { store.program.kill() }

    /// Kills the server, checks the audit, and starts it again.
    func killAndRestart() throws {
      try store.program.killNow()
      let checked = try FleetstoreProgram.run(["audit", "verify", "--config", settings], in: scratch.path)
      #expect(checked.status == 0, "\(checked.output) \(checked.errors)")
      store = try ServedStore(["--config", settings], isFirst: false)
    }

    struct Answer {
      let status: Int
      let text: String
      private let head: [String]

      init(_ output: String) {
        let parts = output.components(separatedBy: "\r\n\r\n")
        head = parts[0].components(separatedBy: "\r\n")
        status = Int(parts[0].dropFirst(9).prefix(3)) ?? 0
        text = parts.dropFirst().joined(separator: "\r\n\r\n")
      }

      /// The values of all headers with a name in lower case.
      func headers(_ name: String) -> [String] {
        head.filter { $0.lowercased().hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
      }

      /// The value of a cookie that the answer sets.
      func cookie(_ name: String) -> String? {
        headers("set-cookie").first { $0.hasPrefix(name + "=") }
          .map { String($0.dropFirst(name.count + 1).prefix { $0 != ";" }) }
      }

      var session: String? { cookie("fleet-session") }

      var json: [String: Any] {
        get throws { try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:] }
      }
    }

    /// - Parameter session: the value of the session cookie, or several cookies.
    private func arguments(_ method: String, _ path: String, _ body: String, _ session: String?) -> [String] {
      var arguments = ["-sS", "-i", "-X", method, "-H", "Origin: \(url ?? "http://127.0.0.1:\(store.port)")"]
      if method != "GET" { arguments += ["--json", body, "-H", "If-Match: *"] }
      if let session {
        arguments += ["-H", "Cookie: " + (session.contains("=") ? session : "fleet-session=\(session)")]
      }
      return arguments + ["http://127.0.0.1:\(store.port)\(path)"]
    }

    func send(_ method: String, _ path: String, _ body: String = "", session: String? = nil) throws -> Answer {
      Answer(try Tool.run("curl", arguments(method, path, body, session)).output)
    }

    /// Sends a request, and kills the server some time later.
    ///
    /// - Returns: the answer; `nil` if the client received none.
    func sendAndKill(
      _ method: String, _ path: String, _ body: String, session: String?, after time: Duration
    ) throws -> Answer? {
      let (arguments, result) = (arguments(method, path, body, session), Answered())
      let thread = Thread { result.store((try? Tool.run("curl", arguments))?.output ?? "") }
      let end = Date(timeIntervalSinceNow: time / .seconds(1))
      thread.start()
      result.wait(until: end)
      try killAndRestart()
      let answer = Answer(result.wait())
      return answer.status == 0 ? nil : answer
    }

    func login(_ email: String, _ password: String) throws -> Answer {
      try send("POST", "/api/auth/login", #"{"email":"\#(email)","password":"\#(password)"}"#)
    }
  }

  /// The output of a client in another thread.
  private final class Answered: @unchecked Sendable {
    private let condition = NSCondition()
    private var output: String?

    func store(_ text: String) {
      condition.lock()
      output = text
      condition.signal()
      condition.unlock()
    }

    /// Waits until this time, whether or not the client has received an answer.
    func wait(until end: Date) {
      condition.lock()
      defer { condition.unlock() }
      while condition.wait(until: end) {}
    }

    func wait() -> String {
      condition.lock()
      defer { condition.unlock() }
      while output == nil { condition.wait() }
      return output ?? ""
    }
  }

  static let password = "correct horse battery"

  /// Returns a new person with a password and an open session.
  static func person(_ email: String, _ site: Site) throws -> (id: String, session: String) {
    let admin = try #require(try site.login("ann@example.org", password).session)
    let made = try site.send(
      "POST", "/api/people", #"{"email":"\#(email)","firstName":"Bob","lastName":"Ray","roles":["driver"]}"#,
      session: admin)
    let id = try #require(try made.json["id"] as? String, "\(made.text)")
    let invited = try site.send("POST", "/api/people/\(id)/invite", "{}", session: admin)
    let token = try #require(try invited.json["token"] as? String, "\(invited.text)")
    let set = try site.send("POST", "/api/auth/setup", #"{"token":"\#(token)","password":"\#(password)"}"#)
    try #require(set.status == 200, "\(set.text)")
    return (id, try #require(set.session))
  }

  static let rounds = 4

  /// Returns a delay that lies between a time before the request arrives and a time after its answer.
  static func delay(_ round: Int) -> Duration { .milliseconds(8 + round * 14) }

  @Test(arguments: Database.allCases)
  func a_sign_in_is_complete_or_never_happened(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      let (_, session) = try Self.person("bob@example.org", site)
      for round in 0..<Self.rounds {
        let answer = try site.sendAndKill(
          "POST", "/api/auth/login", #"{"email":"bob@example.org","password":"\#(Self.password)"}"#, session: nil,
          after: Self.delay(round))
        // A session that the server has answered exists, and so do older ones.
        for known in [session, answer?.session].compactMap({ $0 }) {
          #expect(try site.send("GET", "/api/auth/session", session: known).status == 200)
        }
        #expect(try site.login("bob@example.org", Self.password).status == 200)
      }
    }
  }

  @Test(arguments: Database.allCases)
  func a_password_is_the_old_or_the_new_one(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      _ = try Self.person("bob@example.org", site)
      var current = Self.password
      for round in 0..<Self.rounds {
        let (session, other) = (
          try #require(try site.login("bob@example.org", current).session),
          try #require(try site.login("bob@example.org", current).session)
        )
        let new = "a quite different text \(round)"
        let answer = try site.sendAndKill(
          "POST", "/api/auth/password", #"{"password":"\#(current)","newPassword":"\#(new)"}"#, session: session,
          after: Self.delay(round))
        let accepted = try [current, new].filter { try site.login("bob@example.org", $0).status == 200 }
        #expect(accepted.count == 1)
        if answer?.status == 204 { #expect(accepted == [new]) }
        // The change ends the person's other sessions, but not the one that made it.
        #expect(try site.send("GET", "/api/auth/session", session: session).status == 200)
        let status = try site.send("GET", "/api/auth/session", session: other).status
        #expect(status == (accepted == [new] ? 401 : 200))
        current = accepted.first ?? current
      }
    }
  }

  @Test(arguments: Database.allCases)
  func a_second_factor_is_required_or_not_there(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      for round in 0..<Self.rounds {
        let email = "bob\(round)@example.org"
        let (_, session) = try Self.person(email, site)
        let begun = try site.send("POST", "/api/factors", #"{"kind":"totp"}"#, session: session)
        let factor = try begun.json["factor"] as? [String: Any]
        let (id, secret) = (factor?["id"] as? String ?? "", try begun.json["secret"] as? String ?? "")
        try #require(begun.status == 201 && !secret.isEmpty, "\(begun.text)")
        let code = try Tool.run("oathtool", ["--totp", "--base32", "-"], stdin: Array(secret.utf8)).output
          .trimmingCharacters(in: .whitespacesAndNewlines)
        let answer = try site.sendAndKill(
          "POST", "/api/factors/\(id)/confirm", #"{"code":"\#(code)"}"#, session: session, after: Self.delay(round))
        let isConfirmed = try site.login(email, Self.password).json["next"] as? String == "factor"
        if answer?.status == 200 { #expect(isConfirmed, "\(answer?.text ?? "")") }
        // The recovery codes of the factor were stored in the same transaction.
        let listed = try site.send("GET", "/api/factors", session: session)
        #expect(listed.status == 200 && listed.text.contains("recoveryCodes") == isConfirmed, "\(listed.text)")
      }
    }
  }

  @Test(arguments: Database.allCases)
  func roles_and_their_audit_change_together(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      let (id, session) = try Self.person("bob@example.org", site)
      for round in 0..<Self.rounds {
        let admin = try #require(try site.login("ann@example.org", Self.password).session)
        func roles() throws -> [String] {
          try site.send("GET", "/api/people/\(id)", session: admin).json["roles"] as? [String] ?? []
        }
        let old = try roles()
        let new = old == ["driver"] ? ["viewer"] : ["driver"]
        let answer = try site.sendAndKill(
          "PATCH", "/api/people/\(id)", #"{"roles":["\#(new[0])"]}"#, session: admin, after: Self.delay(round))
        let now = try roles()
        #expect(now == old || now == new)
        if answer?.status == 200 { #expect(now == new) }
        let audit = try site.send("GET", "/api/audit?thing=\(id)&limit=200", session: admin)
        let entries = try audit.json["data"] as? [[String: Any]] ?? []
        let last = entries.compactMap { ($0["after"] as? [String: Any])?["roles"] as? [String] }.first
        #expect(last == now, "\(audit.text)")
        // The session shows the rights of the roles that are stored.
        let shown = try site.send("GET", "/api/auth/session", session: session).json["person"] as? [String: Any]
        #expect(shown?["roles"] as? [String] == now)
      }
    }
  }

  @Test(arguments: Database.allCases)
  func a_link_is_used_with_its_password_or_not_at_all(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      for round in 0..<Self.rounds {
        let admin = try #require(try site.login("ann@example.org", Self.password).session)
        let email = "bob\(round)@example.org"
        let made = try site.send(
          "POST", "/api/people", #"{"email":"\#(email)","firstName":"Bob","lastName":"Ray","roles":["driver"]}"#,
          session: admin)
        let id = try #require(try made.json["id"] as? String, "\(made.text)")
        let invited = try site.send("POST", "/api/people/\(id)/invite", "{}", session: admin)
        let token = try #require(try invited.json["token"] as? String, "\(invited.text)")
        let body = #"{"token":"\#(token)","password":"\#(Self.password)"}"#
        let answer = try site.sendAndKill("POST", "/api/auth/setup", body, session: nil, after: Self.delay(round))
        let isSet = try site.login(email, Self.password).status == 200
        if answer?.status == 200 {
          #expect(isSet)
          #expect(try site.send("GET", "/api/auth/session", session: answer?.session).status == 200)
        }
        // The link is good as long as there is no password.
        #expect(try site.send("POST", "/api/auth/setup", body).status == (isSet ? 401 : 200))
      }
    }
  }

  @Test(arguments: Database.allCases)
  func an_invitation_and_its_audit_are_stored_together(_ database: Database) async throws {
    try await runBlocking {
      let site = try Site(database)
      for round in 0..<Self.rounds {
        let admin = try #require(try site.login("ann@example.org", Self.password).session)
        let made = try site.send(
          "POST", "/api/people",
          #"{"email":"bob\#(round)@example.org","firstName":"Bob","lastName":"Ray","roles":["driver"]}"#, session: admin
        )
        let id = try #require(try made.json["id"] as? String, "\(made.text)")
        let answer = try site.sendAndKill(
          "POST", "/api/people/\(id)/invite", "{}", session: admin, after: Self.delay(round))
        let audit = try site.send("GET", "/api/audit?thing=\(id)&limit=200", session: admin)
        let actions = (try audit.json["data"] as? [[String: Any]] ?? []).compactMap { $0["action"] as? String }
        if answer?.status == 200 {
          #expect(actions.contains("invite"), "\(audit.text)")
          let token = try #require(try answer?.json["token"] as? String)
          let body = #"{"token":"\#(token)","password":"\#(Self.password)"}"#
          #expect(try site.send("POST", "/api/auth/setup", body).status == 200)
        }
      }
    }
  }

  @Test(arguments: Database.allCases, ["deactivate", "erase", "sessions"])
  func ends_of_sessions_are_complete_or_never_happened(_ database: Database, _ act: String) async throws {
    try await runBlocking {
      let site = try Site(database)
      for round in 0..<Self.rounds {
        let email = "bob\(round)@example.org"
        let (id, first) = try Self.person(email, site)
        let second = try #require(try site.login(email, Self.password).session)
        let admin = try #require(try site.login("ann@example.org", Self.password).session)
        let own = try site.send("GET", "/api/auth/session", session: first).json["sessionId"] as? String ?? ""
        let (method, path) =
          switch act {
          case "deactivate": ("POST", "/api/people/\(id)/deactivate")
          case "erase": ("DELETE", "/api/people/\(id)")
          default: ("DELETE", "/api/sessions/\(own)")
          }
        let answer = try site.sendAndKill(method, path, "{}", session: admin, after: Self.delay(round))
        let statuses = try [first, second].map { try site.send("GET", "/api/auth/session", session: $0).status }
        let isDone = statuses[0] == 401
        if let answer { #expect([200, 204].contains(answer.status) && isDone, "\(answer.text)") }
        // A revocation concerns one session, the other acts all of them.
        #expect(statuses[1] == (isDone && act != "sessions" ? 401 : 200))
        #expect(try site.login(email, Self.password).status == (isDone && act != "sessions" ? 401 : 200))
        let shown = try site.send("GET", "/api/people/\(id)", session: admin)
        #expect(shown.status == (isDone && act == "erase" ? 404 : 200), "\(shown.text)")
        if act == "deactivate" { #expect(try shown.json["isActive"] as? Bool == !isDone) }
      }
    }
  }
}

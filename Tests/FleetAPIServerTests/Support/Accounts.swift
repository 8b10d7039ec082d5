import FleetAccess
import FleetDomain
import Foundation
import Telemetry

@testable import FleetAPI

extension TestServer {
  /// The password of every person of a test.
  static let password = "correct horse battery"

  /// Adds a person with ``password``.
  @discardableResult
  func addPerson(
    _ email: String, _ roles: [PersonRole] = [.admin], scope: FleetScope = .all, tenant: TenantID = .standard
  ) async throws -> Stored<Person> {
    var person = Person()
    person.email = EmailAddress(email)
    person.firstName = "Ann"
    person.lastName = "Lee"
    person.roles = roles
    person.scope = scope
    person.passwordHash = try PasswordHash(of: Self.password, .fast).text
    let added = person
    return try await storage.change(tenant: tenant, by: Actor(.command), at: WallClock.now) {
      transaction throws(ThingError) in try transaction.insert(added)
    }
  }

  /// Returns the value of the session cookie after a sign-in.
  func signIn(_ email: String, tenant: TenantID = .standard) throws -> String {
    let reply = try asPage(
      nil, "POST", "/api/auth/login",
      #"{"email":"\#(email)","password":"\#(Self.password)","tenant":"\#(tenant)"}"#)
    guard let cookie = reply.cookie("fleet-session") else { throw TestClient.Failure(description: reply.text) }
    return cookie
  }

  /// Returns the access token of an app after a sign-in.
  func accessToken(_ email: String) throws -> String {
    let json = #"{"grant":"password","email":"\#(email)","password":"\#(Self.password)"}"#
    let reply = try client().send("POST", "/api/auth/token", json: json)
    guard let token = try reply.json["accessToken"] as? String else {
      throw TestClient.Failure(description: reply.text)
    }
    return token
  }

  /// Sends a request as one of the server's own pages does.
  ///
  /// - Parameters:
  ///   - session: the value of the session cookie.
  ///   - json: the body.
  ///   - host: the last number of the client's address, 127.0.0.x.
  func asPage(
    _ session: String?, _ method: String, _ path: String, _ json: String? = nil, headers: [String: String] = [:],
    from host: UInt32 = 1
  ) throws -> TestClient.Reply {
    var all = ["Origin": origin]
    if let session { all["Cookie"] = "fleet-session=\(session)" }
    if json != nil { all["Content-Type"] = "application/json" }
    return try client(from: host).send(
      method, path, json.map { Array($0.utf8) }, headers: all.merging(headers) { $1 })
  }
}

extension PasswordHash.Cost {
  /// The lowest cost that the library allows, because tests hash often.
  static let fast = PasswordHash.Cost(passes: 1, memoryBytes: 8 << 10)
}

extension TestClient.Reply {
  /// Returns the value of a cookie that the answer sets; `nil` if it sets none.
  func cookie(_ name: String) -> String? {
    let all = cookies.compactMap { field -> String? in
      guard field.hasPrefix(name + "=") else { return nil }
      return String(field.dropFirst(name.count + 1).prefix { $0 != ";" })
    }
    return all.first.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension UUIDv7 {
  /// Parses an ID of an answer.
  static func parsed(_ text: String) throws -> UUIDv7 {
    guard let id = UUIDv7(text.utf8.span) else { throw TestClient.Failure(description: "no id: \(text)") }
    return id
  }
}

import Foundation
import TestKit

@testable import FleetstoreTestKit

/// Accounts of people of both tenants, with passwords.
enum AttackAccounts {
  static let password = "correct horse battery"
  /// The number of accounts of the attacking tenant.
  static let count = 8
  static let victim = "victim@example.org"

  static func attacker(_ number: Int) -> String { "attacker\(number)@example.org" }

  /// Adds a person with a password.
  ///
  /// - Parameter admin: a token of an administrator of the tenant.
  /// - Returns: the ID of the person.
  static func add(_ email: String, port: Int, admin: String) throws -> String {
    let socket = try LoadSocket(port: port)
    func value(_ key: String, _ answer: String) throws -> String {
      guard let range = answer.range(of: "\"\(key)\":\"") else { throw TestData.Missing("\(key) in: \(answer)") }
      return String(answer[range.upperBound...].prefix { $0 != "\"" })
    }
    let made = try socket.send(
      "POST", "/api/people", key: admin,
      json: #"{"email":"\#(email)","firstName":"A","lastName":"B","roles":["admin"]}"#)
    let id = try value("id", made)
    let token = try value("token", try socket.send("POST", "/api/people/\(id)/invite", key: admin, json: "{}"))
    let set = try socket.send(
      "POST", "/api/auth/setup", key: nil, Array(#"{"token":"\#(token)","password":"\#(password)"}"#.utf8), fields)
    guard set.hasPrefix("HTTP/1.1 200") else { throw TestData.Missing(set) }
    return id
  }

  private static let fields = "Content-Type: application/json\r\nOrigin: http://x\r\n"

  /// Signs in.
  ///
  /// - Parameter device: the value of the cookie by which the server recognizes a browser; empty for a new browser.
  /// - Returns: the beginning of the answer.
  static func signIn(
    _ socket: LoadSocket, _ email: String, _ password: String, device: String = ""
  ) throws -> String {
    let cookie = device.isEmpty ? "" : "Cookie: fleet-device=\(device)\r\n"
    return try socket.send(
      "POST", "/api/auth/login", key: nil, Array(#"{"email":"\#(email)","password":"\#(password)"}"#.utf8),
      fields + cookie)
  }

  /// Returns the value of the cookie by which the server recognizes a browser, from the answer of a sign-in.
  static func device(_ answer: String) -> String? {
    answer.range(of: "fleet-device=").map { String(answer[$0.upperBound...].prefix { $0 != ";" }) }
  }
}

import Foundation
import TestKit

@testable import FleetstoreTestKit

/// Valid keys of two tenants, and older records of the attacking tenant.
struct AttackKeys: Sendable {
  static let gatewayCount = 8

  let victimGateway: String
  let victimReader: String
  /// The keys of gateways, each of the vehicle with the same number.
  let gateways: [String]
  let admin: String
  let reader: String
  /// The token of the victim's administrator.
  let victimAdmin: String
  /// The IDs of the attacking tenant's people.
  let people: [String]

  /// - Parameter settings: the server's configuration file.
  init(_ store: ServedStore, _ settings: String) throws {
    guard let token = store.token else { throw TestData.Missing("the first token") }
    let folder = FileManager.default.temporaryDirectory.path
    func make(_ arguments: [String]) throws -> String {
      let result = try FleetstoreProgram.run(arguments + ["--config", settings], in: folder)
      guard result.status == 0 else { throw TestData.Missing(result.errors) }
      return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    _ = try make(["tenant", "add", "attacker"])
    admin = try make(["token", "add", "--role", "admin", "--tenant", "attacker"])
    reader = try make(["token", "add", "--role", "readOnly", "--tenant", "attacker"])
    victimReader = try make(["token", "add", "--role", "readOnly"])
    victimGateway = try Self.addGateway(0, store, token)
    victimAdmin = token
    _ = try AttackAccounts.add(AttackAccounts.victim, port: store.port, admin: token)
    let admin = admin
    people = try (0..<AttackAccounts.count).map {
      try AttackAccounts.add(AttackAccounts.attacker($0), port: store.port, admin: admin)
    }
    gateways = try (0..<Self.gatewayCount).map { try Self.addGateway($0, store, admin) }
    // 12 MB, which a WebSocket can request repeatedly.
    let socket = try LoadSocket(port: store.port)
    let note = String(repeating: "x", count: 14_000)
    for start in stride(from: 1, to: 800, by: 50) {
      let lines = (start..<(start + 50)).map { LoadClient.record($0, 0).dropLast() + #","note":"\#(note)"}"# + "\n" }
      let answer = try socket.post(Array(lines.joined().utf8), key: gateways[0], coding: nil)
      guard answer.contains("\"stored\":50") else { throw TestData.Missing(answer) }
    }
  }

  private static func addGateway(_ number: Int, _ store: ServedStore, _ token: String) throws -> String {
    let answer = try LoadSocket(port: store.port).send(
      "POST", "/api/gateways", key: token, json: #"{"id":"gw-\#(number)","vehicles":["VAN-\#(number)"]}"#)
    guard let range = answer.range(of: "\"key\":\"") else { throw TestData.Missing(answer) }
    return String(answer[range.upperBound...].prefix { $0 != "\"" })
  }
}

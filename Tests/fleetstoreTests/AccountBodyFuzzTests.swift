import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The routes of accounts answer each of a hundred thousand malformed bodies without an error of the server.
///
///     ACCOUNT_FUZZ_BODIES=100000 FLEETSTORE_PROGRAM=.build/release/fleetstore swift test --filter AccountBodyFuzzTests
@Suite struct AccountBodyFuzzTests {
  private static var count: Int {
    ProcessInfo.processInfo.environment["ACCOUNT_FUZZ_BODIES"].flatMap { Int($0) } ?? 3_000
  }

  @Test func malformed_bodies_are_refused_and_memory_stays() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      try scratch.writeSecret("keys", String(repeating: "7", count: 64) + "\n")
      let settings = try scratch.write(
        "c.json",
        #"{"database":"sqlite:a.db","rate":{"perSecond":1e6,"burst":1e6},"accounts":{"secretKeysFile":"keys"}}"#)
      let store = try ServedStore(["--config", settings])
      defer { store.program.kill() }
      let token = try #require(store.token)
      // After a tenth, everything that is made once exists.
      var statuses = try Self.send(Self.count / 10, seed: 1, port: store.port, token)
      let settled = try store.memoryKiB()
      statuses.merge(try Self.send(Self.count - Self.count / 10, seed: 2, port: store.port, token)) { $0 + $1 }
      let after = try store.memoryKiB()
      print(
        "\(Self.count) bodies: \(statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }); KiB resident: "
          + "\(settled) after a tenth, \(after) after all")
      #expect(statuses.values.reduce(0, +) == Self.count)
      #expect(statuses.keys.allSatisfy { (200..<500).contains($0) }, "\(statuses)")
      for status in [400, 403, 422] { #expect(statuses[status, default: 0] > 0, "\(status): \(statuses)") }
      #expect(after - settled <= 32 << 10)
      #expect(!store.program.errorLines.contains { $0.hasPrefix("fleetstore: error: ") })
      #expect(try LoadSocket(port: store.port).get("/api/people", key: token).contains(" 200 "))
    }
  }

  /// Sends bodies from many addresses of this machine, so that the limit of one address refuses none of them.
  ///
  /// - Returns: for each status, the number of answers with it.
  private static func send(_ count: Int, seed: UInt64, port: Int, _ token: String) throws -> [Int: Int] {
    var statuses: [Int: Int] = [:]
    var bodies = FuzzedAccountBodies(seed: seed)
    var socket: LoadSocket?
    for number in 0..<count {
      // An address may send 200 requests without a key at once. A refused body may also end the connection.
      if number % 150 == 0 || socket?.isOpen != true {
        socket = try LoadSocket(port: port, from: UInt32(seed) << 16 | UInt32(number / 150 + 1))
      }
      let (method, path, body) = bodies.next()
      let answer = try #require(socket).send(
        method, path, key: path.hasPrefix("/api/auth") ? nil : token, body,
        "Content-Type: \(method == "PATCH" ? "application/merge-patch+json" : "application/json")\r\n"
          + "If-Match: *\r\nOrigin: http://x\r\n")
      statuses[Int(answer.dropFirst(9).prefix(3)) ?? 0, default: 0] += 1
    }
    return statuses
  }
}

/// Bodies for the routes of accounts, most of them damaged. The sequence is the same in every run.
struct FuzzedAccountBodies {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  private static let id = "019df1ae-d0b8-77f9-984c-48485e5379a9"
  /// Routes, each with a body of the right form.
  private static let routes: [(String, String, String)] = [
    ("POST", "/api/auth/login", #"{"email":"ann@example.org","password":"a wrong one","tenant":"default"}"#),
    ("POST", "/api/auth/factor", #"{"ticket":"fsl_default.00","kind":"totp","code":"123456"}"#),
    ("POST", "/api/auth/factor", #"{"ticket":"fsl_default.00","assertion":\#(credential)}"#),
    ("POST", "/api/auth/factor/code", #"{"ticket":"fsl_default.00"}"#),
    ("POST", "/api/auth/token", #"{"grant":"password","email":"ann@example.org","password":"a wrong one"}"#),
    ("POST", "/api/auth/token", #"{"grant":"refresh","refreshToken":"fsr_default/\#(id).00"}"#),
    ("POST", "/api/auth/setup", #"{"token":"fsl_default.00","password":"p","email":"a@b.example","firstName":"A"}"#),
    ("POST", "/api/auth/reset", #"{"token":"fsl_default.00","password":"p"}"#),
    ("POST", "/api/auth/recover", #"{"email":"ann@example.org","tenant":"default"}"#),
    ("POST", "/api/auth/passkeys/assertion", #"{"tenant":"default"}"#),
    ("POST", "/api/auth/passkeys/login", #"{"credential":\#(credential),"session":"cookie"}"#),
    (
      "POST", "/api/people",
      #"{"email":"x@example.org","firstName":"X","lastName":"Y","roles":["viewer"],"scope":"all"}"#
    ),
    ("PATCH", "/api/people/\(id)", #"{"firstName":"Z","roles":["admin"],"scope":["\#(id)"],"locale":"de-AT"}"#),
    ("POST", "/api/factors", #"{"kind":"totp","name":"Phone"}"#),
    ("POST", "/api/factors/\(id)/confirm", #"{"code":"123456"}"#),
    ("POST", "/api/auth/password", #"{"password":"a wrong one","newPassword":"another wrong one"}"#),
    ("POST", "/api/tokens", #"{"role":"viewer","label":"x","scope":["\#(id)"],"expiresAt":"2027-01-01T00:00:00Z"}"#),
  ]
  private static let credential =
    #"{"id":"x","type":"public-key","rawId":"AQID","response":{"clientDataJSON":"e30","authenticatorData":"AAAA","signature":"AAAA","userHandle":"AAAA","attestationObject":"o2NmbXRkbm9uZQ"}}"#

  mutating func next() -> (method: String, path: String, body: [UInt8]) {
    let (method, path, text) = Self.routes[Int.random(in: 0..<Self.routes.count, using: &random)]
    var body = Array(text.utf8)
    for _ in 0..<Int.random(in: 0...4, using: &random) where !body.isEmpty {
      let place = Int.random(in: 0..<body.count, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: body[place] = UInt8.random(in: 0...255, using: &random)
      case 1: body.remove(at: place)
      case 2: body.removeSubrange(place...)
      case 3: body += body[..<place]
      // Another value in place of one.
      case 4, 5:
        guard let start = body[place...].firstIndex(of: UInt8(ascii: ":")) else { continue }
        let end = body[start...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? body.count
        body.replaceSubrange((start + 1)..<end, with: Self.values.randomElement(using: &random) ?? [])
      default: body.insert(contentsOf: Self.values.randomElement(using: &random) ?? [], at: place)
      }
    }
    return (method, path, body)
  }

  private static let values: [[UInt8]] =
    [
      "null", "true", "[]", "{}", "-1", "1e999", "99999999999999999999", #""""#, #""\u0000""#, #""\ud800""#,
      #""\u202e\u200b""#, #"["admin","admin"]"#, #"{"a":{"a":{"a":{}}}}"#, #""' OR 1=1 --""#,
      "\"" + String(repeating: "a", count: 2_000) + "\"", "\"" + String(repeating: "é", count: 300) + "\"",
      String(repeating: "[", count: 200),
    ].map { Array($0.utf8) } + [[0xFF, 0xFE], [0x22, 0xC0, 0x80, 0x22]]
}

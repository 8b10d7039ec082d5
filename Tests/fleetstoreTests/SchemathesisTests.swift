import TestKit
import Testing

@testable import FleetstoreTestKit

/// schemathesis (PyPI), an independent reader of `openapi.json`, sends valid and invalid requests.
@Suite struct SchemathesisTests {
  @Test func responses_conform_to_the_OpenAPI_description() async throws {
    // It would revoke the token: identifiers of lists are sent, too.
    // Schemathesis cannot generate bodies of the type of tus.
    try await Self.run(without: ["revokeToken", "appendToFile"]) { store, _ in try #require(store.token) }
  }

  /// A person's session reaches the routes of accounts, which refuse tokens.
  @Test func responses_to_people_conform_to_the_OpenAPI_description() async throws {
    try await Self.run(
      ["--include-path-regex", "^/api/(auth|factors|identities|notifications|people|recovery-codes|sessions)"],
      // They would end the session.
      without: ["signOut", "revokeSession"]
    ) { store, settings in
      let link = try FleetstoreProgram.run(["setup", "--config", settings], in: "/").output
      let token = link.split(separator: "#").last?.trimmingCharacters(in: .newlines) ?? ""
      let (email, password) = ("ann@example.org", "correct horse battery")
      let socket = try LoadSocket(port: store.port)
      func post(_ path: String, _ body: String) throws -> String {
        try socket.send(
          "POST", path, key: nil, Array(body.utf8), "Content-Type: application/json\r\nOrigin: http://x\r\n")
      }
      let made = try post(
        "/api/auth/setup",
        #"{"token":"\#(token)","password":"\#(password)","email":"\#(email)","firstName":"A","lastName":"L"}"#)
      #expect(made.contains(" 200 "), "\(made)")
      let granted = try post(
        "/api/auth/token", #"{"grant":"password","email":"\#(email)","password":"\#(password)"}"#)
      let range = try #require(granted.range(of: #""accessToken":""#), "\(granted)")
      return String(granted[range.upperBound...].prefix { $0 != "\"" })
    }
  }

  /// - Parameters:
  ///   - selection: arguments that select operations.
  ///   - left: ids of operations that are not tested.
  ///   - makeToken: returns the token that is sent with the requests.
  private static func run(
    _ selection: [String] = [], without left: [String],
    _ makeToken: @escaping @Sendable (ServedStore, String) throws -> String
  ) async throws {
    let schemathesis = try Tool.required("schemathesis")
    try await runBlocking {
      let scratch = try ScratchFolder()
      try scratch.writeSecret("keys", String(repeating: "7", count: 64) + "\n")
      let settings = try scratch.write(
        "c.json",
        #"{"database":"sqlite:a.db","rate":{"perSecond":1e6,"burst":1e6},"accounts":{"secretKeysFile":"keys"}}"#)
      let store = try ServedStore(["--config", settings])
      defer { store.program.kill() }
      let token = try makeToken(store, settings)
      // A body that violates the schema may be rejected because of its `If-Match` (412), too. The other status codes are
      // the default.
      let file = try scratch.write(
        "s.toml",
        """
        headers = { Authorization = "Bearer ${FLEETSTORE_TOKEN}" }
        [checks]
        negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 415, 422, 428, 429, "5xx"]

        """)
      // A schema cannot express all rules, for example those of fences and cursors. Texts that it allows may therefore
      // be rejected.
      let result = try Tool.run(
        schemathesis,
        [
          "--config-file", file, "run", "http://127.0.0.1:\(store.port)/api/openapi.json", "--phases",
          "coverage,fuzzing", "--max-examples", "5", "--exclude-checks", "positive_data_acceptance",
          "--continue-on-failure", "--no-color", "--seed", "1", "--request-timeout", "120",
        ] + selection + left.flatMap { ["--exclude-operation-id", $0] }, environment: ["FLEETSTORE_TOKEN": token],
        directory: scratch.path, limit: .seconds(900))
      let failures = result.output.range(of: " FAILURES ").map { result.output[$0.lowerBound...].prefix(6_000) }
      #expect(result.status == 0, "\(failures ?? result.output.suffix(6_000))")
      let counts = try #require(
        result.output.firstMatch(of: #/Selected: (\d+)/(\d+)\s+Tested: (\d+)/#), "\(result.output.suffix(2_000))")
      #expect(counts.3 == counts.1 && (Int(counts.3) ?? 0) > (selection.isEmpty ? 90 : 30))
      if selection.isEmpty { #expect(Int(counts.1) == Int(counts.2).map { $0 - left.count }) }
      // The token is still valid.
      #expect(try LoadSocket(port: store.port).get("/api/vehicles", key: token).contains(" 200 "))
      // The log contains no error either.
      #expect(!store.program.errorLines.contains { $0.hasPrefix("fleetstore: error: ") })
    }
  }
}

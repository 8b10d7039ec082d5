import TestKit
import Testing

@testable import FleetstoreTestKit

/// schemathesis (PyPI), an independent reader of `openapi.json`, sends valid and invalid requests.
@Suite struct SchemathesisTests {
  @Test func responses_conform_to_the_OpenAPI_description() async throws {
    let schemathesis = try Tool.required("schemathesis")
    try await aside {
      let scratch = try ScratchFolder()
      let settings = try scratch.write("c.json", #"{"database":"sqlite:a.db","rate":{"perSecond":1e6,"burst":1e6}}"#)
      let store = try ServedStore(["--config", settings])
      defer { store.program.kill() }
      let token = try #require(store.token)
      let file = try scratch.write("s.toml", "headers = { Authorization = \"Bearer ${FLEETSTORE_TOKEN}\" }\n")
      // A schema cannot express all rules, for example those of fences and cursors. Texts that it allows may therefore
      // be rejected.
      let result = try Tool.run(
        schemathesis,
        [
          "--config-file", file, "run", "http://127.0.0.1:\(store.port)/api/openapi.json", "--phases",
          "coverage,fuzzing", "--max-examples", "5", "--exclude-checks", "positive_data_acceptance",
          "--continue-on-failure", "--no-color", "--seed", "1", "--request-timeout", "120",
        ], environment: ["FLEETSTORE_TOKEN": token], directory: scratch.path, limit: .seconds(900))
      #expect(result.status == 0, "\(result.output.suffix(6_000))")
      let counts = try #require(
        result.output.firstMatch(of: #/Selected: (\d+)/(\d+)\s+Tested: (\d+)/#), "\(result.output.suffix(2_000))")
      #expect(counts.1 == counts.2 && counts.3 == counts.2 && (Int(counts.3) ?? 0) > 90)
      // The log contains no error either.
      #expect(!store.program.errorLines.contains { $0.hasPrefix("fleetstore: error: ") })
    }
  }
}

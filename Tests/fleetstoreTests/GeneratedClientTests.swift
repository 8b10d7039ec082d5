import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// A client that a public generator makes from `openapi.json` (openapi-python-client, PyPI) compiles and works.
@Suite struct GeneratedClientTests {
  @Test func a_client_made_from_the_description_compiles_and_works() async throws {
    let generator = try Tool.required("openapi-python-client")
    let python = try Tool.python(with: "httpx")
    try await runBlocking {
      let scratch = try ScratchFolder()
      let store = try ServedStore(["--database", "sqlite:\(scratch.file("a.db"))"])
      defer { store.program.kill() }
      let description = try scratch.write("openapi.json", try store.request("/api/openapi.json", token: nil))
      // The generator warns of a part that it cannot read. In this test, a warning is an error.
      let made = try Tool.run(
        generator,
        [
          "generate", "--path", description, "--meta", "none", "--output-path", scratch.file("fleet_client"),
          "--config",
          TestData.projectRoot + "/Tests/Support/generated-client.yaml", "--fail-on-warning",
        ],
        // The generator formats the client with ruff, which is installed in the same folder.
        environment: ["PATH": (generator as NSString).deletingLastPathComponent + ":/usr/bin:/bin"],
        limit: .seconds(300))
      try #require(made.status == 0, "\(made.output)\(made.errors)")
      let used = try Tool.run(
        python,
        [
          TestData.projectRoot + "/Tests/Support/generated-client.py", scratch.path, "http://127.0.0.1:\(store.port)",
          try #require(store.token),
        ], limit: .seconds(120))
      #expect(used.status == 0, "\(used.output)\(used.errors)")
      #expect(used.output.contains("the client works"))
    }
  }
}

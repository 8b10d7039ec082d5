import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// fleetstore.schema.json accepts exactly the configurations that `fleetstore` accepts; its defaults are those of the
/// program.
@Suite struct ServerSchemaTests {
  @Test func the_schema_and_the_server_take_and_refuse_the_same() async throws {
    let program = try Tool.fleetstore
    let python = try Tool.python(with: "jsonschema")
    try await runBlocking {
      let scratch = try ScratchFolder()
      try scratch.writeSecret("metrics.token", String(repeating: "x", count: 40) + "\n")
      try scratch.writeSecret("secret.keys", String(repeating: "7", count: 64) + "\n")
      try scratch.writeSecret("password", "secret\n")
      try scratch.writeSecret("mail.password", "secret\n")
      try scratch.writeSecret("database.password", "secret\n")
      let certificates = try Certificates()
      try certificates.write("server", in: scratch)
      try certificates.write("client", in: scratch)
      try FileManager.default.copyItem(atPath: certificates.authority, toPath: scratch.file("ca.pem"))
      let ran = try Tool.run(
        python,
        [
          TestData.projectRoot + "/Tests/Support/schema-agreement.py", TestData.projectRoot,
          TestData.projectRoot + "/fleetstore.schema.json", scratch.path, program, "serve", "--check", "--config",
        ], limit: .seconds(600))
      #expect(ran.status == 0, "\(ran.errors)")
      let said = try JSONSerialization.jsonObject(with: Data(ran.stdout)) as? [String: Int]
      #expect(try #require(said?["cases"]) > 500)
    }
  }
}

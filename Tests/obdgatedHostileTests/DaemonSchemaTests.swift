import Foundation
import TestKit
import Testing

/// config.schema.json accepts exactly the configurations that `obdgated` accepts.
@Suite struct DaemonSchemaTests {
  @Test func the_schema_and_the_daemon_take_and_refuse_the_same() async throws {
    let program = try Tool.obdgated
    let python = try Tool.python(with: "jsonschema")
    try await runBlocking {
      let scratch = try ScratchFolder()
      // The configurations of this project.
      let fence =
        #"{"type":"Feature","properties":{"id":"home","radius":50},"geometry":{"type":"Point","coordinates":[9,48]}}"#
      try scratch.write("fences.geojson", #"{"type":"FeatureCollection","features":[\#(fence)]}"#)
      try scratch.write("Ford-F-150.json", #"{"commands":[]}"#)
      // The files that they name. The program checks these, too.
      try scratch.writeSecret("obdlink.pin", "1234\n")
      try scratch.writeSecret("token", String(repeating: "x", count: 40) + "\n")
      try scratch.writeSecret("user", "gateway\n")
      try scratch.writeSecret("password", "secret\n")
      let certificates = try Certificates()
      try certificates.write("client", in: scratch)
      try FileManager.default.copyItem(atPath: certificates.authority, toPath: scratch.file("ca.pem"))
      let ran = try Tool.run(
        python,
        [
          TestData.projectRoot + "/Tests/Support/schema-agreement.py", TestData.projectRoot,
          TestData.projectRoot + "/config.schema.json", scratch.path, program, "--check", "--config",
        ], limit: .seconds(600))
      #expect(ran.status == 0, "\(ran.errors)")
      let said = try JSONSerialization.jsonObject(with: Data(ran.stdout)) as? [String: Int]
      #expect(try #require(said?["cases"]) > 1_000)
    }
  }
}

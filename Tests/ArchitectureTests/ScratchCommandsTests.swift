import Foundation
import TestKit
import Testing

/// Runs the commands that pages show under ```` ```sh scratch ````, for each page in order, in a folder with the files that
/// they name.
@Suite struct ScratchCommandsTests {
  static let pages = (try? DocumentedCommands.all(.scratch)) ?? []

  @Test(arguments: pages)
  func every_documented_command_succeeds(_ page: DocumentedCommands) async throws {
    for program in ["sqlite3", "openssl"] { try Tool.required(program) }
    try await runBlocking {
      let scratch = try ScratchFolder()
      var environment: [String: String] = [:]
      for text in page.json where text.contains("kwpFast") { try scratch.write("kwp.json", text) }
      for text in page.json where text.contains("\"tls\"") { try Self.writeStore(text, in: scratch) }
      if page.script.contains("postgres://") {
        let server = try PostgreSQLServer.shared
        try server.sql("CREATE DATABASE fleet", in: "postgres")
        // Connect to this server, regardless of the host in the address.
        environment = ["PGHOSTADDR": "127.0.0.1", "PGPORT": "\(server.port)"]
      }
      let ran = try page.run(in: scratch.path, environment: environment)
      #expect(ran.status == 0, "\(page): \(ran.output)\(ran.errors)")
    }
  }

  @Test func script_reports_the_reason_if_it_cannot_create_a_file() throws {
    let script = TestData.projectRoot + "/Tests/Support/documented-commands.sh"
    let ran = try Tool.run("bash", [script, "echo 1"], environment: ["TMPDIR": "/nonexistent", "LC_ALL": "C"])
    #expect(ran.status == 70 && ran.output.isEmpty)
    #expect(ran.errors.contains("No such file or directory"), "\(ran.errors)")
  }

  /// Writes the page's sample of a server configuration, with a free port, and the files that it names.
  private static func writeStore(_ sample: String, in scratch: borrowing ScratchFolder) throws {
    try scratch.write("store.json", sample.replacing("127.0.0.1:9464", with: "127.0.0.1:0"))
    let certificates = try Certificates()
    // The files of the certificates are deleted when this object is released.
    defer { withExtendedLifetime(certificates) {} }
    try certificates.write("server", in: scratch)
    for (name, secret) in [
      ("metrics.token", String(repeating: "x", count: 40)), ("secret.keys", String(repeating: "7", count: 64)),
    ] {
      let path = try scratch.write(name, secret + "\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
  }
}

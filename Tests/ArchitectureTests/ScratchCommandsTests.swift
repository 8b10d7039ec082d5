import Foundation
import TestKit
import Testing

/// The commands that pages show under ```` ```sh scratch ````: in a folder that has the files which they name, each page's
/// in their order.
@Suite struct ScratchCommandsTests {
  static let pages = (try? DocumentedCommands.all(.scratch)) ?? []

  @Test(arguments: pages)
  func every_command_does_what_it_should(_ page: DocumentedCommands) async throws {
    for program in ["sqlite3", "openssl"] { try Tool.required(program) }
    try await aside {
      let scratch = try ScratchFolder()
      var environment: [String: String] = [:]
      for text in page.json where text.contains("kwpFast") { try scratch.write("kwp.json", text) }
      for text in page.json where text.contains("\"tls\"") { try Self.writeStore(text, in: scratch) }
      if page.script.contains("postgres://") {
        let server = try PostgreSQLServer.shared
        try server.sql("CREATE DATABASE fleet", in: "postgres")
        // Whatever host an address names is that one.
        environment = ["PGHOSTADDR": "127.0.0.1", "PGPORT": "\(server.port)"]
      }
      let ran = try page.run(in: scratch.path, environment: environment)
      #expect(ran.status == 0, "\(page): \(ran.output)\(ran.errors)")
    }
  }

  /// The sample of the server's configuration with the files that it names; only its port is another one.
  private static func writeStore(_ sample: String, in scratch: borrowing ScratchFolder) throws {
    try scratch.write("store.json", sample.replacing("127.0.0.1:9464", with: "127.0.0.1:0"))
    let certificates = try Certificates()
    // Its files go with it.
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

import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The commands in ```` ```sh store ```` blocks of the documentation, run with a store on an empty SQLite file.
@Suite struct StoreCommandsTests {
  static let pages = (try? DocumentedCommands.all(.store)) ?? []

  @Test(arguments: pages)
  func records_sent_to_the_printed_address_are_stored(_ page: DocumentedCommands) async throws {
    for program in ["curl", "zstd"] { try Tool.required(program) }
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = ["--database", "sqlite:\(scratch.file("fleet.db"))"]
      let store = try ServedStore(database)
      defer { store.program.kill() }
      try scratch.writeSecret(
        "key", try FleetstoreProgram.run(["gateway", "add", "replay"] + database, in: "/").output)
      // The page's address is used, but another port answers it.
      try scratch.write(".curlrc", "connect-to = \"127.0.0.1:8080:127.0.0.1:\(store.port)\"\n")
      try FileManager.default.createSymbolicLink(
        atPath: scratch.file("drive.capture"), withDestinationPath: TestData.projectRoot + "/captures/drive.capture")
      let ran = try page.run(in: scratch.path, environment: ["CURL_HOME": scratch.path])
      #expect(ran.status == 0 && ran.output.contains(#""refused":0"#), "\(page): \(ran.output)")
      #expect(try store.request("/api/vehicles", token: store.token).contains("VF3M45GFRLS031759"))
    }
  }
}

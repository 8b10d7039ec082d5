import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetStorage

@Suite struct SQLiteServerFileTests {
  @Test func a_second_server_is_refused_until_the_first_has_ended() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("fleet.db")
    let first = try StoredFleet(sqlite: path, as: .server)
    // The file is also locked under another name.
    try FileManager.default.createSymbolicLink(atPath: folder.file("link.db"), withDestinationPath: path)
    for path in [path, folder.file("link.db")] {
      let error = #expect(throws: StorageError.self) { try StoredFleet(sqlite: path, as: .server) }
      #expect(error?.kind == .inUse)
      #expect(error?.description.contains("served already by process \(getpid())") == true, "\(error as Any)")
    }
    // Commands can run at the same time.
    let command = try StoredFleet(sqlite: path, as: .command)
    _ = try await command.addGateway(
      "gw-1", allowedVehicles: [], key: Sample.secret(1), tenant: .standard, at: Sample.now)
    await command.close()
    #expect(try await first.gateway("gw-1", tenant: .standard) != nil)
    await first.close()
  }

  @Test func the_next_server_reads_what_an_earlier_one_wrote_to_the_file() throws {
    let folder = try ScratchFolder()
    let database = try folder.write("fleet.db", "")
    let contents = SQLiteServerFile.Contents(store: Array(0..<16), inode: .max, changes: 17, changesOfCommands: 18)
    var file: SQLiteServerFile? = try SQLiteServerFile(of: database)
    #expect(file?.contents == nil)
    try file?.write(contents)
    #expect(file?.contents == contents)
    file?.record(.max, of: .server)
    file?.record(0, of: .command)
    file = nil
    let next = try SQLiteServerFile(of: database)
    #expect(next.contents == .init(store: Array(0..<16), inode: .max, changes: .max, changesOfCommands: 0))
    // Files of earlier versions have no line for commands.
    let text = try String(contentsOfFile: next.path, encoding: .utf8)
    try text.split(separator: "\n").dropLast().joined(separator: "\n").write(
      toFile: next.path, atomically: false, encoding: .utf8)
    #expect(next.contents == .init(store: Array(0..<16), inode: .max, changes: .max, changesOfCommands: .max))
    // A file of another program has no effect.
    try Data("nonsense".utf8).write(to: URL(fileURLWithPath: next.path))
    #expect(next.contents == nil)
  }

  @Test(arguments: Kind.allCases)
  func a_command_makes_no_database(_ kind: Kind) async throws {
    let folder = try ScratchFolder()
    var address = folder.file("fleat.db")
    if kind == .postgreSQL {
      let server = try await runBlocking({ try PostgreSQLServer.shared })
      address = try await runBlocking { try server.database() }
    }
    for _ in 0..<2 {
      let error = await #expect(throws: StorageError.self) {
        switch kind {
        case .sqlite: _ = try StoredFleet(sqlite: address, as: .command)
        case .postgreSQL: _ = try await StoredFleet(postgreSQL: address, as: .command)
        }
      }
      #expect(error?.kind == .noDatabase)
    }
    if kind == .sqlite { #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty) }
    let made = try await kind.open(address)
    await made.close()
  }
}

import FleetStorage
import FleetstoreTestKit
import Foundation
import TestKit

extension Database {
  /// Creates an empty fleet store and opens it.
  public func emptyStore(in folder: borrowing ScratchFolder) async throws -> StoredFleet {
    try await open(emptyDatabase(in: folder))
  }

  /// Creates an empty fleet store. It is a copy of a store that is made once in a test run, because most tests take
  /// less time than making the tables. All copies have the same key of cursors.
  ///
  /// - Returns: the path of a SQLite file, or the connection URI of a PostgreSQL database.
  public func emptyDatabase(in folder: borrowing ScratchFolder) async throws -> String {
    switch self {
    case .sqlite:
      let file = folder.file("fleet.db")
      try await Templates.shared.sqlite.write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
      return file
    case .postgreSQL:
      // This skips the current test if PostgreSQL is not installed.
      let server = try await runBlocking { try PostgreSQLServer.shared }
      let template = try await Templates.shared.postgreSQL
      return try await runBlocking { try server.database(copying: template) }
    }
  }

  /// Opens a store that ``emptyDatabase(in:)`` has created. Several can be open at a time, as those of several
  /// processes would be.
  public func open(_ address: String) async throws -> StoredFleet {
    switch self {
    case .sqlite: try StoredFleet(sqlite: address)
    case .postgreSQL: try await StoredFleet(postgreSQL: address)
    }
  }
}

/// The empty stores that tests copy. Each is made when the first test needs it.
private actor Templates {
  static let shared = Templates()

  private var file: Task<Data, any Error>?
  private var database: Task<String, any Error>?

  /// The content of a SQLite file.
  var sqlite: Data {
    get async throws {
      let task =
        file
        ?? Task {
          let folder = try ScratchFolder()
          let path = folder.file("fleet.db")
          // The last connection writes everything into the file when it is closed.
          await (try StoredFleet(sqlite: path)).close()
          return try Data(contentsOf: URL(fileURLWithPath: path))
        }
      file = task
      return try await task.value
    }
  }

  /// The connection URI of a database of the server that tests share.
  var postgreSQL: String {
    get async throws {
      let task =
        database
        ?? Task {
          let address = try await runBlocking { try PostgreSQLServer.shared.database() }
          await (try StoredFleet(postgreSQL: address)).close()
          return address
        }
      database = task
      return try await task.value
    }
  }
}

import TestKit
import Testing

/// The databases with which `fleetstore` works.
public enum Database: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite, postgreSQL

  public var testDescription: String { rawValue }

  /// Returns the address of a new database, as a configuration has it: a SQLite file that does not exist yet, or an
  /// empty PostgreSQL database. If PostgreSQL is not installed, the current test is skipped.
  public func address(in folder: borrowing ScratchFolder) throws -> String {
    switch self {
    case .sqlite: "sqlite:\(folder.file("fleet.db"))"
    case .postgreSQL: try PostgreSQLServer.shared.database()
    }
  }
}

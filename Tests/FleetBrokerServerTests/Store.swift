import FleetDomain
import FleetStorage
import FleetStorageTestKit
import Telemetry
import TestKit

/// An empty store in a SQLite file.
struct Store {
  let storage: StoredFleet
  let address: String

  static func with(_ body: (Store) async throws -> Void) async throws {
    let folder = try ScratchFolder()
    let store = Store(storage: try StoredFleet(sqlite: folder.file("fleet.db")), address: folder.file("fleet.db"))
    do {
      try await body(store)
    } catch {
      await store.storage.close()
      throw error
    }
    await store.storage.close()
  }

  /// Returns the values of `rpm` in all telemetry of a vehicle, sorted, so that duplicates are visible; empty for an
  /// unknown vehicle.
  func numbers(_ vehicle: String) async throws -> [Int] {
    guard try await storage.vehicle(vehicle, tenant: .standard) != nil else { return [] }
    var query = RecordQuery.telemetry(of: vehicle)
    var numbers: [Int] = []
    while true {
      let page = try await storage.records(query, tenant: .standard)
      for record in page.items {
        let text = String(decoding: record.body, as: UTF8.self)
        guard let range = text.firstRange(of: "\"rpm\":") else { continue }
        numbers.append(Int(text[range.upperBound...].prefix { $0.isNumber }) ?? -1)
      }
      guard let next = page.next else { return numbers.sorted() }
      query.cursor = next
    }
  }
}

extension Store {
  /// Starts another program that locks the database until it is killed.
  func locked() async throws -> RunningProgram {
    try await runBlocking { [address] in
      let program = try RunningProgram(
        "bash",
        [
          "-c",
          "exec sqlite3 '\(address)' < <(echo 'BEGIN IMMEDIATE; SELECT 1;'; exec tail --pid=$$ -f /dev/null)",
        ])
      try program.line(within: .seconds(60)) { $0 == "1" }
      return program
    }
  }

  /// Makes the database reject records for which this condition holds (SQL, of `NEW`); `nil` to accept all.
  func refuse(_ condition: String?) async throws {
    try await runBlocking { [address] in
      let trigger = condition.map {
        "CREATE TRIGGER no BEFORE INSERT ON record WHEN \($0) BEGIN SELECT RAISE(ABORT, 'no'); END;"
      }
      let told = try Tool.run(
        "sqlite3", [address, "PRAGMA busy_timeout = 60000; DROP TRIGGER IF EXISTS no; \(trigger ?? "")"])
      guard told.status == 0 else { throw NotTold(errors: told.errors) }
    }
  }

  struct NotTold: Error {
    let errors: String
  }
}

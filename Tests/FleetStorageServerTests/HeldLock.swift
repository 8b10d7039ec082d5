import Dispatch
import TestKit

@testable import FleetStorage

/// A database that another connection has locked, as long as this value exists.
struct HeldLock {
  private let release = DispatchSemaphore(value: 0)
  private let holder: Task<Void, any Error>

  init(by other: StoredFleet, _ kind: Kind) async throws {
    let (held, release) = (DispatchSemaphore(value: 0), release)
    holder = Task {
      try await other.engine.write { session throws(StoreFailure) in
        // A SQLite file is locked as a whole.
        if kind == .postgreSQL { try session.run("LOCK TABLE vehicle", []) }
        held.signal()
        release.wait()
      }
    }
    try await runBlocking { held.wait() }
  }

  func end() async throws {
    release.signal()
    try await holder.value
  }
}

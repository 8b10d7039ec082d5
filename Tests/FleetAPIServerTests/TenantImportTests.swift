import FleetDomain
import FleetStorage
import FleetStorageTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Archives that are read in part.
@Suite struct TenantImportTests {
  @Test func an_interrupted_import_continues_only_with_the_same_archive() async throws {
    let scratch = try ScratchFolder()
    let (first, second) = (
      try StoredFleet(sqlite: scratch.file("a.db")), try StoredFleet(sqlite: scratch.file("b.db"))
    )
    let now = Timestamp(nanoseconds: 1_795_219_200_000_000_000)
    for number in 0..<10 { try await first.addVehicle("VAN-\(number)", tenant: .standard, at: now) }
    func lines() async throws -> [[UInt8]] {
      var bytes: [UInt8] = []
      try await TenantExport(storage: first, tenant: .standard, contents: nil).write(at: now) { bytes += $0 }
      return bytes.split(separator: 0x0A).map(Array.init)
    }
    func read(_ lines: some Sequence<[UInt8]>, isCheck: Bool = false) async throws -> TenantImport {
      var work = TenantImport(storage: second, tenant: nil, contents: nil, isCheck: isCheck)
      for line in lines { try await work.add(line) }
      return work
    }
    let (archive, other) = (try await lines(), try await lines())
    // A check stores nothing.
    var check = try await read(other, isCheck: true)
    _ = try await check.finish()
    _ = try await read(archive.prefix(archive.count / 2))
    let error = await #expect(throws: StorageError.self) { _ = try await read(other) }
    #expect(error?.description.contains("another archive was imported") == true)
    var work = try await read(archive)
    #expect(try await work.finish().rows > 10)
    #expect(try await second.vehicles(cursor: nil, limit: 100, tenant: .standard).items.count == 10)
    await first.close()
    await second.close()
  }

  /// A database with two stores of the same gateway, for example because an archive is imported beside its tenant.
  @Test(arguments: TestServer.Database.allCases)
  func a_key_of_another_tenant_is_refused_before_anything_is_stored(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      let now = Timestamp(nanoseconds: 1_795_219_200_000_000_000)
      _ = try await storage.addVehicle("VAN-900", tenant: .standard, at: now)
      var bytes: [UInt8] = []
      try await TenantExport(storage: storage, tenant: .standard, contents: nil).write(at: now) { bytes += $0 }
      let lines = bytes.split(separator: 0x0A).map(Array.init)
      let copy = try #require(TenantID("copy"))
      func check(_ lines: [[UInt8]]) async throws -> FieldError? {
        var work = TenantImport(storage: storage, tenant: copy, contents: nil, isCheck: true)
        do {
          for line in lines { try await work.add(line) }
          _ = try await work.finish()
        } catch let error as FieldError {
          return error
        }
        return nil
      }
      let error = try #require(try await check(lines))
      #expect(["gateway.secret", "token.secret"].contains(error.path), "\(error)")
      #expect(error.message.contains("tenant default"), "\(error)")
      #expect(try await !storage.tenants().map(\.id).contains(copy))
    }
  }
}

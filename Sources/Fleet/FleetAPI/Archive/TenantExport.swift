import FleetDomain
import Synchronization
import Telemetry

/// Writes the archive of a tenant: everything that belongs to it, as ``FleetDomain/ArchiveLine`` describes.
///
///     try await TenantExport(storage: storage, tenant: .standard).write(at: now) { bytes in … }
///
/// All things belong to one moment. Records that are stored while the archive is written may be missing.
public struct TenantExport: Sendable {
  private let storage: any FleetStorage
  private let tenant: TenantID

  /// The number of records that are read at once.
  private static let pageCount = 1_000

  public init(storage: any FleetStorage, tenant: TenantID) {
    self.storage = storage
    self.tenant = tenant
  }

  /// Writes the archive.
  ///
  /// - Parameter write: receives whole lines, some kilobytes at a time.
  /// - Returns: the numbers of rows and records.
  @discardableResult
  public func write(
    at now: Timestamp, _ write: ([UInt8]) async throws -> Void
  ) async throws -> (rows: Int64, records: Int64) {
    let schema = try await storage.health().schemaVersion
    let head = ArchiveHead(id: .random(at: now), schema: Int64(schema), tenant: tenant, time: now)
    try await write(ArchiveLine.head(head).text)

    // Write the rows to a file first, because a slow reader of the archive must not delay the database.
    let file = try ScratchFile()
    let rows = Mutex<Int64>(0)
    try await storage.exportRows(of: ArchiveTable.all, tenant: tenant) { row throws(StorageError) in
      switch row {
      case .start:
        try file.clear()
        rows.withLock { $0 = 0 }
      case .table(let table): try file.append(ArchiveLine.table(table.name, columns: table.columns.map(\.name)).text)
      case .row(let values):
        try file.append(ArchiveLine.row(values).text)
        rows.withLock { $0 += 1 }
      }
    }
    try file.rewind()
    while let piece = try file.next() { try await write(piece) }

    let records = try await writeRecords(write)
    let count = rows.withLock { $0 }
    try await write(ArchiveLine.end(rows: count, records: records).text)
    return (count, records)
  }

  private func writeRecords(_ write: ([UInt8]) async throws -> Void) async throws -> Int64 {
    let vehicles = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.values(["id"], ThingQuery<Vehicle>(order: [.init("id")])).compactMap { $0[0].textValue }
    }
    let gateways = try await storage.gatewaysWithRecords(tenant: tenant)
    var total: Int64 = 0
    for (name, isGateway) in vehicles.map({ ($0, false) }) + gateways.map({ ($0, true) }) {
      try await write(ArchiveLine.vehicle(name).text)
      var query = RecordQuery(
        vehicle: isGateway ? nil : name, gateway: isGateway ? name : nil, classes: RecordClass.allCases,
        order: .oldestFirst, limit: Self.pageCount)
      repeat {
        let page: Page<StoredRecord>
        do throws(StorageError) {
          page = try await storage.records(query, tenant: tenant)
        } catch {
          // The vehicle was removed meanwhile.
          if error.kind == .notFound { break }
          throw error
        }
        var lines: [UInt8] = []
        // The own records of gateways follow under the gateways, so those attributed to a vehicle are left out here.
        let records = page.items.filter { $0.attributedFrom == nil }
        for record in records {
          lines += ArchiveLine.record(received: record.receivedAt?.milliseconds, body: record.body).text
        }
        if !lines.isEmpty { try await write(lines) }
        total += Int64(records.count)
        query.cursor = page.next
      } while query.cursor != nil
    }
    return total
  }
}

import FleetDomain
import FleetFiles
import Synchronization
import Telemetry

/// Writes the archive of a tenant: everything that belongs to it, as ``FleetDomain/ArchiveLine`` describes.
///
///     try await TenantExport(storage: storage, tenant: .standard).write(at: now) { bytes in … }
///
/// The archive contains all things (vehicles, people and so on) in their state at one moment. Records that are stored
/// while the archive is written may be missing.
public struct TenantExport: Sendable {
  private let storage: any FleetStorage
  private let tenant: TenantID
  private let contents: (any FileStore)?

  /// The maximum number of records in one read from the storage.
  private static let pageCount = 1_000

  /// The maximum number of records that are written in one step.
  private static let writtenCount = 50

  /// The maximum number of bytes of a file's content in one line of the archive.
  private static let contentBytes = 64 << 10

  /// - Parameter contents: the store of the contents of files; if `nil`, the archive does not contain them.
  public init(storage: any FleetStorage, tenant: TenantID, contents: (any FileStore)?) {
    self.storage = storage
    self.tenant = tenant
    self.contents = contents
  }

  /// Writes the archive.
  ///
  /// - Parameter write: is called with complete lines, some kilobytes at a time.
  @discardableResult
  public func write(
    at now: Timestamp, _ write: ([UInt8]) async throws -> Void
  ) async throws -> ArchiveCounts {
    let schema = try await storage.health().schemaVersion
    let head = ArchiveHead(id: .random(at: now), schema: Int64(schema), tenant: tenant, time: now)
    try await write(ArchiveLine.head(head).text)

    // Write the rows to a file first. Otherwise, a slow reader of the archive would delay the database.
    let file = try ScratchFile()
    let found = Mutex((rows: Int64(0), table: ArchiveTable.all[0], contents: ArchivedContents()))
    try await storage.exportRows(of: ArchiveTable.all, tenant: tenant) { row throws(StorageError) in
      switch row {
      case .start:
        try file.clear()
        found.withLock { ($0.rows, $0.contents) = (0, ArchivedContents()) }
      case .table(let table):
        try file.append(ArchiveLine.table(table.name, columns: table.columns.map(\.name)).text)
        found.withLock { $0.table = table }
      case .row(let values):
        try file.append(ArchiveLine.row(values).text)
        found.withLock {
          $0.rows += 1
          $0.contents.add(values, of: $0.table.name, columns: $0.table.columns.map(\.name))
        }
      }
    }
    try file.rewind()
    while let piece = try file.next() { try await write(piece) }

    let (rows, names) = found.withLock { ($0.rows, $0.contents.names) }
    let missing = try await writeContents(names, write)
    let records = try await writeRecords(write)
    try await write(ArchiveLine.end(rows: rows, records: records).text)
    return ArchiveCounts(rows: rows, records: records, missingContents: missing)
  }

  /// Writes the contents of files.
  ///
  /// - Returns: the number of contents that are missing in ``contents``.
  private func writeContents(_ names: [String], _ write: ([UInt8]) async throws -> Void) async throws -> Int {
    guard let contents else { return names.count }
    var missing = 0
    for sha256 in names {
      let content: any StoredContent
      do throws(FileError) {
        content = try await contents.open(sha256, tenant: tenant)
      } catch {
        guard case .missing = error else { throw error }
        missing += 1
        continue
      }
      var offset: Int64 = 0
      repeat {
        let bytes = try await content.read(at: offset, count: Self.contentBytes)
        guard !bytes.isEmpty else { throw FileError.system("\(sha256) is shorter than before") }
        offset += Int64(bytes.count)
        try await write(ArchiveLine.content(sha256: sha256, bytes: bytes, isLast: offset >= content.size).text)
      } while offset < content.size
    }
    return missing
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
          // The vehicle was removed after its row was written.
          if error.kind == .notFound { break }
          throw error
        }
        // Omit records that were attributed to the vehicle. They are exported with the gateways that sent them.
        let records = page.items.filter { $0.attributedFrom == nil }
        for start in stride(from: 0, to: records.count, by: Self.writtenCount) {
          var lines: [UInt8] = []
          for record in records[start..<min(start + Self.writtenCount, records.count)] {
            lines += ArchiveLine.record(received: record.receivedAt?.milliseconds, body: record.body).text
          }
          try await write(lines)
          // Let other tasks run, also if `write` does not wait.
          await Task.yield()
        }
        total += Int64(records.count)
        query.cursor = page.next
      } while query.cursor != nil
    }
    return total
  }
}

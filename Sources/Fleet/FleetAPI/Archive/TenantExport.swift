import FleetDomain
import FleetFiles
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
  private let contents: FileStore?

  /// The number of records that are read at once.
  private static let pageCount = 1_000

  /// The number of bytes of a content in one line.
  private static let contentBytes = 64 << 10

  /// - Parameter contents: the contents of files; `nil` to leave them out.
  public init(storage: any FleetStorage, tenant: TenantID, contents: FileStore?) {
    self.storage = storage
    self.tenant = tenant
    self.contents = contents
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

    if let contents { try await writeContents(contents, write) }
    let records = try await writeRecords(write)
    let count = rows.withLock { $0 }
    try await write(ArchiveLine.end(rows: count, records: records).text)
    return (count, records)
  }

  /// Writes the contents that files need, each once. A file that was removed meanwhile has none.
  private func writeContents(
    _ contents: FileStore, _ write: ([UInt8]) async throws -> Void
  ) async throws {
    var query = ThingQuery<StoredFile>(limit: 1_000)
    var done: Set<String> = []
    repeat {
      let wanted = query
      let page = try await storage.view(tenant: tenant) { view throws(ThingError) in try view.list(wanted) }
      for sha256 in page.items.flatMap(\.value.contents) where done.insert(sha256).inserted {
        let content: StoredContent
        do throws(FileError) {
          content = try await contents.open(sha256, tenant: tenant)
        } catch {
          guard case .missing = error else { throw error }
          continue
        }
        var offset: Int64 = 0
        repeat {
          let bytes = try await content.read(at: offset, count: Self.contentBytes)
          offset += Int64(bytes.count)
          try await write(
            ArchiveLine.content(sha256: sha256, bytes: bytes, isLast: bytes.isEmpty || offset >= content.size).text)
          if bytes.isEmpty { break }
        } while offset < content.size
      }
      query.cursor = page.next
    } while query.cursor != nil
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

import Crypto
import FleetDomain
import FleetFiles
import Telemetry

/// Imports the lines of an archive into a tenant.
///
/// Import each archive twice, as below: the first import checks all lines and stores nothing, and the second import
/// stores them. Therefore an archive with an invalid value is never stored in part.
///
///     var check = TenantImport(storage: storage, tenant: nil, contents: files, isCheck: true)
///     while let line = … { try await check.add(line) }
///     try await check.finish()
///     var work = TenantImport(storage: storage, tenant: nil, contents: files)
///     while let line = … { try await work.add(line) }
///     try await work.finish()
public struct TenantImport {
  /// The section of the archive to which the next line belongs: sections follow one another in a fixed order.
  private enum Section {
    case start
    case table(ArchiveTable, columns: [String])
    case records(ofVehicle: String)
    case end(rows: Int64, records: Int64)
  }

  /// The number of rows or records that are stored in one transaction.
  private static let batch = 1_000

  private let storage: any FleetStorage
  private let named: TenantID?
  private let contents: (any FileStore)?
  private let isCheck: Bool
  /// The upload to which the content of the current file is written; `nil` between two contents.
  private var content: (upload: UUIDv7, sha256: String, offset: Int64, piece: (any UploadPiece)?)?
  /// The content that is being checked line by line; `nil` between two contents.
  private var checked: (sha256: String, hash: SHA256)?
  private var head: ArchiveHead?
  private var section = Section.start
  private var rows: [[JSON]] = []
  private var records: [IncomingRecord] = []
  private var auditHead: (number: Int64, hash: [UInt8]) = (0, AuditEntry.firstHash)
  private var counts = ArchiveCounts()
  private var neededContents = ArchivedContents()
  private var readContents: Set<String> = []
  /// The hashes of the keys in the lines that were checked.
  private var secrets: Set<SecretHash> = []

  /// Creates an import.
  ///
  /// - Parameters:
  ///   - tenant: the tenant into which the archive is imported; `nil` for the tenant that the archive names.
  ///   - contents: the store for the contents of files; if `nil`, an archive with contents is rejected.
  ///   - isCheck: whether the lines are only checked, and nothing is stored.
  public init(storage: any FleetStorage, tenant: TenantID?, contents: (any FileStore)?, isCheck: Bool = false) {
    self.storage = storage
    self.contents = contents
    self.isCheck = isCheck
    named = tenant
  }

  /// Adds a line of the archive. `line` must not contain the line feed.
  ///
  /// - Throws: `FieldError` if the line is invalid or not allowed after the previous lines; `StorageError`.
  public mutating func add(_ line: [UInt8]) async throws {
    switch (try ArchiveLine(parsing: line), section) {
    case (.head(let head), .start): try await begin(head)
    case (_, .start): throw FieldError("", "expected the head of an archive")
    case (_, .end): throw FieldError("", "expected nothing after the end of the archive")
    case (.head, _): throw FieldError("", "expected the head only in the first line")
    case (.table(let name, let columns), .table):
      try await store()
      guard let table = ArchiveTable.all.first(where: { $0.name == name }) else {
        throw FieldError("table", "unknown table \(JSON.text(name).summary): a later version made the archive")
      }
      section = .table(table, columns: columns)
    case (.row(let values), .table(let table, let columns)):
      counts.rows += 1
      if isCheck {
        try Self.check(values, columns, table)
        try await checkSecret(values, columns, table)
      }
      if table.name == ArchiveTable.auditHead.name {
        try readAuditHead(Dictionary(zip(columns, values)) { first, _ in first })
      } else {
        neededContents.add(values, of: table.name, columns: columns)
        rows.append(values)
        if rows.count >= Self.batch { try await store() }
      }
    case (.content(let sha256, let bytes, let isLast), .table):
      try await store()
      try await add(bytes, of: sha256, isLast: isLast)
    case (.content, .records): throw FieldError("", "expected the contents of files before the records")
    case (.vehicle(let id), .table), (.vehicle(let id), .records):
      try await store()
      section = .records(ofVehicle: id)
    case (.record(let received, let body), .records(let vehicle)):
      counts.records += 1
      records.append(try Self.record(body, received, of: vehicle))
      if records.count >= Self.batch { try await store() }
    case (.end(let rows, let records), _):
      try await store()
      section = .end(rows: rows, records: records)
    case (.row, .records), (.table, .records): throw FieldError("", "expected a record, a vehicle or the end")
    case (.record, .table): throw FieldError("", "expected a vehicle before its records")
    }
  }

  /// Ends the import after the last line.
  ///
  /// - Throws: `FieldError` if lines of the archive are missing; `StorageError`.
  public mutating func finish() async throws -> ArchiveCounts {
    guard let head, case .end(let rows, let records) = section else {
      throw FieldError("", "the archive was cut off: its last line is missing")
    }
    guard (rows, records) == (counts.rows, counts.records) else {
      throw FieldError(
        "end",
        "expected \(rows) rows and \(records) records, found \(counts.rows) and \(counts.records): lines are missing")
    }
    if !isCheck {
      try await storage.finishImport(of: head.id, auditHead: auditHead, tenant: named ?? head.tenant)
    }
    counts.missingContents = neededContents.names.count { !readContents.contains($0) }
    return counts
  }

  private static func check(
    _ values: [JSON], _ columns: [String], _ table: ArchiveTable
  ) throws(FieldError) {
    guard !table.columns.isEmpty else { throw FieldError("", "expected a table before its rows") }
    guard values.count == columns.count else {
      throw FieldError(table.name, "expected \(columns.count) values, found \(values.count)")
    }
    let known = Set(table.columns.map(\.name))
    if let unknown = columns.first(where: { !known.contains($0) }) {
      throw FieldError(table.name, "unknown column \(JSON.text(unknown).summary): a later version made the archive")
    }
    do throws(FieldError) {
      try table.check(Dictionary(zip(columns, values)) { first, _ in first })
    } catch {
      throw error.inside(table.name)
    }
  }

  /// Checks that the key of a gateway or of an operator occurs only once in the archive, and that no other tenant of
  /// the database has it. Each key belongs to one tenant, because a request names its tenant only by the key.
  private mutating func checkSecret(_ values: [JSON], _ columns: [String], _ table: ArchiveTable) async throws {
    guard ["gateway", "token"].contains(table.name), let column = columns.firstIndex(of: "secret"),
      let secret = values[column].textValue.flatMap({ Hexadecimal.bytes($0) }).flatMap({ SecretHash($0) })
    else { return }
    let path = "\(table.name).secret"
    guard secrets.insert(secret).inserted else { throw FieldError(path, "an earlier row has the same key") }
    let owner: TenantID? =
      switch try await storage.principal(secret) {
      case .gateway(_, let tenant), .token(_, let tenant), .person(_, let tenant): tenant
      case nil: nil
      }
    guard let owner, owner != named ?? head?.tenant else { return }
    throw FieldError(
      path, "tenant \(owner.text) of this database has the same key: import into another database, or into this tenant")
  }

  private mutating func begin(_ head: ArchiveHead) async throws {
    let schema = try await storage.health().schemaVersion
    guard head.schema <= Int64(schema) else {
      throw FieldError(
        "archive/schema", "expected at most \(schema), found \(head.schema): import it with a later version")
    }
    let tenant = named ?? head.tenant
    self.head = head
    // A row before the first table is an error. Therefore begin with a table without columns, which causes this error.
    section = .table(ArchiveTable("", key: [], []), columns: [])
    if isCheck { return }
    do throws(StorageError) {
      try await storage.addTenant(tenant, at: head.time)
    } catch {
      guard error.kind == .exists else { throw error }
    }
    // This call fails if the tenant is not empty. So the error is reported before any row is read.
    try await storage.importRows([], columns: [], into: ArchiveTable.auditHead, of: head.id, tenant: tenant)
  }

  /// Stores one piece of a file's content: the bytes in one line of the archive. If ``isCheck`` is true, only checks
  /// the piece.
  private mutating func add(_ bytes: [UInt8], of sha256: String, isLast: Bool) async throws {
    guard let head else { return }
    guard let contents else {
      throw FieldError(
        "content",
        "the archive has files, and there is no place for them: name a folder in files.folder, or a bucket in files.s3 (--config)"
      )
    }
    if isCheck { return try check(bytes, of: sha256, isLast: isLast) }
    let tenant = named ?? head.tenant
    var part = content ?? (.random(at: head.time), sha256, 0, nil)
    guard part.sha256 == sha256 else { throw FieldError("content", "expected the next part of \(part.sha256)") }
    do throws(FileError) {
      if !bytes.isEmpty {
        let piece =
          if let begun = part.piece { begun } else {
            try await contents.append(to: part.upload, at: 0, checksum: nil, tenant: tenant)
          }
        try await piece.write(bytes)
        (part.piece, part.offset) = (piece, piece.offset)
      }
      content = isLast ? nil : part
      guard isLast else { return }
      try await part.piece?.finish()
      _ = try await contents.complete(
        part.upload, size: part.offset, announced: sha256, last: part.piece, tenant: tenant)
      try await contents.removeUpload(part.upload, tenant: tenant)
      readContents.insert(sha256)
    } catch {
      if case .otherContent(let found) = error {
        throw FieldError("content", "expected bytes whose SHA-256 is \(sha256), found \(found)")
      }
      throw error
    }
  }

  /// Checks one piece of a file's content: the bytes in one line of the archive. After the last piece, also checks the
  /// SHA-256 of the whole content.
  private mutating func check(_ bytes: [UInt8], of sha256: String, isLast: Bool) throws(FieldError) {
    var part = checked ?? (sha256, SHA256())
    guard part.sha256 == sha256 else { throw FieldError("content", "expected the next part of \(part.sha256)") }
    part.hash.update(data: bytes)
    checked = isLast ? nil : part
    guard isLast else { return }
    let found = Hexadecimal.text(Array(part.hash.finalize()))
    guard found == sha256 else {
      throw FieldError("content", "expected bytes whose SHA-256 is \(sha256), found \(found)")
    }
  }

  /// Stores the rows or records that were added since the last call.
  private mutating func store() async throws {
    guard let head else { return }
    let tenant = named ?? head.tenant
    if isCheck { (rows, records) = ([], []) }
    if !rows.isEmpty, case .table(let table, let columns) = section {
      guard !table.columns.isEmpty else { throw FieldError("", "expected a table before its rows") }
      try await storage.importRows(rows, columns: columns, into: table, of: head.id, tenant: tenant)
      rows = []
    }
    if !records.isEmpty {
      let outcomes = try await storage.ingest(records, from: .trusted, tenant: tenant, at: head.time)
      for case .refused(let refusal) in outcomes { throw FieldError("record", refusal.description) }
      records = []
    }
  }

  private mutating func readAuditHead(_ values: [String: JSON]) throws(FieldError) {
    guard let number = values["number"]?.integerValue,
      let hash = values["hash"]?.textValue.flatMap({ Hexadecimal.bytes($0) })
    else { throw FieldError("audit_head", "expected a number and a hash") }
    auditHead = (number, hash)
  }

  private static func record(
    _ body: [UInt8], _ received: Int64?, of vehicle: String
  ) throws(FieldError) -> IncomingRecord {
    do throws(RecordRefusal) {
      var record = try IncomingRecord(parsing: body.span)
      record.vehicleId = vehicle
      // An administrator may have removed the VIN of the vehicle. Remove it from the record, so that the record does
      // not add it again.
      record.vin = nil
      record.receivedAt = received.map { Timestamp(limiting: $0) }
      return record
    } catch {
      throw FieldError("record", error.description)
    }
  }
}

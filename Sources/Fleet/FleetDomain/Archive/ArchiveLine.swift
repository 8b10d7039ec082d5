import Telemetry

/// One line of an archive. An archive is JSON lines in this order: the head; each table with its rows; the contents of
/// files; each vehicle with its records; the end.
///
///     {"archive":{"format":1,"id":"0199…","schema":14,"tenant":"default","time":"2026-11-23T10:00:00.000Z"}}
///     {"columns":["id","version","name"],"table":"fleet"}
///     ["0199…",1,"North"]
///     {"content":"9f86d0…","data":"74657374","last":true}
///     {"vehicle":"VAN-001"}
///     {"received":1795219200000,"record":{"id":"0199…"}}
///     {"end":{"records":1,"rows":1}}
public enum ArchiveLine: Equatable, Sendable {
  case head(ArchiveHead)
  case table(String, columns: [String])
  /// A row of the last named table. Its values are in the order of the columns in the line that named the table.
  case row([JSON])
  /// A part of a file's content. The parts of one content follow each other, in order.
  case content(sha256: String, bytes: [UInt8], isLast: Bool)
  /// The records that follow belong to the vehicle with this id.
  case vehicle(String)
  /// A record of the vehicle that was named last.
  ///
  /// - Parameter received: the time of its reception, ms since 1970; `nil` if unknown.
  case record(received: Int64?, body: [UInt8])
  /// The numbers of rows and records in the whole archive. This is the last line; without it, the archive is
  /// incomplete.
  case end(rows: Int64, records: Int64)

  /// Parses a line without its line feed.
  ///
  /// - Throws: ``FieldError`` that describes the expected content.
  public init(parsing line: [UInt8]) throws(FieldError) {
    if let (received, body) = Self.record(in: line) {
      self = .record(received: received, body: body)
      return
    }
    let json = try JSON(parsing: line)
    if case .array(let values) = json {
      self = .row(values)
    } else if let table = json["table"]?.textValue {
      self = .table(table, columns: try [String](json: json["columns"] ?? .null))
    } else if let sha256 = json["content"]?.textValue {
      guard let bytes = json["data"]?.textValue.flatMap({ Hexadecimal.bytes($0) }) else {
        throw FieldError("data", "expected hexadecimal digits")
      }
      self = .content(sha256: sha256, bytes: bytes, isLast: json["last"] == .bool(true))
    } else if let vehicle = json["vehicle"]?.textValue {
      self = .vehicle(vehicle)
    } else if let head = json["archive"] {
      self = .head(try ArchiveHead(json: head))
    } else if let end = json["end"], let rows = end["rows"]?.integerValue, let records = end["records"]?.integerValue {
      self = .end(rows: rows, records: records)
    } else {
      throw FieldError("", "expected a line of an archive, found \(json.summary)")
    }
  }

  /// The text of the line, with a line feed at the end.
  public var text: [UInt8] {
    let json: JSON
    switch self {
    case .head(let head): json = .object(["archive": head.json])
    case .table(let name, let columns): json = .object(["table": .text(name), "columns": columns.json])
    case .row(let values): json = .array(values)
    case .content(let sha256, let bytes, let isLast):
      json = .object(["content": .text(sha256), "data": .text(Hexadecimal.text(bytes)), "last": .bool(isLast)])
    case .vehicle(let id): json = .object(["vehicle": .text(id)])
    case .record(let received, let body):
      // The record's text is copied as it was received, so that the order of its members and the format of its numbers
      // stay the same.
      return Array(Self.start.utf8) + Array((received.map { "\($0)" } ?? "null").utf8) + Array(Self.middle.utf8) + body
        + Array("}\n".utf8)
    case .end(let rows, let records):
      json = .object(["end": .object(["rows": .integer(rows), "records": .integer(records)])])
    }
    return Array(json.canonicalText.utf8) + [0x0A]
  }

  private static let start = #"{"received":"#
  private static let middle = #","record":"#

  /// Returns the parts of a line with a record; `nil` for any other line.
  private static func record(in line: [UInt8]) -> (received: Int64?, body: [UInt8])? {
    guard line.starts(with: start.utf8), line.last == UInt8(ascii: "}") else { return nil }
    let rest = line.dropFirst(start.utf8.count)
    guard let comma = rest.firstIndex(of: UInt8(ascii: ",")), rest[comma...].starts(with: middle.utf8) else {
      return nil
    }
    let number = String(decoding: rest[..<comma], as: UTF8.self)
    guard number == "null" || Int64(number) != nil else { return nil }
    return (Int64(number), Array(rest[(comma + middle.utf8.count)...].dropLast()))
  }
}

/// The first line of an archive.
public struct ArchiveHead: Equatable, Sendable {
  /// The version of the archive's format.
  public static let format: Int64 = 1

  /// An id of the archive. An import that was interrupted can be continued only with the archive of the same id.
  public let id: UUIDv7
  /// The version of the database's schema.
  public let schema: Int64
  public let tenant: TenantID
  public let time: Timestamp

  public init(id: UUIDv7, schema: Int64, tenant: TenantID, time: Timestamp) {
    self.id = id
    self.schema = schema
    self.tenant = tenant
    self.time = time
  }

  init(json: JSON) throws(FieldError) {
    guard json["format"]?.integerValue == Self.format else {
      throw FieldError("format", "expected \(Self.format), found \(json["format"]?.summary ?? "nothing")")
    }
    guard let schema = json["schema"]?.integerValue else { throw FieldError("schema", "expected an integer") }
    guard let tenant = json["tenant"]?.textValue.flatMap({ TenantID($0) }) else {
      throw FieldError("tenant", "expected the name of a tenant")
    }
    self.init(
      id: try UUIDv7(json: json["id"] ?? .null), schema: schema, tenant: tenant,
      time: try Timestamp(json: json["time"] ?? .null))
  }

  var json: JSON {
    .object([
      "format": .integer(Self.format), "id": id.json, "schema": .integer(schema), "tenant": .text(tenant.text),
      "time": time.json,
    ])
  }
}

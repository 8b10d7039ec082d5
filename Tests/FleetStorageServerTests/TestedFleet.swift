import FleetDomain
import FleetstoreTestKit
import StoredFleetTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

/// The two databases with which the contract of the storage is tested.
typealias Kind = FleetstoreTestKit.Database

/// An empty storage for one test.
final class TestedFleet: Sendable {
  let storage: StoredFleet
  /// The path of the file, or the URI of the database.
  let address: String
  let kind: Kind
  private let folder: ScratchFolder

  /// If the database is not installed, the current test is skipped.
  init(_ kind: Kind) async throws {
    self.kind = kind
    folder = try ScratchFolder()
    address = try await kind.emptyDatabase(in: folder)
    storage = try await kind.open(address)
  }

  /// Opens another storage on the same database, as another process would do.
  func another() async throws -> StoredFleet { try await kind.open(address) }

  /// Runs a test on an empty storage and closes it.
  static func with(_ kind: Kind, _ body: (TestedFleet) async throws -> Void) async throws {
    let fleet = try await TestedFleet(kind)
    do {
      try await body(fleet)
    } catch {
      await fleet.storage.close()
      throw error
    }
    await fleet.storage.close()
  }
}

/// Creates records in the form in which gateways send them.
struct Sample {
  static let day: Int64 = 1_795_219_200_000
  static let now = Timestamp(nanoseconds: day * 1_000_000)
  static let epoch = UUIDv7(milliseconds: 9, first: 9, rest: 9)

  /// Returns a time of the test's day.
  ///
  /// - Parameter seconds: seconds after the beginning of the day.
  static func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: day * 1_000_000 + Int64(seconds * 1e9))
  }

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - number: determines the id, also for records of the same time.
  ///   - seconds: time within the test's day; `nil` for `number` seconds.
  ///   - noTime: whether the record has no time. The id is still made at `seconds`.
  static func record(
    _ number: Int, _ type: String = "telemetry", at seconds: Double? = nil, noTime: Bool = false,
    quality: String = "gps", vehicle: String = "VAN-001", gateway: String = "gw-17", idAt: UInt64? = nil,
    keys: String = ""
  ) -> IncomingRecord {
    let seconds = seconds ?? Double(number)
    let id = UUIDv7(
      milliseconds: idAt ?? UInt64(day + Int64(seconds * 1_000)), first: UInt64(number) >> 32, rest: UInt64(number))
    let date = noTime ? "\"elapsed\":\(seconds)" : "\"timestamp\":\"\(text(time(seconds)))\""
    let quality = noTime ? "unset" : quality
    let line = """
      {"type":"\(type)","id":"\(id.string)",\(date),"timeQuality":"\(quality)","gatewayId":"\(gateway)",\
      "vehicleId":"\(vehicle)","epoch":"\(epoch.string)","seq":\(number + 1),"rpm":\(number)\(keys)}
      """
    do {
      return try IncomingRecord(parsing: Array(line.utf8).span)
    } catch {
      fatalError("\(error): \(line)")
    }
  }

  static func text(_ time: Timestamp) -> String {
    let text = time.text
    return String(decoding: (0..<24).map { text[$0] }, as: UTF8.self)
  }

  static func gateway(_ id: String = "gw-17", _ vehicles: [String] = []) -> Gateway {
    Gateway(id: id, allowedVehicles: vehicles, addedAt: now, keyAt: now)
  }

  static func secret(_ number: UInt8) -> SecretHash {
    SecretHash(Array(repeating: number, count: 32)) ?? SecretHash(Array(repeating: 0, count: 32))!
  }
}

extension StoredFleet {
  /// Stores records from a trusted source.
  @discardableResult
  func store(_ records: [IncomingRecord], tenant: TenantID = .standard) async throws -> [IngestOutcome] {
    try await ingest(records, from: .trusted, tenant: tenant, at: Sample.now)
  }

  /// Returns all tokens of a tenant, from pages of one token.
  func allTokens(tenant: TenantID = .standard) async throws -> [OperatorToken] {
    var all: [OperatorToken] = []
    var cursor: String?
    repeat {
      let page = try await tokens(cursor: cursor, limit: 1, tenant: tenant)
      all += page.items
      cursor = page.next
    } while cursor != nil
    return all
  }

  /// Returns the records of all pages of a query.
  func all(_ query: RecordQuery, tenant: TenantID = .standard) async throws -> [StoredRecord] {
    var query = query
    var all: [StoredRecord] = []
    while true {
      let page = try await records(query, tenant: tenant)
      all += page.items
      guard let next = page.next else { return all }
      query.cursor = next
    }
  }
}

extension StoredRecord {
  var text: String { String(decoding: body, as: UTF8.self) }

  /// The value of `rpm`: 17 for `"rpm":17`.
  var number: Int {
    guard let range = text.firstRange(of: "\"rpm\":") else { return -1 }
    return Int(text[range.upperBound...].prefix { $0.isNumber }) ?? -1
  }
}

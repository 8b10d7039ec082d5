import FleetDomain
import Telemetry

/// Telemetry of one vehicle that is stored together, as one row of the table `telemetry_run`.
///
/// Constraints:
/// - The entries of a run ascend strictly in both of their ids and their times.
/// - The runs of a vehicle overlap neither in their ids nor in their times, and have the same order in both. So one step
///   in an index finds the run that may have an id, and one step the run that may have a time.
/// - A record is either in a run or a row of the table `record`, never both.
/// - The ids of a run were made in one month (``FleetDomain/IdMonth``), which is what retention goes by.
/// - The packed bodies never change. A record that is taken out leaves its bytes there, and its entry goes.
///
/// Telemetry that does not fit these constraints is a row of `record`: what comes alone, late, without a time or with
/// one that is not credible. See ``RunSelection``.
struct TelemetryRun {
  var span: RunSpan
  var entries: [RunEntry]
  /// Empty if only the entries were read.
  var packedBodies: [UInt8]

  /// What ``init(_:tenant:vehicle:withBodies:)`` reads; `bodies` may follow.
  static let columns = "first_id, last_id, first_time, last_time, entries"

  init(span: RunSpan, entries: [RunEntry], packedBodies: [UInt8]) {
    self.span = span
    self.entries = entries
    self.packedBodies = packedBodies
  }

  init(_ row: SQLRow, tenant: Int32, vehicle: Int32, withBodies: Bool) throws(StoreFailure) {
    guard let first = row.identifier(0), let last = row.identifier(1) else {
      throw Self.damaged("a run without its ids")
    }
    span = RunSpan(
      tenant: tenant, vehicle: vehicle, firstId: first, lastId: last, firstTime: row.integer(2),
      lastTime: row.integer(3))
    entries = try RunEntryCoding.entries(row.bytes(4))
    packedBodies = withBodies ? row.bytes(5) : []
  }

  /// The entry of an identifier; `nil` if the run does not have the record.
  func entry(_ id: UUIDv7) -> RunEntry? {
    let index = entries.firstIndex(fromWhich: { !$0.id.isBefore(id) })
    return index < entries.count && entries[index].id == id ? entries[index] : nil
  }

  /// A record as a row that was found.
  ///
  /// - Parameter bodies: the unpacked bodies.
  func row(_ entry: RunEntry, in bodies: [UInt8]) throws(StoreFailure) -> FoundRow {
    guard entry.body.upperBound <= bodies.count else { throw Self.damaged("a body lies behind the end") }
    return FoundRow(
      recordClass: .known(.telemetry), vehicle: span.vehicle, time: entry.time, sequence: entry.sequence,
      id: entry.id, quality: entry.quality, received: entry.received, body: Array(bodies[entry.body]))
  }

  static func damaged(_ detail: String) -> StoreFailure { StoreFailure(.damaged, "telemetry_run", detail) }
}

/// Where a run begins and ends.
struct RunSpan: Hashable {
  var tenant: Int32
  var vehicle: Int32
  var firstId: UUIDv7
  /// With tenant and vehicle the key of the run.
  var lastId: UUIDv7
  var firstTime: Int64
  var lastTime: Int64

  /// Whether the identifier lies between the first and the last of the run.
  func spans(_ id: UUIDv7) -> Bool { !id.isBefore(firstId) && !lastId.isBefore(id) }

  /// Each once, in their order.
  static func distinct(_ spans: [RunSpan]) -> [RunSpan] {
    var seen: Set<RunSpan> = []
    return spans.filter { seen.insert($0).inserted }
  }

  /// The key as parameters of a statement.
  var key: [SQLValue] { [SQLValue(tenant), SQLValue(vehicle), .identifier(lastId)] }
}

/// What a run says of one of its records.
struct RunEntry: Equatable {
  var id: UUIDv7
  var time: Int64
  var sequence: Int64
  var quality: StoredQuality
  /// When it was received, ms.
  var received: Int64
  var hasPosition: Bool
  /// Where the body lies in the unpacked bodies.
  var body: Range<Int>
}

/// Identifiers of a vehicle, from the first through the last.
struct RunRange {
  var tenant: Int32
  var vehicle: Int32
  var first: UUIDv7
  var last: UUIDv7
}

/// A run that is to be inserted.
struct NewRun {
  var span: RunSpan
  /// Number of records.
  var count: Int
  /// ``RunEntryCoding``
  var entries: [UInt8]
  var packedBodies: [UInt8]

  /// ``FleetDomain/IdMonth`` of all its ids.
  var month: Int { IdMonth(of: span.lastId).index }
}

extension TelemetryRun {
  /// A record as a row that is to be inserted.
  ///
  /// - Parameter bodies: the unpacked bodies.
  func newRow(_ entry: RunEntry, in bodies: [UInt8]) throws(StoreFailure) -> RecordRow {
    let found = try row(entry, in: bodies)
    return RecordRow(
      key: found.key(tenant: span.tenant), time: entry.time, sequence: entry.sequence, quality: entry.quality,
      received: entry.received, hasPosition: entry.hasPosition, ecu: nil, body: found.body)
  }
}

extension UUIDv7 {
  /// Whether it stands before another, in the order of their texts.
  func isBefore(_ other: UUIDv7) -> Bool { high != other.high ? high < other.high : low < other.low }
}

extension RowKey {
  static let telemetryClass = RecordClass.known(.telemetry).number

  /// `nil` unless the 16 bytes are an identifier.
  var id: UUIDv7? { UUIDv7(high: idHigh, low: idLow) }
}

extension RandomAccessCollection where Index == Int {
  /// The first index from which on a condition holds, found by halving; `endIndex` if it holds nowhere.
  ///
  /// - Parameter holds: holds for no element that stands before one for which it does not.
  func firstIndex(fromWhich holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

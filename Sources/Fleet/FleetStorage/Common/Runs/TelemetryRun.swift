import FleetDomain
import Telemetry

/// Telemetry of one vehicle that is stored together, as one row of the table `telemetry_run`.
///
/// Constraints:
/// - The entries of a run ascend strictly in both ids and times.
/// - The runs of a vehicle overlap neither in ids nor in times, and have the same order in both. One index lookup
///   therefore finds the run that may contain an id, or a time.
/// - A record is either in a run or a row of the table `record`, never both.
/// - The ids of a run were made in one month (``FleetDomain/IdMonth``), so that retention can delete whole runs.
/// - The compressed bodies never change. If a record is removed, its entry is deleted and the bytes of its body remain.
///
/// Telemetry that does not meet these constraints is stored as rows of `record`: single records, late ones, and those
/// without a credible time. See ``RunSelection``.
struct TelemetryRun {
  var span: RunSpan
  var entries: [RunEntry]
  /// Compressed bodies; empty if only the entries were read.
  var packedBodies: [UInt8]

  /// The columns that ``init(_:tenant:vehicle:withBodies:)`` reads; `bodies` may follow.
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

  /// Returns the entry of an id; `nil` if the run does not contain the record.
  func entry(_ id: UUIDv7) -> RunEntry? {
    let index = entries.firstIndex(fromWhich: { !$0.id.isBefore(id) })
    return index < entries.count && entries[index].id == id ? entries[index] : nil
  }

  /// Returns a record in the form of a row.
  ///
  /// - Parameter bodies: the decompressed bodies.
  func row(_ entry: RunEntry, in bodies: [UInt8]) throws(StoreFailure) -> FoundRow {
    guard entry.body.upperBound <= bodies.count else { throw Self.damaged("a body outside the bodies") }
    return FoundRow(
      recordClass: .known(.telemetry), vehicle: span.vehicle, time: entry.time, sequence: entry.sequence,
      id: entry.id, quality: entry.quality, received: entry.received, body: Array(bodies[entry.body]))
  }

  static func damaged(_ detail: String) -> StoreFailure { StoreFailure(.damaged, "telemetry_run", detail) }
}

/// The key and the bounds of a run.
struct RunSpan: Hashable {
  var tenant: Int32
  var vehicle: Int32
  var firstId: UUIDv7
  /// The last id. Together with tenant and vehicle it is the key of the run.
  var lastId: UUIDv7
  var firstTime: Int64
  var lastTime: Int64

  /// Whether an id is between the first and the last of the run.
  func spans(_ id: UUIDv7) -> Bool { !id.isBefore(firstId) && !lastId.isBefore(id) }

  /// Returns the spans without duplicates, in the same order.
  static func distinct(_ spans: [RunSpan]) -> [RunSpan] {
    var seen: Set<RunSpan> = []
    return spans.filter { seen.insert($0).inserted }
  }

  /// The key as parameters of a statement.
  var key: [SQLValue] { [SQLValue(tenant), SQLValue(vehicle), .identifier(lastId)] }
}

/// The data of a record in a run, except its body.
struct RunEntry: Equatable {
  var id: UUIDv7
  var time: Int64
  var sequence: Int64
  var quality: StoredQuality
  /// Time of reception, ms since 1970.
  var received: Int64
  var hasPosition: Bool
  /// Range of the body in the decompressed bodies.
  var body: Range<Int>
}

/// A range of ids of a vehicle, including its first and last.
struct RunRange {
  var tenant: Int32
  var vehicle: Int32
  var first: UUIDv7
  var last: UUIDv7
}

/// A run to insert.
struct NewRun {
  var span: RunSpan
  /// Number of records.
  var count: Int
  /// The entries, encoded by ``RunEntryCoding``.
  var entries: [UInt8]
  var packedBodies: [UInt8]

  /// The ``FleetDomain/IdMonth`` of all its ids.
  var month: Int { IdMonth(of: span.lastId).index }
}

extension TelemetryRun {
  /// Returns a record as a row to insert.
  ///
  /// - Parameter bodies: the decompressed bodies.
  func newRow(_ entry: RunEntry, in bodies: [UInt8]) throws(StoreFailure) -> RecordRow {
    let found = try row(entry, in: bodies)
    return RecordRow(
      key: found.key(tenant: span.tenant), time: entry.time, sequence: entry.sequence, quality: entry.quality,
      received: entry.received, hasPosition: entry.hasPosition, ecu: nil, body: found.body)
  }
}

extension UUIDv7 {
  /// Whether this id is before another in the order of their texts.
  func isBefore(_ other: UUIDv7) -> Bool { high != other.high ? high < other.high : low < other.low }
}

extension RowKey {
  static let telemetryClass = RecordClass.known(.telemetry).number

  /// The id; `nil` if the 16 bytes are not one.
  var id: UUIDv7? { UUIDv7(high: idHigh, low: idLow) }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the first index at which a condition holds, by binary search; `endIndex` if it holds nowhere.
  ///
  /// - Parameter holds: must hold for all elements after the first for which it holds.
  func firstIndex(fromWhich holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

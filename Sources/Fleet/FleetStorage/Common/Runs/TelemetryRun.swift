import FleetDomain
import Telemetry

/// Telemetry records of one vehicle that are stored together, as one row of the table `telemetry_run`.
///
/// Constraints:
/// - The entries of a run ascend strictly in both ids and times.
/// - The runs of a vehicle overlap neither in ids nor in times, and have the same order in both. Therefore, one look-up
///   in an index finds the run that may contain an id, or a time.
/// - A record is either in a run or a row of the table `record`, never both.
/// - All ids of a run are from the same month (``FleetDomain/IdMonth``), so that retention can delete whole runs.
/// - The compressed bodies never change. If a record is removed from the run, its entry is deleted, and the bytes of
///   its body remain.
///
/// Records that do not meet these constraints are stored as rows of `record`: single records, late records, and records
/// without a credible time. See ``RunSelection``.
struct TelemetryRun {
  var span: RunSpan
  var entries: [RunEntry]
  /// Compressed bodies; empty if only the entries were read.
  var packedBodies: [UInt8]

  /// The columns that ``init(_:tenant:vehicle:withBodies:)`` reads. A statement may add `bodies` as the last column.
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

  /// Returns the entry of the record with an id; `nil` if the run does not contain this record.
  func entry(_ id: UUIDv7) -> RunEntry? {
    let index = entries.firstIndex(fromWhich: { !$0.id.isBefore(id) })
    return index < entries.count && entries[index].id == id ? entries[index] : nil
  }

  /// Returns a record of the run in the same form as a row of the table `record`.
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

/// The key of a run, and the ranges of its ids and times.
struct RunSpan: Hashable {
  var tenant: Int32
  var vehicle: Int32
  var firstId: UUIDv7
  /// The last id in the run. Tenant, vehicle and this id are the key of the run.
  var lastId: UUIDv7
  var firstTime: Int64
  var lastTime: Int64

  /// Whether an id is in the range from the first to the last id of the run. The run may still not contain it.
  func spans(_ id: UUIDv7) -> Bool { !id.isBefore(firstId) && !lastId.isBefore(id) }

  /// Returns the spans without duplicates. Their order does not change.
  static func distinct(_ spans: [RunSpan]) -> [RunSpan] {
    var seen: Set<RunSpan> = []
    return spans.filter { seen.insert($0).inserted }
  }

  /// The key of the run, as values for the parameters of a statement.
  var key: [SQLValue] { [SQLValue(tenant), SQLValue(vehicle), .identifier(lastId)] }
}

/// The data of one record in a run, except the record's body.
struct RunEntry: Equatable {
  var id: UUIDv7
  var time: Int64
  var sequence: Int64
  var quality: StoredQuality
  /// Time of reception, ms since 1970.
  var received: Int64
  var hasPosition: Bool
  /// The range of the record's body in the decompressed bodies.
  var body: Range<Int>
}

/// A closed range of record ids of one vehicle.
struct RunRange {
  var tenant: Int32
  var vehicle: Int32
  var first: UUIDv7
  var last: UUIDv7
}

/// A new run, which is inserted into the table `telemetry_run`.
struct NewRun {
  var span: RunSpan
  /// Number of records.
  var count: Int
  /// The entries, encoded by ``RunEntryCoding``.
  var entries: [UInt8]
  var packedBodies: [UInt8]

  /// The month (``FleetDomain/IdMonth``) of all IDs in the run.
  var month: Int { IdMonth(of: span.lastId).index }
  /// The size of the run (``RecordBytes``).
  var bytes: Int64 { Int64(entries.count + packedBodies.count) + RecordBytes.overhead }
}

extension TelemetryRun {
  /// Returns a record of the run as a row that can be inserted into the table `record`.
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
  /// Whether the text of this id sorts before that of another one.
  func isBefore(_ other: UUIDv7) -> Bool { high != other.high ? high < other.high : low < other.low }
}

extension RowKey {
  static let telemetryClass = RecordClass.known(.telemetry).number

  /// The id; `nil` if the 16 bytes are not a UUID of version 7.
  var id: UUIDv7? { UUIDv7(high: idHigh, low: idLow) }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that satisfies a condition, by binary search; `endIndex` if there is none.
  ///
  /// - Parameter holds: the condition. If an element satisfies it, all later elements must also satisfy it.
  func firstIndex(fromWhich holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

import FleetDomain

/// The changes that the rows of a transaction make to one vehicle: its latest time, and the newest record of each
/// ``NewestRecord/Part``.
struct VehicleTouch {
  var vehicle: Int32
  /// The latest credible time among the rows, ms since 1970.
  private(set) var time = StoredTime.undated
  private(set) var newest: [NewestRecord] = []
  /// The hours that become stale, because rows of the classes from which the figures of days are computed
  /// (``StaleHour/classes``) belong to them.
  private(set) var hours: Set<Int64> = []
  /// The values of the columns from which ``FleetDomain/LastKnown`` is read, taken from the newest rows.
  private(set) var lastKnown: [LastKnownColumn: LastKnownValue] = [:]
  /// The index in ``newest`` of each group's record.
  private var places: [NewestRecord.Part: Int] = [:]

  init(vehicle: Int32) { self.vehicle = vehicle }

  /// Returns the changes that rows make to their vehicles.
  ///
  /// - Parameter rows: rows grouped by vehicle.
  static func all(of rows: some Sequence<RecordRow>) -> [VehicleTouch] {
    var touches: [VehicleTouch] = []
    // The bodies of the newest rows so far. They are parsed only after all rows were compared.
    var bodies: [LastKnownColumn: [UInt8]] = [:]
    for row in rows {
      if touches.last?.vehicle != row.key.vehicle {
        if !touches.isEmpty { touches[touches.count - 1].finish(bodies) }
        bodies = [:]
        touches.append(VehicleTouch(vehicle: row.key.vehicle))
      }
      touches[touches.count - 1].add(row, &bodies)
    }
    if !touches.isEmpty { touches[touches.count - 1].finish(bodies) }
    return touches
  }

  private mutating func finish(_ bodies: [LastKnownColumn: [UInt8]]) {
    removeOldECUs()
    for (column, body) in bodies {
      guard let record = newest.first(where: { $0.part == column.part }), record.time != StoredTime.undated else {
        continue
      }
      lastKnown[column] = LastKnownValue(column, of: record, body: body)
    }
  }

  /// If a class has records of more than ``NewestRecord/mostECUs`` ECUs, removes the oldest of these records.
  private mutating func removeOldECUs() {
    let ofECUs = Dictionary(grouping: newest.filter { !$0.part.ecu.isEmpty }, by: \.part.recordClass)
    let excess = ofECUs.values.flatMap { records in
      records.count > NewestRecord.mostECUs
        ? records.sorted { $1.isBefore($0) }.dropFirst(NewestRecord.mostECUs).map(\.part) : []
    }
    guard !excess.isEmpty else { return }
    let removed = Set(excess)
    newest.removeAll { removed.contains($0.part) }
    places = [:]
  }

  private mutating func add(_ row: RecordRow, _ bodies: inout [LastKnownColumn: [UInt8]]) {
    // A record whose time is not credible is never the newest one.
    guard row.quality != .ahead else { return }
    time = max(time, row.time)
    if row.time != StoredTime.undated, StaleHour.classes.contains(row.key.recordClass) {
      hours.insert(StaleHour.number(row.time))
      // The distance of a trip over midnight is divided between its days.
      if row.key.recordClass == RecordClass.known(.trip).number {
        hours.formUnion(StaleHour.hours(ofTrip: row.body, endingAt: row.time))
      }
    }
    let part = NewestRecord.Part(recordClass: row.key.recordClass, ecu: row.ecu ?? "")
    if add(row, part), let column = LastKnownColumn(part) { bodies[column] = row.body }
    if row.hasPosition, row.time != StoredTime.undated, add(row, .position) { bodies[.place] = row.body }
  }

  /// Stores a row as the newest one of a group (`part`) if it is newer than the newest row so far.
  ///
  /// - Returns: whether the row was stored.
  private mutating func add(_ row: RecordRow, _ part: NewestRecord.Part) -> Bool {
    let candidate = NewestRecord(
      part: part, time: row.time, sequence: row.sequence, idHigh: row.key.idHigh, idLow: row.key.idLow)
    if let index = places[part] {
      guard newest[index].isBefore(candidate) else { return false }
      newest[index] = candidate
    } else {
      places[part] = newest.count
      newest.append(candidate)
    }
    return true
  }
}

/// The newest record in one group (``Part``) of a vehicle's records: a row of the table `newest`.
struct NewestRecord {
  /// A group of a vehicle's records: all records of a class or, for classes with ECUs, the records of one ECU. The
  /// newest record of each group is stored.
  struct Part: Hashable {
    /// Number of the class (``FleetDomain/RecordClass/number``). -1 stands for telemetry with a position, which has its
    /// own newest record.
    var recordClass: Int16
    /// The ECU; empty for classes without ECUs, and for records without an ECU.
    var ecu: String

    static let position = Part(recordClass: -1, ecu: "")

    /// The number of the class in which the record is stored.
    var rowClass: Int16 { self == .position ? RecordClass.known(.telemetry).number : recordClass }
  }

  /// Maximum number of ECUs of a vehicle for which the newest record of each class is kept. Real vehicles have fewer.
  /// If records contain more, the ECUs with the latest records are kept.
  static let mostECUs = 64

  var part: Part
  var time: Int64
  var sequence: Int64
  var idHigh: UInt64
  var idLow: UInt64

  /// Whether this record comes before another one in the order of lists.
  func isBefore(_ other: NewestRecord) -> Bool {
    if time != other.time { return time < other.time }
    if sequence != other.sequence { return sequence < other.sequence }
    return idHigh != other.idHigh ? idHigh < other.idHigh : idLow < other.idLow
  }
}

import NMEAWire
import OBDWire
import Telemetry

extension Fusion {
  /// Makes the telemetry record of an interval. With the cadence `onChange`, the record is made only if it differs from
  /// the last one.
  mutating func recordTelemetry<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    holdWithinWindows(at: time)
    if case .onChange = options.cadence, !differsFromLastRecord(at: time) {
      for column in columns.indices { columns[column].fresh = 0 }
      return
    }
    writeTelemetry(at: time, into: &sink)
    hasChanged = false
  }

  /// Whether to make a record of an interval in which no new values were read. Such a record repeats earlier values. It
  /// is made if no answer is overdue: the last value of the signal that is read most often is still valid.
  func holdsValue(at time: Int64) -> Bool {
    guard case .every = options.cadence, !isFinishing else { return false }
    var latest = Int64.min
    for column in columns.indices where columns[column].window > 0 {
      latest = max(latest, earliest(of: column, at: time))
    }
    return latest != .min && lastRead >= latest
  }

  /// Returns the limit between valid and outdated values: a column's value is still valid at `time` if it was read at
  /// this limit or later.
  private func earliest(of column: Int, at time: Int64) -> Int64 {
    let pace = columns[column].pace
    return time - max(columns[column].window, pace < Self.slowestPace ? 2 * pace : 0)
  }

  /// Adds to each column's `fresh` the ECUs whose earlier value is still valid, so that the record repeats these
  /// values.
  private mutating func holdWithinWindows(at time: Int64) {
    for column in columns.indices where columns[column].window > 0 {
      let earliest = earliest(of: column, at: time)
      for ecu in ecus.indices where columns[column].times[ecu] >= earliest {
        columns[column].fresh |= 1 << UInt16(ecu)
      }
    }
  }

  /// Whether a record made now would differ from the previous one.
  private mutating func differsFromLastRecord(at time: Int64) -> Bool {
    if hasChanged { return true }
    for column in columns.indices where columns[column].fresh != columns[column].recorded { return true }
    guard let fix = position.recent(at: time) else { return position.recorded != nil }
    guard let recorded = position.recorded else { return true }
    return fix.isElsewhere(than: recorded)
  }

  /// Writes all values that are due (``Column/fresh``), and the position, as one telemetry record, or as several
  /// records if they do not fit in one.
  mutating func writeTelemetry<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    beginTelemetry(at: time)
    var others: UInt16 = 0
    for column in columns.indices where columns[column].fresh != 0 {
      var rest = columns[column].fresh
      if let ecu = topLevelECU(of: columns[column]) {
        rest &= ~(1 << UInt16(ecu))
        if !writeValue(of: column, ecu: ecu) {
          splitTelemetry(at: time, into: &sink)
          _ = writeValue(of: column, ecu: ecu)
        }
      }
      others |= rest & ~1
    }
    if !writePosition(at: time) {
      splitTelemetry(at: time, into: &sink)
      _ = writePosition(at: time)
    }
    if others != 0 { writeOthers(others, at: time, into: &sink) }
    line.finish()
    sink.record(line.line, at: time)
    for column in columns.indices {
      columns[column].recorded = columns[column].fresh
      columns[column].fresh = 0
    }
    position.recorded = position.recent(at: time)
  }

  private mutating func beginTelemetry(at time: Int64) {
    line.begin()
    head(.telemetry, at: time).write(to: &line)
    if options.naming == .vss { line.field("vss", "6.0") }
  }

  /// Finishes the current record, and begins another record with the same time.
  private mutating func splitTelemetry<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    line.finish()
    sink.record(line.line, at: time)
    beginTelemetry(at: time)
  }

  /// Writes the values that are not at the top level, grouped by ECU: `"ecus":{"7E9":{"speed":50}}`.
  private mutating func writeOthers<Sink: RecordSink & ~Copyable>(
    _ others: UInt16, at time: Int64, into sink: inout Sink
  ) {
    var before = line.mark
    if !line.beginObject("ecus") {
      line.rollback(to: before)
      splitTelemetry(at: time, into: &sink)
      before = line.mark
      line.beginObject("ecus")
    }
    var isEmpty = true
    for ecu in ecuOrder where others >> UInt16(ecu) & 1 == 1 {
      var isOpen = openECU(ecu)
      for column in columns.indices where columns[column].fresh >> UInt16(ecu) & 1 == 1 {
        if topLevelECU(of: columns[column]) == ecu { continue }
        if isOpen, writeValue(of: column, ecu: ecu) {
          isEmpty = false
          continue
        }
        // If the record is full, write the remaining values to another record, again grouped by ECU.
        if isEmpty { line.rollback(to: before) }
        splitTelemetry(at: time, into: &sink)
        before = line.mark
        line.beginObject("ecus")
        isOpen = openECU(ecu)
        if isOpen, writeValue(of: column, ecu: ecu) { isEmpty = false }
      }
      if isOpen { line.end() }
    }
    line.end()
  }

  private mutating func openECU(_ ecu: Int) -> Bool {
    guard let address = ecus[ecu].addressText else { return false }
    line.key(address)
    return line.beginObject()
  }

  /// Writes one value with its key.
  ///
  /// - Returns: `false` if the value does not fit in the record. In this case, nothing is written.
  private mutating func writeValue(of column: Int, ecu: Int) -> Bool {
    if columns[column].content == .troubleCodes { return writeCodes(of: column, ecu: ecu) }
    writeKey(of: column)
    let value = columns[column].values[ecu]
    switch columns[column].content {
    case .number, .troubleCodes: return line.value(value)
    case .flag: return line.value(value != 0)
    case .enumeration: return writeText(of: column, code: value)
    case .vin: return write(ecus[ecu].vin)
    }
  }

  /// Writes a text exactly as the ECU sent it. Returns `false` if the text does not fit in the record.
  private mutating func write(_ bytes: [UInt8]) -> Bool { line.value(bytes.span) }

  private mutating func writeKey(of column: Int) {
    switch columns[column].name {
    case .table(let name): line.key(name)
    case .loaded(let index): line.key(loadedKeys.names[index])
    }
  }

  /// Writes the text for a raw value of an enumeration, or the raw value itself if it has no text. Returns `false` if
  /// it does not fit in the record.
  private mutating func writeText(of column: Int, code: Double) -> Bool {
    switch columns[column].name {
    case .table:
      if let text = UInt32(exactly: code).flatMap({ code in
        SAEEnumerations.text(enumeration: columns[column].enumeration, code: code)
      }) {
        return line.value(text)
      }
      return line.value(code)
    case .loaded(let index):
      if let code = UInt64(exactly: code),
        let entry = options.loadedSignals[index].texts.first(where: { $0.code == code })
      {
        return line.value(entry.text)
      }
      return line.value(code)
    }
  }

  /// Writes the complete list of stored codes. If the list does not fit, writes nothing and returns `false`, because an
  /// incomplete list would be wrong.
  private mutating func writeCodes(of column: Int, ecu: Int) -> Bool {
    let mark = line.mark
    writeKey(of: column)
    var complete = line.beginArray()
    if complete {
      for code in ecus[ecu].stored.codes {
        let text = code.text
        complete = line.value(text.span.extracting(first: code.textLength)) && complete
      }
      line.end()
    }
    if !complete { line.rollback(to: mark) }
    return complete
  }

  /// Writes the newest fix if it is recent enough.
  ///
  /// - Returns: `false` if the fix does not fit in the record. In this case, nothing is written.
  private mutating func writePosition(at time: Int64) -> Bool {
    guard let fix = position.recent(at: time) else { return true }
    let mark = line.mark
    let privacy = position.privacy
    var body = Position(fixType: fix.type.name)
    body.latitude = fix.latitude.flatMap { privacy.shown($0) }
    body.longitude = fix.longitude.flatMap { privacy.shown($0) }
    if !privacy.hidesDirection {
      body.altitude = fix.altitude
      body.heading = fix.course
      body.trueHeading = fix.trueHeading
    }
    body.gpsSpeed = fix.speed
    body.hdop = fix.hdop
    body.satellites = fix.satellites
    if body.write(to: &line, vss: options.naming == .vss) { return true }
    line.rollback(to: mark)
    return false
  }
}

extension Fix {
  /// Whether this fix differs from `other`: the distance between their positions exceeds the receiver's error, only one
  /// of them has a position, or their types differ.
  fileprivate func isElsewhere(than other: Fix) -> Bool {
    guard type == other.type else { return true }
    guard let latitude, let longitude, let formerLatitude = other.latitude, let formerLongitude = other.longitude else {
      return (latitude == nil) != (other.latitude == nil)
    }
    // For small distances, the earth is treated as flat, with 111 km for each degree. Near the poles, a degree of
    // longitude is much shorter. Therefore, a change may be reported too early, but never too late.
    let north = (latitude - formerLatitude) * 111_320
    let east = (longitude - formerLongitude) * 111_320
    let error = max(5, 5 * (hdop ?? 1))
    return north * north + east * east > error * error
  }
}

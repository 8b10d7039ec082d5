import NMEAWire
import OBDWire
import Telemetry

extension Fusion {
  /// Writes the values that are fresh as one telemetry record, or as several where one cannot hold them.
  mutating func writeTelemetry<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    beginTelemetry(at: time)
    var others: UInt16 = 0
    for column in columns.indices where columns[column].fresh != 0 {
      var rest = columns[column].fresh
      if let ecu = plainECU(of: columns[column]) {
        rest &= ~(1 << UInt16(ecu))
        if !writeValue(of: column, ecu: ecu) {
          splitTelemetry(at: time, into: &sink)
          _ = writeValue(of: column, ecu: ecu)
        }
      }
      others |= rest & ~1
    }
    if !writePosition() {
      splitTelemetry(at: time, into: &sink)
      _ = writePosition()
    }
    if others != 0 { writeOthers(others, at: time, into: &sink) }
    line.finish()
    sink.record(line.line, at: time)
    for column in columns.indices { columns[column].fresh = 0 }
  }

  private mutating func beginTelemetry(at time: Int64) {
    line.begin()
    head(.telemetry, at: time).write(to: &line)
    if options.naming == .vss { line.field("vss", "6.0") }
  }

  /// Hands on what is written and begins a second record of the same time.
  private mutating func splitTelemetry<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    line.finish()
    sink.record(line.line, at: time)
    beginTelemetry(at: time)
  }

  /// Writes the values that do not stand under their plain key, by ECU: `"ecus":{"7E9":{"speed":50}}`.
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
        if plainECU(of: columns[column]) == ecu { continue }
        if isOpen, writeValue(of: column, ecu: ecu) {
          isEmpty = false
          continue
        }
        // Full: what is not in this record yet goes into one more, under the same keys.
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

  /// Writes one value under its key; false, and nothing is written, where it does not fit.
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

  /// Text as the ECU sent it.
  private mutating func write(_ bytes: [UInt8]) -> Bool { line.value(bytes.span) }

  private mutating func writeKey(of column: Int) {
    switch columns[column].name {
    case .table(let name): line.key(name)
    case .loaded(let index): line.key(loadedKeys.names[index])
    }
  }

  /// The text of a code, or the code where there is none.
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

  /// The stored codes, all of them or none: a part of a list would say that the others are not there.
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

  /// Writes the newest fix where one has come since the record before; false, and nothing is written, where it does not
  /// fit.
  private mutating func writePosition() -> Bool {
    guard isFixFresh else { return true }
    let mark = line.mark
    var position = Position(fixType: fix.type.name)
    position.latitude = fix.latitude
    position.longitude = fix.longitude
    position.altitude = fix.altitude
    position.heading = fix.course
    position.trueHeading = fix.trueHeading
    position.gpsSpeed = fix.speed
    position.hdop = fix.hdop
    position.satellites = fix.satellites
    if position.write(to: &line, vss: options.naming == .vss) { return true }
    line.rollback(to: mark)
    return false
  }
}

/// Decodes complete messages into readings, by the tables of SAE J1979-DA and the loaded signal sets.
///
/// A message that answers another request gives no reading. A message that is too short for its parameters gives the
/// readings that are complete, and an error for the rest.
struct MessageDecoder: ~Copyable {
  /// First row and number of rows (of one layout) for each PID of service 01 and each information type of service 09.
  private var firstRow = InlineArray<512, UInt16>(repeating: 0)
  private var rowCount = InlineArray<512, UInt8>(repeating: 0)
  /// The PIDs of service 01 that are one plain number. They are polled most and decoded without the table of signals.
  var plain = InlineArray<256, PlainParameter>(repeating: PlainParameter())
  /// The reported scalings and sensors of the ECU in each slot.
  var knowledge = InlineArray<9, ECUKnowledge>(repeating: ECUKnowledge())
  var codes = InlineArray<1024, TroubleCode>(repeating: TroubleCode(code: 0))
  /// The request that messages answer.
  var request = Request()
  /// Index of the digit at which the payload begins in its text line, for error offsets; -1 for a message of several
  /// text lines.
  var firstDigit = -1
  var lineStart = 0
  /// Signal of the voltage that ATRV measures.
  private(set) var batteryVoltage = SignalID(rawValue: 0)

  init() {
    let rows = saeSignals.span
    for i in rows.indices {
      let service = rows[i].definition.service
      let identifier = rows[i].definition.identifier
      if service == 0 { batteryVoltage = SignalID(rawValue: UInt16(truncatingIfNeeded: i)) }
      guard service == 0x01 || service == 0x09, identifier < 256 else { continue }
      let key = Int(identifier) + (service == 0x09 ? 256 : 0)
      if rowCount[key] == 0 { firstRow[key] = UInt16(truncatingIfNeeded: i) }
      rowCount[key] += 1
    }
    // Oxygen sensor PIDs have three groups of rows, one for each layout of the sensors.
    for key in 0..<256 where ECUKnowledge.isLaidOut(UInt8(truncatingIfNeeded: key)) { rowCount[key] /= 3 }
    for key in 0..<256 where rowCount[key] == 1 {
      let row = Int(firstRow[key])
      plain[key] = PlainParameter(rows[row].definition, row: row, length: Int(saeParameterLengths.span[key]))
    }
  }

  /// Returns the number of data bytes of a PID of service 01; 0 if the standard does not define it.
  @inline(__always)
  mutating func parameterLength(_ parameter: UInt8) -> Int { Int(saeParameterLengths.span[Int(parameter)]) }

  /// Decodes a complete message.
  @inline(__always)
  mutating func decode<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, slot: Int, isCAN: Bool?, line: Span<UInt8>, origin: Origin,
    loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    if payload[0] == 0x41, loaded.isEmpty {
      parameters(payload, slot: slot, line: line, origin: origin, loaded: loaded, into: &handler)
    } else {
      decodeOther(
        payload, slot: slot, isCAN: isCAN, line: line, origin: origin, loaded: loaded, into: &handler)
    }
  }

  @inline(never)
  private mutating func decodeOther<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, slot: Int, isCAN: Bool?, line: Span<UInt8>, origin: Origin,
    loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    if payload[0] == 0x7F {
      negativeResponse(payload, line: line, origin: origin, into: &handler)
      return
    }
    let service = payload[0] &- 0x40
    guard payload[0] >= 0x40, request.admits(service: service) else {
      fail(.unexpected, at: 0, line, origin, into: &handler)
      return
    }
    switch service {
    case 0x01:
      parameters(payload, slot: slot, line: line, origin: origin, loaded: loaded, into: &handler)
    case 0x02:
      freezeFrame(payload, slot: slot, line: line, origin: origin, into: &handler)
    case 0x03, 0x07, 0x0A:
      troubleCodes(payload, isCAN: isCAN, line: line, origin: origin, into: &handler)
    case 0x04, 0x14: handler.codesCleared(origin: origin)
    case 0x05:
      oxygenSensorTest(payload, line: line, origin: origin, into: &handler)
    case 0x06:
      monitoringTests(payload, isCAN: isCAN, line: line, origin: origin, into: &handler)
    case 0x09:
      vehicleInformation(payload, line: line, origin: origin, into: &handler)
    case 0x19:
      readDTCInformation(payload, line: line, origin: origin, into: &handler)
    case 0x21:
      localIdentifier(payload, line: line, origin: origin, loaded: loaded, into: &handler)
    case 0x22:
      dataIdentifiers(
        payload, slot: slot, line: line, origin: origin, loaded: loaded, into: &handler)
    default: break
    }
  }

  /// Reports `7F 01 12`: the rejected service and the response code.
  private mutating func negativeResponse<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, line: Span<UInt8>, origin: Origin, into handler: inout H
  ) {
    guard payload.count >= 3 else {
      fail(.truncated, at: payload.count, line, origin, into: &handler)
      return
    }
    guard request.admits(service: payload[1]) else {
      fail(.unexpected, at: 1, line, origin, into: &handler)
      return
    }
    let error = WireError(
      .negativeResponse, origin: origin, offset: offset(of: 0, in: line), service: payload[1], responseCode: payload[2])
    handler.failure(error, line: line)
  }

  /// Reads the rows of one PID from its data bytes.
  ///
  /// - Parameters:
  ///   - key: index of the PID in the tables.
  ///   - service: service of the readings. Services 02 and 22 use the rows of service 01.
  ///   - identifier: identifier of the readings.
  @inline(__always)
  mutating func rows<H: ReplyHandler & ~Copyable>(
    of key: Int, data: Span<UInt8>, slot: Int, service: UInt8, identifier: UInt16, frame: UInt8, origin: Origin,
    into handler: inout H
  ) {
    var first = Int(firstRow[key])
    let count = Int(rowCount[key])
    if key < 256, ECUKnowledge.isLaidOut(UInt8(truncatingIfNeeded: key)), knowledge[slot].address == origin.ecu {
      first += count * Int(knowledge[slot].layout.rawValue)
    }
    let table = saeSignals.span
    for i in first..<first + count {
      let row = table[i].definition
      guard row.applies(to: data), let value = row.value(in: data) else { continue }
      var scaled = value
      if row.rescale != .none, knowledge[slot].address == origin.ecu { scaled *= knowledge[slot].scale(row.rescale) }
      guard scaled > row.nullAtOrBelow, scaled < row.nullAtOrAbove else { continue }
      handler.reading(
        Reading(
          origin: origin, signal: SignalID(rawValue: UInt16(truncatingIfNeeded: i)), service: service,
          identifier: identifier, frame: frame, value: scaled))
    }
  }

  /// Reports an error at a byte of a message, or at the line's end if the message has several text lines.
  @inline(never)
  mutating func fail<H: ReplyHandler & ~Copyable>(
    _ kind: WireError.Kind, at byte: Int, _ line: Span<UInt8>, _ origin: Origin, into handler: inout H
  ) {
    handler.failure(WireError(kind, origin: origin, offset: offset(of: byte, in: line)), line: line)
  }

  mutating func offset(of byte: Int, in line: Span<UInt8>) -> UInt16 {
    guard firstDigit >= 0 else { return UInt16(clamping: line.count) }
    let wanted = firstDigit + 2 * byte
    var seen = 0
    for i in min(lineStart, line.count)..<line.count where Hex.value(line[i]) < 16 {
      if seen == wanted { return UInt16(clamping: i) }
      seen += 1
    }
    return UInt16(clamping: line.count)
  }
}

/// The scalings (PIDs 4F and 50) and oxygen sensors (PIDs 13 and 1D) that an ECU reported.
struct ECUKnowledge: BitwiseCopyable {
  var address: ECUAddress = .unknown
  var layout: OxygenSensorLayout = .unknown
  /// Factors relative to the default full scale.
  private var ratio = 1.0
  private var voltage = 1.0
  private var current = 1.0
  private var pressure = 1.0
  private var airFlow = 1.0

  init() {}

  static func isLaidOut(_ parameter: UInt8) -> Bool {
    switch parameter {
    case 0x14...0x1B, 0x24...0x2B, 0x34...0x3B: true
    default: false
    }
  }

  mutating func scale(_ kind: SignalDefinition.Rescale) -> Double {
    switch kind {
    case .none: 1
    case .equivalenceRatio: ratio
    case .oxygenSensorVoltage: voltage
    case .oxygenSensorCurrent: current
    case .manifoldPressure: pressure
    case .massAirFlow: airFlow
    }
  }

  /// Reads PID 4F, bytes A to D: full scales. 0 keeps the default (SAE J1979-DA, PID 4F).
  mutating func learnScales4F(_ data: Span<UInt8>) {
    ratio = data[0] == 0 ? 1 : Double(word: UInt16(data[0])) / 2
    voltage = data[1] == 0 ? 1 : Double(word: UInt16(data[1])) / 8
    current = data[2] == 0 ? 1 : Double(word: UInt16(data[2])) / 128
    pressure = data[3] == 0 ? 1 : Double(word: UInt16(data[3])) * 10 / 255
  }

  /// Reads PID 50, byte A: full scale of mass air flow in 10 g/s.
  mutating func learnScale50(_ data: Span<UInt8>) {
    airFlow = data[0] == 0 ? 1 : Double(word: UInt16(data[0])) * 10 / 655.35
  }
}

/// Decodes complete messages into readings. It uses the tables of SAE J1979-DA and the loaded signal sets.
///
/// A message that answers another request gives no reading. A message that is too short for its parameters gives the
/// readings that are complete, and an error for the rest.
struct MessageDecoder: ~Copyable {
  /// Where the table of signals contains the rows of each PID of service 01 and, from index 256 on, of each information
  /// type of service 09.
  var parameterRows = InlineArray<512, ParameterRows>(repeating: ParameterRows())
  /// For the ECU in each slot, the scalings and sensors that it has reported.
  var knowledge = InlineArray<9, ECUKnowledge>(repeating: ECUKnowledge())
  var codes = InlineArray<1024, TroubleCode>(repeating: TroubleCode(code: 0))
  /// The request that the messages answer.
  var request = Request()
  /// The signal of the voltage that the adapter measures (ATRV).
  private(set) var batteryVoltage = SignalID(rawValue: 0)

  init() {
    let rows = saeSignals.span
    for i in rows.indices {
      let service = rows[i].definition.service
      let identifier = rows[i].definition.identifier
      if service == 0 { batteryVoltage = SignalID(rawValue: UInt16(truncatingIfNeeded: i)) }
      guard service == 0x01 || service == 0x09, identifier < 256 else { continue }
      let key = Int(identifier) + (service == 0x09 ? 256 : 0)
      if parameterRows[key].count == 0 { parameterRows[key].first = UInt16(truncatingIfNeeded: i) }
      parameterRows[key].count += 1
    }
    for key in 0..<256 {
      parameterRows[key].length = saeParameterLengths.span[key]
      // PIDs of oxygen sensors have three groups of rows, one for each layout of the sensors. Only one group applies.
      if ECUKnowledge.isLaidOut(UInt8(truncatingIfNeeded: key)) { parameterRows[key].count /= 3 }
      parameterRows[key].classify(
        UInt8(truncatingIfNeeded: key), rows[Int(parameterRows[key].first)].definition)
    }
  }

  /// Returns the number of data bytes of a PID of service 01; 0 if the standard does not define the PID.
  @inline(__always)
  mutating func parameterLength(_ parameter: UInt8) -> Int { Int(parameterRows[Int(parameter)].length) }

  /// Decodes a complete message.
  @inline(__always)
  mutating func decode<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, isCAN: Bool?, in context: LineContext, into handler: inout H
  ) {
    if payload[0] == 0x41, context.loaded.isEmpty {
      parameters(payload, in: context, into: &handler)
    } else {
      decodeOther(payload, isCAN: isCAN, in: context, into: &handler)
    }
  }

  @inline(never)
  private mutating func decodeOther<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, isCAN: Bool?, in context: LineContext, into handler: inout H
  ) {
    if payload[0] == 0x7F {
      negativeResponse(payload, in: context, into: &handler)
      return
    }
    let service = payload[0] &- 0x40
    guard payload[0] >= 0x40, request.admits(service: service) else {
      fail(.unexpected, at: 0, in: context, into: &handler)
      return
    }
    switch service {
    case 0x01:
      parameters(payload, in: context, into: &handler)
    case 0x02:
      freezeFrame(payload, in: context, into: &handler)
    case 0x03, 0x07, 0x0A:
      troubleCodes(payload, isCAN: isCAN, in: context, into: &handler)
    case 0x04, 0x14: handler.codesCleared(origin: context.origin)
    case 0x05:
      oxygenSensorTest(payload, in: context, into: &handler)
    case 0x06:
      monitoringTests(payload, isCAN: isCAN, in: context, into: &handler)
    case 0x09:
      vehicleInformation(payload, in: context, into: &handler)
    case 0x19:
      readDTCInformation(payload, in: context, into: &handler)
    case 0x21:
      localIdentifier(payload, in: context, into: &handler)
    case 0x22:
      dataIdentifiers(
        payload, in: context, into: &handler)
    default: break
    }
  }

  /// Reports a negative response such as `7F 01 12`: the rejected service and the response code.
  private mutating func negativeResponse<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    guard payload.count >= 3 else {
      fail(.truncated, at: payload.count, in: context, into: &handler)
      return
    }
    guard request.admits(service: payload[1]) else {
      fail(.unexpected, at: 1, in: context, into: &handler)
      return
    }
    var error = context.error(.negativeResponse, atByte: 0)
    error.service = payload[1]
    error.responseCode = payload[2]
    handler.failure(error, line: context.line)
  }

  /// Reads the values of one PID from its data bytes.
  ///
  /// - Parameters:
  ///   - key: index of the PID in the tables.
  ///   - service: the service that the readings contain. Services 02 and 22 also use the rows of service 01.
  ///   - identifier: the identifier that the readings contain.
  @inline(__always)
  mutating func values<H: ReplyHandler & ~Copyable>(
    _ rows: ParameterRows, of key: Int, data: Span<UInt8>, service: UInt8, identifier: UInt16, frame: UInt8,
    in context: LineContext, into handler: inout H
  ) {
    if rows.form == .number, Int(rows.length) == data.count, !rows.isRescaled || !knows(context) {
      handler.reading(
        Reading(
          origin: context.origin, signal: SignalID(rawValue: rows.first), service: service, identifier: identifier,
          frame: frame, value: rows.number(in: data)))
      return
    }
    tableRows(
      rows, of: key, data: data, service: service, identifier: identifier, frame: frame, in: context, into: &handler)
  }

  /// Whether the sender has reported its scalings or its sensors.
  @inline(__always)
  private mutating func knows(_ context: LineContext) -> Bool {
    knowledge[context.slot].address == context.origin.ecu
  }

  /// Reads the values that the rows of a PID define: bit fields, flags, and numbers that exist only under a condition.
  @inline(never)
  private mutating func tableRows<H: ReplyHandler & ~Copyable>(
    _ rows: ParameterRows, of key: Int, data: Span<UInt8>, service: UInt8, identifier: UInt16, frame: UInt8,
    in context: LineContext, into handler: inout H
  ) {
    var first = Int(rows.first)
    let count = Int(rows.count)
    if key < 256, ECUKnowledge.isLaidOut(UInt8(truncatingIfNeeded: key)), knows(context) {
      first += count * Int(knowledge[context.slot].layout.rawValue)
    }
    let table = saeSignals.span
    for i in first..<first + count {
      let row = table[i].definition
      guard row.applies(to: data), let value = row.value(in: data) else { continue }
      var scaled = value
      if row.rescale != .none, knows(context) { scaled *= knowledge[context.slot].scale(row.rescale) }
      guard scaled > row.nullAtOrBelow, scaled < row.nullAtOrAbove else { continue }
      handler.reading(
        Reading(
          origin: context.origin, signal: SignalID(rawValue: UInt16(truncatingIfNeeded: i)), service: service,
          identifier: identifier, frame: frame, value: scaled))
    }
  }

  /// Reports an error at a byte of a message. If the message has several text lines, the error is at the end of the
  /// current text line.
  @inline(never)
  mutating func fail<H: ReplyHandler & ~Copyable>(
    _ kind: WireError.Kind, at byte: Int, in context: LineContext, into handler: inout H
  ) {
    handler.failure(context.error(kind, atByte: byte), line: context.line)
  }
}

/// The scalings (PIDs 4F and 50) and the oxygen sensors (PIDs 13 and 1D) that an ECU has reported.
struct ECUKnowledge: BitwiseCopyable {
  var address: ECUAddress = .unknown
  var layout: OxygenSensorLayout = .unknown
  /// The full scale of equivalence ratios that the ECU uses, divided by the default full scale.
  private var ratio = 1.0
  /// The full scale of oxygen sensor voltages that the ECU uses, divided by the default full scale.
  private var voltage = 1.0
  /// The full scale of oxygen sensor currents that the ECU uses, divided by the default full scale.
  private var current = 1.0
  /// The full scale of manifold pressures that the ECU uses, divided by the default full scale.
  private var pressure = 1.0
  /// The full scale of mass air flows that the ECU uses, divided by the default full scale.
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

  /// Reads bytes A to D of PID 4F, which are full scales. A byte of 0 means that the default applies (SAE J1979-DA, PID
  /// 4F).
  mutating func learnScales4F(_ data: Span<UInt8>) {
    ratio = data[0] == 0 ? 1 : Double(word: UInt16(data[0])) / 2
    voltage = data[1] == 0 ? 1 : Double(word: UInt16(data[1])) / 8
    current = data[2] == 0 ? 1 : Double(word: UInt16(data[2])) / 128
    pressure = data[3] == 0 ? 1 : Double(word: UInt16(data[3])) * 10 / 255
  }

  /// Reads byte A of PID 50: the full scale of the mass air flow, in steps of 10 g/s.
  mutating func learnScale50(_ data: Span<UInt8>) {
    airFlow = data[0] == 0 ? 1 : Double(word: UInt16(data[0])) * 10 / 655.35
  }
}

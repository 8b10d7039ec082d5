import OBDWire
import SignalSets
import Telemetry

/// Collects the messages, readings and errors of a reply, and writes them as one JSON line.
struct DecodeAnswer: ~Copyable, ReplyHandler {
  private enum Item {
    case reading(Reading)
    case text(TextReading, [UInt8])
    case codes(TroubleCodeList, [TroubleCode])
    case test(TestResult)
    case supported(UInt32, service: UInt8, base: UInt16, Origin)
  }

  private var encoder = JSONLineEncoder(capacity: 1 << 16, growable: true)
  private var messages: [(ECUAddress, [UInt8])] = []
  private var items: [Item] = []
  private var failures: [(WireError, [UInt8])] = []
  private var loaded: LoadedSignals?

  /// Writes the line that ``finish()`` or ``refuse(_:at:text:)`` has built.
  func write(to output: inout OutputStream) throws { try output.write(encoder) }

  mutating func begin(_ loaded: LoadedSignals?) {
    self.loaded = loaded
    messages.removeAll(keepingCapacity: true)
    items.removeAll(keepingCapacity: true)
    failures.removeAll(keepingCapacity: true)
  }

  mutating func message(_ payload: Span<UInt8>, origin: Origin) {
    messages.append((origin.ecu, Self.copy(payload)))
  }
  mutating func reading(_ reading: Reading) { items.append(.reading(reading)) }
  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>) { items.append(.text(text, Self.copy(bytes))) }
  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {
    var copy: [TroubleCode] = []
    for i in codes.indices { copy.append(codes[i]) }
    items.append(.codes(list, copy))
  }
  mutating func testResult(_ result: TestResult) { items.append(.test(result)) }
  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin) {
    items.append(.supported(bitmap, service: service, base: base, origin))
  }
  mutating func failure(_ error: WireError, line: Span<UInt8>) { failures.append((error, Self.copy(line))) }

  private static func copy(_ bytes: Span<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    for i in bytes.indices { out.append(bytes[i]) }
    return out
  }

  // MARK: Writing

  /// Builds the line for the collected messages, readings and errors.
  mutating func finish() {
    encoder.begin()
    encoder.beginArray("messages")
    for (ecu, payload) in messages {
      encoder.beginObject()
      write(ecu)
      encoder.key("payload")
      encoder.value(hex: payload.span)
      encoder.end()
    }
    encoder.end()
    encoder.beginArray("readings")
    for item in items { write(item) }
    encoder.end()
    encoder.beginArray("errors")
    for (error, line) in failures { write(error, line) }
    encoder.end()
    encoder.finish()
  }

  /// Builds the line for a request that cannot be decoded. The line contains the error, and an empty array for each
  /// other key of a result. Therefore, readers of the lines find the same keys in all of them.
  mutating func refuse(_ reason: String, at offset: Int, text: ArraySlice<UInt8>) {
    encoder.begin()
    writeRefusal(reason, offset, text)
    encoder.beginArray("messages")
    encoder.end()
    encoder.beginArray("readings")
    encoder.end()
    encoder.beginArray("errors")
    encoder.beginObject()
    writeRefusal(reason, offset, text)
    encoder.end()
    encoder.end()
    encoder.finish()
  }

  private mutating func writeRefusal(_ reason: String, _ offset: Int, _ text: ArraySlice<UInt8>) {
    encoder.key("kind")
    encoder.value("malformed" as StaticString)
    encoder.key("line")
    encoder.value(0)
    encoder.key("offset")
    encoder.value(offset)
    encoder.key("bytes")
    let start = Array(text.prefix(1024))
    encoder.value(start.span)
    encoder.key("reason")
    encoder.value(reason)
  }

  private mutating func write(_ ecu: ECUAddress) {
    guard ecu.kind != .unknown else { return }
    encoder.key("ecu")
    encoder.value(ecu.text)
  }

  private mutating func begin(_ name: StaticString, pid: String) {
    encoder.beginObject()
    encoder.key("name")
    encoder.value(name)
    encoder.key("pid")
    encoder.value(pid)
  }

  private mutating func write(_ item: Item) {
    switch item {
    case .reading(let reading): write(reading)
    case .text(let text, let bytes): write(text, bytes)
    case .codes(let list, let codes): write(list, codes)
    case .test(let result): write(result)
    case .supported(let bitmap, let service, let base, let origin):
      begin("supportedPids", pid: service == 0x22 ? hexText(service, 2) + hexText(base, 4) : pidText(service, base))
      encoder.beginArray("value")
      for bit in 0..<32 where bitmap >> UInt32(31 - bit) & 1 == 1 {
        encoder.value(hexText((base & 0xFF) + UInt16(bit) + 1, 2))
      }
      encoder.end()
      write(origin.ecu)
      encoder.end()
    }
  }

  private mutating func write(_ reading: Reading) {
    encoder.beginObject()
    encoder.key("name")
    if let name = loaded?.name(of: reading.signal) {
      encoder.value(name)
    } else {
      encoder.value(saeSignals.span[Int(reading.signal.rawValue)].name)
    }
    encoder.key("pid")
    encoder.value(reading.service == 0 ? "ATRV" : pidText(reading.service, reading.identifier))
    if reading.service == 0x02 {
      encoder.key("frame")
      encoder.value(Int(reading.frame))
    }
    encoder.key("value")
    let unit = SignalText.write(reading, loaded, into: &encoder)
    if !unit.isEmpty {
      encoder.key("unit")
      encoder.value(unit)
    }
    write(reading.origin.ecu)
    encoder.end()
  }

  private mutating func write(_ text: TextReading, _ bytes: [UInt8]) {
    let name: StaticString
    switch text.kind {
    case .vin: name = "vin"
    case .calibrationID: name = "calibrationId"
    case .calibrationVerificationNumber: name = "calibrationVerificationNumber"
    case .ecuName: name = "ecuName"
    case .other: name = "vehicleInformation"
    }
    begin(name, pid: pidText(text.service, text.identifier))
    encoder.key("value")
    if text.kind == .calibrationVerificationNumber {
      encoder.value(hex: bytes.span)
    } else {
      encoder.value(bytes.span)
    }
    write(text.origin.ecu)
    encoder.end()
  }

  private mutating func write(_ list: TroubleCodeList, _ codes: [TroubleCode]) {
    if list.kind == .freezeFrame {
      // A freeze frame without a trouble code does not exist.
      guard let code = codes.first else { return }
      begin("freezeFrameDtc", pid: "0202")
      encoder.key("frame")
      encoder.value(Int(list.subfunction))
      encoder.key("value")
      encoder.value(code.string)
    } else {
      var pid = hexText(list.service, 2)
      if list.service == 0x19 { pid += hexText(list.subfunction, 2) }
      if list.group != 0 { pid += hexText(list.group, 2) }
      begin("dtcCodes", pid: pid)
      encoder.beginArray("value")
      for code in codes { encoder.value(code.string) }
      encoder.end()
    }
    write(list.origin.ecu)
    encoder.end()
  }

  private mutating func write(_ result: TestResult) {
    let identifier = result.isLegacy ? result.testID : result.monitorID
    let pid = result.service == 0x22 ? "22F6" + hexText(identifier, 2) : pidText(result.service, UInt16(identifier))
    begin("testResult", pid: pid)
    if !result.isLegacy {
      encoder.key("mid")
      encoder.value(hexText(result.monitorID, 2))
    }
    encoder.key("tid")
    encoder.value(hexText(result.testID, 2))
    if result.isLegacy {
      encoder.key("component")
      encoder.value(hexText(result.component, 2))
    } else {
      encoder.key("uasid")
      encoder.value(hexText(result.scalingID, 2))
    }
    encoder.key("value")
    encoder.value(result.value)
    if let minimum = result.minimum {
      encoder.key("min")
      encoder.value(minimum)
    }
    if let maximum = result.maximum {
      encoder.key("max")
      encoder.value(maximum)
    }
    // If the test was not completed, its value and its limits are 0. They are not measured values.
    if !result.isCompleted {
      encoder.key("completed")
      encoder.value(false)
    }
    if !result.isLegacy, let unit = UnitAndScaling(id: result.scalingID)?.unit, unit.symbol.utf8CodeUnitCount > 0 {
      encoder.key("unit")
      encoder.value(unit.symbol)
    }
    write(result.origin.ecu)
    encoder.end()
  }

  private mutating func write(_ error: WireError, _ line: [UInt8]) {
    encoder.beginObject()
    WireErrorText.write(error, line.span, into: &encoder)
    encoder.end()
  }
}

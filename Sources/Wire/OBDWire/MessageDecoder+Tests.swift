/// Results of on-board tests: service 05 (oxygen sensors, on buses older than CAN) and service 06 (SAE J1979, 6.5 and
/// 6.6).
///
///     46 01 01 0A 0B B0 00 00 FF FF    CAN: monitor, test, scaling, value, minimum, maximum
///     46 06 03 00 5A 9C 40             legacy: test, component, value, limit
extension MessageDecoder {
  mutating func monitoringTests<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, isCAN: Bool?, in context: LineContext, into handler: inout H
  ) {
    guard payload.count >= 2 else {
      fail(.truncated, at: payload.count, in: context, into: &handler)
      return
    }
    guard isCAN ?? (payload.count != 7) else {
      legacyTest(payload, in: context, into: &handler)
      return
    }
    var i = 1
    repeat {
      let monitor = payload[i]
      guard request.admits(UInt16(monitor)) else {
        fail(.unexpected, at: i, in: context, into: &handler)
        return
      }
      let size = monitor & 0x1F == 0 ? 5 : 9
      guard i + size <= payload.count else {
        fail(.truncated, at: payload.count, in: context, into: &handler)
        return
      }
      if size == 5 {
        supported(
          payload.extracting(i + 1..<i + 5), service: 0x06, base: UInt16(monitor), in: context, into: &handler)
      } else {
        test(
          payload.extracting(i + 1..<i + 9), service: 0x06, monitor: monitor, at: i, in: context, into: &handler)
      }
      i += size
    } while i < payload.count
  }

  /// Reads the eight bytes of one test: test ID, unit-and-scaling ID, value, minimum and maximum.
  mutating func test<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, service: UInt8, monitor: UInt8, at index: Int, in context: LineContext, into handler: inout H
  ) {
    guard let scaling = UnitAndScaling(id: bytes[1]) else {
      // The standard does not define this ID, so the scale is unknown. A number without a scale would be a guess.
      fail(.malformed, at: index + 2, in: context, into: &handler)
      return
    }
    var result = TestResult(
      origin: context.origin, service: service, isLegacy: false, monitorID: monitor, testID: bytes[0], component: 0,
      scalingID: bytes[1],
      value: scaling.value(UInt16(bytes[2]) << 8 | UInt16(bytes[3])),
      minimum: scaling.value(UInt16(bytes[4]) << 8 | UInt16(bytes[5])),
      maximum: scaling.value(UInt16(bytes[6]) << 8 | UInt16(bytes[7])))
    result.isCompleted = bytes[2] | bytes[3] | bytes[4] | bytes[5] | bytes[6] | bytes[7] != 0
    handler.testResult(result)
  }

  private mutating func legacyTest<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    guard request.admits(UInt16(payload[1])) else {
      fail(.unexpected, at: 1, in: context, into: &handler)
      return
    }
    guard payload.count == 7 else {
      fail(payload.count < 7 ? .truncated : .malformed, at: min(payload.count, 7), in: context, into: &handler)
      return
    }
    if payload[1] & 0x1F == 0 {
      // The answer is 46 00 FF and the bitmap. FF is in the byte of the component ID.
      supported(payload.extracting(3..<7), service: 0x06, base: UInt16(payload[1]), in: context, into: &handler)
      return
    }
    let limit = Double(word: UInt16(payload[5]) << 8 | UInt16(payload[6]))
    let isMinimum = payload[2] & 0x80 != 0
    handler.testResult(
      TestResult(
        origin: context.origin, service: 0x06, isLegacy: true, monitorID: 0, testID: payload[1],
        component: payload[2] & 0x7F,
        scalingID: 0,
        value: Double(word: UInt16(payload[3]) << 8 | UInt16(payload[4])), minimum: isMinimum ? limit : nil,
        maximum: isMinimum ? nil : limit))
  }

  /// Reads an answer such as `45 01 01 5A`: test, oxygen sensor, and a value. For tests 01–04, the value is a constant;
  /// for others, a minimum and a maximum follow.
  mutating func oxygenSensorTest<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    guard payload.count >= 4 else {
      fail(.truncated, at: payload.count, in: context, into: &handler)
      return
    }
    let test = payload[1]
    guard request.admits(UInt16(test)) else {
      fail(.unexpected, at: 1, in: context, into: &handler)
      return
    }
    if test & 0x1F == 0 {
      guard payload.count >= 7 else {
        fail(.truncated, at: payload.count, in: context, into: &handler)
        return
      }
      supported(payload.extracting(3..<7), service: 0x05, base: UInt16(test), in: context, into: &handler)
      return
    }
    // According to the table of test IDs in SAE J1979, the step is 0.005 V for 01–04, 07 and 08; 0.004 s for 05 and 06;
    // 0.04 s for 09 and 0A. Other tests have no scale.
    let scale: Double
    switch test {
    case 0x01...0x04, 0x07, 0x08: scale = 0.005
    case 0x05, 0x06: scale = 0.004
    case 0x09, 0x0A: scale = 0.04
    default: scale = 1
    }
    let hasLimits = payload.count >= 6
    handler.testResult(
      TestResult(
        origin: context.origin, service: 0x05, isLegacy: true, monitorID: 0, testID: test, component: payload[2],
        scalingID: 0,
        value: Double(word: UInt16(payload[3])) * scale,
        minimum: hasLimits ? Double(word: UInt16(payload[4])) * scale : nil,
        maximum: hasLimits ? Double(word: UInt16(payload[5])) * scale : nil))
  }
}

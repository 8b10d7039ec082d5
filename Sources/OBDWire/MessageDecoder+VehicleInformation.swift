/// Service 09: VIN, calibrations, in-use performance, ECU name (SAE J1979, 6.9).
///
///     49 02 01 57 50 30 5A 5A 5A 39 39 5A 54 53 33 39 32 31 32 34     CAN: one item, 17 characters
///     49 02 01 00 00 00 57 … 49 02 05 32 33 34 35                     legacy: five lines of four
extension MessageDecoder {
  mutating func vehicleInformation<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, line: Span<UInt8>, origin: Origin, into handler: inout H
  ) {
    guard payload.count >= 2 else {
      fail(.truncated, at: payload.count, line, origin, into: &handler)
      return
    }
    let type = payload[1]
    guard request.admits(UInt16(type)) else {
      fail(.unexpected, at: 1, line, origin, into: &handler)
      return
    }
    if type & 0x1F == 0 {
      // On CAN the bitmap follows at once; legacy lines have their number between.
      let start = payload.count == 7 ? 3 : 2
      guard payload.count >= start + 4 else {
        fail(.truncated, at: payload.count, line, origin, into: &handler)
        return
      }
      supported(
        payload.extracting(start..<start + 4), service: 0x09, base: UInt16(type), origin: origin, into: &handler)
      return
    }
    // Message counts of legacy buses (01, 03, 05, 07, 09) tell the adapter how many lines follow.
    guard type & 1 == 0 || type >= 0x0B else { return }
    guard payload.count >= 4 else {
      fail(.truncated, at: payload.count, line, origin, into: &handler)
      return
    }
    items(
      payload.extracting(3..<payload.count), announced: Int(payload[2]), service: 0x09, identifier: UInt16(type),
      line: line, origin: origin, into: &handler)
  }

  /// What five (or more) legacy lines held together.
  mutating func gatheredInformation<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, identifier: UInt8, line: Span<UInt8>, origin: Origin, into handler: inout H
  ) {
    firstDigit = -1
    let size = itemSize(identifier)
    // A VIN and an ECU name take five lines (SAE J1979, 6.9): fewer are a cut answer.
    let needed = identifier == 0x02 || identifier == 0x0A ? 20 : size
    guard bytes.count >= needed, needed > 0 || bytes.count > 0 else {
      handler.failure(WireError(.truncated, origin: origin, offset: UInt16(clamping: line.count)), line: line)
      return
    }
    // A VIN or a name is one item: lines behind its fifth are no part of it.
    guard needed != 20 || bytes.count == 20 else {
      handler.failure(WireError(.malformed, origin: origin, offset: UInt16(clamping: line.count)), line: line)
      return
    }
    items(
      bytes, announced: needed > 0 ? bytes.count / needed : 1, service: 0x09, identifier: UInt16(identifier),
      line: line, origin: origin, into: &handler)
    if needed > 0, bytes.count % needed != 0 {
      handler.failure(WireError(.truncated, origin: origin, offset: UInt16(clamping: line.count)), line: line)
    }
  }

  /// Bytes of one item of an information type; 0 where the answer is one item of any length.
  private mutating func itemSize(_ type: UInt8) -> Int {
    switch type {
    case 0x04: 16
    case 0x06: 4
    default: 0
    }
  }

  /// The items of one information type, behind their number.
  mutating func items<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, announced: Int, service: UInt8, identifier: UInt16, line: Span<UInt8>, origin: Origin,
    into handler: inout H
  ) {
    let type = UInt8(truncatingIfNeeded: identifier)
    switch type {
    case 0x04, 0x06:
      let size = itemSize(type)
      let whole = data.count / size
      for k in 0..<min(whole, max(announced, 1)) {
        let item = data.extracting(k * size..<(k + 1) * size)
        let kind: TextReading.Kind = type == 0x04 ? .calibrationID : .calibrationVerificationNumber
        emit(item, kind, type == 0x04, service, identifier, UInt8(truncatingIfNeeded: k), origin, into: &handler)
      }
      if whole < announced { fail(.truncated, at: 3 + data.count, line, origin, into: &handler) }
    case 0x08, 0x0B:
      rows(
        of: 256 + Int(type), data: data, slot: ECUTable.unknown, service: service, identifier: identifier, frame: 0,
        origin: origin, into: &handler)
    case 0x02: emit(data, .vin, true, service, identifier, 0, origin, into: &handler)
    case 0x0A: emit(data, .ecuName, true, service, identifier, 0, origin, into: &handler)
    default: emit(data, .other, true, service, identifier, 0, origin, into: &handler)
    }
  }

  /// One text, without the NULs that fill it up. An ECU name has them between its acronym and its words too
  /// (`ECM`, NUL, `-EngineControl`; SAE J1979, 6.9).
  private mutating func emit<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, _ kind: TextReading.Kind, _ isText: Bool, _ service: UInt8, _ identifier: UInt16,
    _ index: UInt8, _ origin: Origin, into handler: inout H
  ) {
    let reading = TextReading(origin: origin, kind: kind, service: service, identifier: identifier, index: index)
    if kind == .ecuName, bytes.count <= 32 {
      var name = InlineArray<32, UInt8>(repeating: 0)
      var count = 0
      for i in bytes.indices where bytes[i] != 0 {
        name[count] = bytes[i]
        count += 1
      }
      handler.text(reading, name.span.extracting(first: count))
      return
    }
    var first = 0
    var end = bytes.count
    if isText {
      while first < end, bytes[first] == 0 { first += 1 }
      while end > first, bytes[end - 1] == 0 { end -= 1 }
    }
    handler.text(reading, bytes.extracting(first..<end))
  }
}

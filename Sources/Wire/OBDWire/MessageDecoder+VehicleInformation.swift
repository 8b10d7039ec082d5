/// Service 09: VIN, calibrations, in-use performance, ECU name (SAE J1979, 6.9).
///
///     49 02 01 57 50 30 5A 5A 5A 39 39 5A 54 53 33 39 32 31 32 34     CAN: one item, 17 characters
///     49 02 01 00 00 00 57 … 49 02 05 32 33 34 35                     legacy: five text lines of four bytes
extension MessageDecoder {
  mutating func vehicleInformation<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    guard payload.count >= 2 else {
      fail(.truncated, at: payload.count, in: context, into: &handler)
      return
    }
    let type = payload[1]
    guard request.admits(UInt16(type)) else {
      fail(.unexpected, at: 1, in: context, into: &handler)
      return
    }
    if type & 0x1F == 0 {
      // On CAN, the bitmap comes first. On older buses, the number of the text line precedes it.
      let start = payload.count == 7 ? 3 : 2
      guard payload.count >= start + 4 else {
        fail(.truncated, at: payload.count, in: context, into: &handler)
        return
      }
      supported(
        payload.extracting(start..<start + 4), service: 0x09, base: UInt16(type), in: context, into: &handler)
      return
    }
    // On buses older than CAN, types 01, 03, 05, 07 and 09 report the number of text lines that the next type has. Only
    // the adapter needs this.
    guard type & 1 == 0 || type >= 0x0B else { return }
    guard payload.count >= 4 else {
      fail(.truncated, at: payload.count, in: context, into: &handler)
      return
    }
    items(
      payload.extracting(3..<payload.count), announced: Int(payload[2]), service: 0x09, identifier: UInt16(type),
      in: context, into: &handler)
  }

  /// Decodes the data that were collected from the text lines of an answer on a bus older than CAN.
  mutating func gatheredInformation<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, identifier: UInt8, in context: LineContext, into handler: inout H
  ) {
    var context = context
    context.firstDigit = -1
    let size = itemSize(identifier)
    // A VIN or an ECU name has five text lines (SAE J1979, 6.9). With fewer, the answer is truncated.
    let needed = identifier == 0x02 || identifier == 0x0A ? 20 : size
    guard bytes.count >= needed, needed > 0 || bytes.count > 0 else {
      handler.failure(context.errorAtEnd(.truncated), line: context.line)
      return
    }
    // A VIN or a name is a single item. Text lines after the fifth do not belong to it.
    guard needed != 20 || bytes.count == 20 else {
      handler.failure(context.errorAtEnd(.malformed), line: context.line)
      return
    }
    items(
      bytes, announced: needed > 0 ? bytes.count / needed : 1, service: 0x09, identifier: UInt16(identifier),
      in: context, into: &handler)
    if needed > 0, bytes.count % needed != 0 {
      handler.failure(context.errorAtEnd(.truncated), line: context.line)
    }
  }

  /// Returns the size of one item, bytes; 0 if the answer is a single item of any length.
  private mutating func itemSize(_ type: UInt8) -> Int {
    switch type {
    case 0x04: 16
    case 0x06: 4
    default: 0
    }
  }

  /// Reads the items of one information type. The number of items was already read.
  mutating func items<H: ReplyHandler & ~Copyable>(
    _ data: Span<UInt8>, announced: Int, service: UInt8, identifier: UInt16, in context: LineContext,
    into handler: inout H
  ) {
    let type = UInt8(truncatingIfNeeded: identifier)
    switch type {
    case 0x04, 0x06:
      let size = itemSize(type)
      let whole = data.count / size
      for k in 0..<min(whole, max(announced, 1)) {
        let item = data.extracting(k * size..<(k + 1) * size)
        let reading = TextReading(
          origin: context.origin, kind: type == 0x04 ? .calibrationID : .calibrationVerificationNumber,
          service: service,
          identifier: identifier, index: UInt8(truncatingIfNeeded: k))
        if type == 0x04 {
          text(item, reading, at: 3 + k * size, in: context, into: &handler)
        } else {
          handler.text(reading, item)
        }
      }
      if whole < announced { fail(.truncated, at: 3 + data.count, in: context, into: &handler) }
    case 0x08, 0x0B, 0x12, 0x14:
      values(
        parameterRows[256 + Int(type)], of: 256 + Int(type), data: data, service: service, identifier: identifier,
        frame: 0, in: context, into: &handler)
    default:
      let kind: TextReading.Kind = type == 0x02 ? .vin : type == 0x0A ? .ecuName : .other
      text(
        data, TextReading(origin: context.origin, kind: kind, service: service, identifier: identifier, index: 0),
        at: 3,
        in: context, into: &handler)
    }
  }

  /// Reports a text without its NUL padding. An ECU name also has NULs between its acronym and its full name (`ECM`,
  /// NUL, `-EngineControl`; SAE J1979, 6.9).
  ///
  /// A VIN, a calibration ID or an ECU name is malformed if it contains a byte that is not printable ASCII.
  private mutating func text<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, _ reading: TextReading, at index: Int, in context: LineContext, into handler: inout H
  ) {
    var first = 0
    var end = bytes.count
    while first < end, bytes[first] == 0 { first += 1 }
    while end > first, bytes[end - 1] == 0 { end -= 1 }
    if reading.kind != .other {
      for i in first..<end where !Self.isPrintable(bytes[i]) && !(reading.kind == .ecuName && bytes[i] == 0) {
        fail(.malformed, at: index + i, in: context, into: &handler)
        return
      }
    }
    guard reading.kind == .ecuName, end - first <= 32 else {
      handler.text(reading, bytes.extracting(first..<end))
      return
    }
    var name = InlineArray<32, UInt8>(repeating: 0)
    var count = 0
    for i in first..<end where bytes[i] != 0 {
      name[count] = bytes[i]
      count += 1
    }
    handler.text(reading, name.span.extracting(first: count))
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
}

/// Parses text lines with headers, from buses older than CAN: ISO 14230-2 (KWP), ISO 9141-2 and SAE J1850.
///
///     86 F1 10 41 00 BE 1F B8 11 6E      KWP: format byte with the length 6, to F1, from 10, data, sum
///     80 F1 10 06 41 00 BE 1F B8 11 6E   KWP with a separate length byte
///     48 6B 10 41 05 7B 84               ISO 9141-2 or J1850 VPW: no length; sum or CRC
///
/// Each text line is a message. If an answer has several text lines (VIN, trouble codes), they are collected until the
/// prompt.
extension ReplyCore {
  mutating func kwpLine<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, in context: LineContext, into handler: inout H
  ) {
    // Check all frames in the text line before any of them is used. If the length of a frame is damaged, the frame may
    // by chance end at a byte that equals its sum, but the bytes after it are then not a frame.
    var start = 0
    repeat {
      guard let end = checkKWPFrame(&hex, from: start, in: context, into: &handler) else {
        hasDamage = true
        return
      }
      start = end
    } while start < hex.count
    start = 0
    repeat {
      let (header, length) = Self.kwpExtent(&hex, from: start)
      let payload = start + header..<start + header + length
      var context = context
      if hex.bytes[start] & 0x80 != 0 {
        link.confirm(hex.bytes.span, from: start)
        context.origin.ecu = .legacy(hex.bytes[start + 2])
      }
      link.seenCAN = false
      legacyMessage(&hex, payload, in: context, into: &handler)
      start = payload.upperBound + 1
    } while start < hex.count
  }

  /// Returns the number of header bytes and the number of data bytes of a frame. Both are computed from its format
  /// byte, which consists of two bits for the address mode and six bits for the length (ISO 14230-2, 4.1). If these six
  /// bits are 0, a length byte follows the addresses. If that byte is missing, the returned length is -1.
  private static func kwpExtent(_ hex: inout HexLine, from start: Int) -> (header: Int, length: Int) {
    let format = hex.bytes[start]
    let header = format & 0x80 != 0 ? 3 : 1
    if format & 0x3F != 0 { return (header, Int(format & 0x3F)) }
    return (header + 1, start + header < hex.count ? Int(hex.bytes[start + header]) : -1)
  }

  /// Returns where a frame ends if its sum is right. Otherwise, reports an error and returns `nil`.
  private mutating func checkKWPFrame<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, from start: Int, in context: LineContext, into handler: inout H
  ) -> Int? {
    let (header, length) = Self.kwpExtent(&hex, from: start)
    var context = context
    if hex.bytes[start] & 0x80 != 0, start + 2 < hex.count { context.origin.ecu = .legacy(hex.bytes[start + 2]) }
    let end = start + header + length + 1
    if length == 0 {
      fail(.malformed, byte: start + header - 1, &hex, in: context, into: &handler)
    } else if length < 0 || end > hex.count {
      fail(.truncated, byte: hex.count, &hex, in: context, into: &handler)
    } else if Checksum.sum(hex.bytes.span, from: start, count: end - start - 1) != hex.bytes[end - 1] {
      fail(.checksum, byte: end - 1, &hex, in: context, into: &handler)
    } else {
      return end
    }
    return nil
  }

  mutating func threeByteHeaderLine<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, in context: LineContext, into handler: inout H
  ) {
    var context = context
    if hex.count > 2 { context.origin.ecu = .legacy(hex.bytes[2]) }
    guard hex.count >= 5 else {
      fail(.truncated, byte: hex.count, &hex, in: context, into: &handler)
      return
    }
    // A frame has at most 12 bytes on SAE J1850, and 11 on ISO 9141-2. A longer text line contains several frames. Each
    // frame ends where a check byte is right.
    if hex.count > 12 {
      runTogether(&hex, in: context, into: &handler)
      return
    }
    guard checkHolds(hex.bytes.span, from: 0, count: hex.count) else {
      hasDamage = true
      // The bus may also have changed. The next frame will show that.
      link.learnedCRC = nil
      let kind: WireError.Kind = isShort(&hex) ? .truncated : .checksum
      fail(kind, byte: kind == .truncated ? hex.count : hex.count - 1, &hex, in: context, into: &handler)
      return
    }
    link.confirm(hex.bytes.span, from: 0)
    learnCheck(hex.bytes.span, from: 0, count: hex.count)
    legacyMessage(&hex, 3..<hex.count - 1, in: context, into: &handler)
  }

  /// Whether an answer of service 01 is shorter than its PID requires. It is then truncated, not damaged.
  private mutating func isShort(_ hex: inout HexLine) -> Bool {
    guard hex.count >= 5, hex.bytes[3] == 0x41 else { return false }
    let needed = decoder.parameterLength(hex.bytes[4])
    return needed > 0 && hex.count < 3 + 2 + needed + 1
  }

  private mutating func runTogether<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, in context: LineContext, into handler: inout H
  ) {
    // Use either all frames of the line or none.
    var start = 0
    while start < hex.count {
      guard let end = endOfFrame(&hex, from: start) else {
        hasDamage = true
        fail(.checksum, byte: start, &hex, in: context, into: &handler)
        return
      }
      start = end
    }
    start = 0
    while let end = endOfFrame(&hex, from: start) {
      var context = context
      context.origin.ecu = .legacy(hex.bytes[start + 2])
      link.confirm(hex.bytes.span, from: start)
      legacyMessage(&hex, start + 3..<end - 1, in: context, into: &handler)
      start = end
    }
  }

  /// Returns where the frame that begins at `start` ends; `nil` if no end is found. A frame ends at a correct check
  /// byte that is followed by the end of the text line, or by another frame of the same ECU. Such a frame begins with
  /// the same two bytes as the text line.
  private mutating func endOfFrame(_ hex: inout HexLine, from start: Int) -> Int? {
    var size = 5
    while size <= 12, start + size <= hex.count {
      let next = start + size
      let isBoundary =
        next == hex.count
        || next + 1 < hex.count && hex.bytes[next] == hex.bytes[0] && hex.bytes[next + 1] == hex.bytes[1]
      if isBoundary, checkHolds(hex.bytes.span, from: start, count: size) { return next }
      size += 1
    }
    return nil
  }

  private mutating func legacyMessage<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, _ payload: Range<Int>, in context: LineContext, into handler: inout H
  ) {
    var context = context
    guard assignSlot(to: &context, into: &handler) else { return }
    context.firstDigit = hex.digitIndex(ofByte: payload.lowerBound)
    legacyPayload(
      hex.bytes.span.extracting(payload), in: context, into: &handler)
  }

  /// Processes the data of one text line. If the answer may have several text lines, collects the data; otherwise,
  /// decodes the answer immediately.
  mutating func legacyPayload<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    let slot = context.slot
    let service = payload[0]
    let asked = decoder.request.admits(service: service &- 0x40)
    let isList = service == 0x43 || service == 0x47 || service == 0x4A
    let isInformation =
      service == 0x49 && payload.count >= 4 && payload[1] & 1 == 0 && payload[1] != 0
      || service == 0x49 && payload.count >= 4 && payload[1] >= 0x0B
    guard asked, isList || isInformation && decoder.request.asks(for: UInt16(payload[1])) else {
      deliver(payload, in: context, into: &handler)
      return
    }
    // As on CAN, two equal text lines in succession count as one.
    let packed = Self.packed(payload.extracting(first: min(payload.count, 8)))
    let count = UInt8(clamping: payload.count)
    if count <= 8, table.slots[slot].lastSingleCount == count, table.slots[slot].lastSingle == packed { return }
    table.slots[slot].lastSingle = packed
    table.slots[slot].lastSingleCount = count

    handler.message(payload, origin: context.origin)
    table.slots[slot].isPending = false
    if isList {
      gatherCodes(payload, in: context, into: &handler)
    } else {
      gatherInformation(payload, in: context, into: &handler)
    }
  }

  private mutating func gatherCodes<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    let slot = context.slot
    guard payload.count & 1 == 1 else {
      let error = context.errorAtEnd(.truncated)
      handler.failure(error, line: context.line)
      return
    }
    // Each text line has three codes (SAE J1979, 6.3). A text line without a header has no check byte, so reject it if
    // it is longer.
    guard slot != ECUTable.unknown || payload.count <= 7 else {
      handler.failure(context.errorAtEnd(.malformed), line: context.line)
      return
    }
    startGathering(slot, service: payload[0], identifier: 0)
    guard table.slots[slot].received + payload.count <= ECUTable.messageCapacity else { return }
    table.append(payload, from: 1, count: payload.count - 1, to: slot)
    table.slots[slot].store(context)
  }

  /// Collects a text line such as `49 02 01 00 00 00 31`: service, information type, number of the message (counted
  /// from 1), and four bytes (SAE J1979, 6.9).
  private mutating func gatherInformation<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    let slot = context.slot
    if payload[2] == 1 || table.slots[slot].phase == .idle {
      startGathering(slot, service: 0x49, identifier: payload[1])
    }
    guard table.slots[slot].phase == .gathering else { return }
    guard payload[1] == table.slots[slot].gatheredIdentifier, payload[2] == table.slots[slot].nextIndex else {
      table.slots[slot].phase = .broken
      handler.failure(WireError(.sequence, origin: context.origin), line: context.line)
      return
    }
    guard payload.count == 7 else {
      table.slots[slot].phase = .broken
      let kind: WireError.Kind = payload.count < 7 ? .truncated : .malformed
      handler.failure(context.errorAtEnd(kind), line: context.line)
      return
    }
    table.slots[slot].nextIndex &+= 1
    table.append(payload, from: 3, count: 4, to: slot)
    table.slots[slot].store(context)
  }

  private mutating func startGathering(_ slot: Int, service: UInt8, identifier: UInt8) {
    let state = table.slots[slot]
    if state.phase == .gathering, state.gatheredService == service, service != 0x49 { return }
    begin(slot, length: 0, nextIndex: 1)
    table.slots[slot].phase = .gathering
    table.slots[slot].gatheredService = service
    table.slots[slot].gatheredIdentifier = identifier
  }
}

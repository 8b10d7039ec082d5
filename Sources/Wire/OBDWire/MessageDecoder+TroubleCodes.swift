/// Diagnostic trouble codes: services 03, 07 and 0A (SAE J1979, 6.3), and service 19 of UDS (ISO 14229-1, 12.3).
///
///     43 02 01 33 04 20           CAN: two codes, P0133 and P0420
///     43 01 33 00 00 00 00        legacy: three codes in a text line, filled with zeros
///     59 02 FF 04 20 00 2F        UDS: status mask, then code, failure type and status
///     59 42 33 FF FF 04 …         OBDonUDS (SAE J1979-2): severity, code, failure type, status
extension MessageDecoder {
  mutating func troubleCodes<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, isCAN: Bool?, in context: LineContext, into handler: inout H
  ) {
    let service = payload[0] &- 0x40
    guard payload.count >= 2 else {
      fail(.truncated, at: 1, in: context, into: &handler)
      return
    }
    // If the bus is unknown, the length decides: on CAN, an answer contains the number of codes and has an even length;
    // on an older bus, it is odd.
    guard isCAN ?? (payload.count & 1 == 0) else {
      decodeGathered(
        payload.extracting(1..<payload.count), service: payload[0], identifier: 0, in: context, into: &handler)
      return
    }
    let end = 2 + 2 * Int(payload[1])
    guard payload.count >= end else {
      fail(.truncated, at: payload.count, in: context, into: &handler)
      return
    }
    for i in end..<max(end, payload.count) where payload[i] != 0 && payload[i] != payload[payload.count - 1] {
      fail(.malformed, at: i, in: context, into: &handler)
      return
    }
    let count = pairs(payload.extracting(2..<end))
    handler.troubleCodes(
      TroubleCodeList(origin: context.origin, kind: kind(of: service), service: service),
      codes.span.extracting(first: count))
  }

  /// Decodes an answer whose text lines were collected on a bus older than CAN: trouble codes, or a text of service 09.
  mutating func decodeGathered<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, service: UInt8, identifier: UInt8, in context: LineContext, into handler: inout H
  ) {
    if service == 0x49 {
      gatheredInformation(bytes, identifier: identifier, in: context, into: &handler)
      return
    }
    let count = pairs(bytes)
    let request = service &- 0x40
    handler.troubleCodes(
      TroubleCodeList(origin: context.origin, kind: kind(of: request), service: request),
      codes.span.extracting(first: count))
  }

  private mutating func kind(of service: UInt8) -> TroubleCodeList.Kind {
    switch service {
    case 0x03: .stored
    case 0x07: .pending
    case 0x0A: .permanent
    default: .other
    }
  }

  /// Reads codes of two bytes each into `codes`, and returns how many there are. 0000 is not a code.
  private mutating func pairs(_ bytes: Span<UInt8>) -> Int {
    var count = 0
    var i = 0
    while i + 1 < bytes.count, count < 1024 {
      let code = UInt16(bytes[i]) << 8 | UInt16(bytes[i + 1])
      if code != 0 {
        codes[count] = TroubleCode(code: code)
        count += 1
      }
      i += 2
    }
    return count
  }

  mutating func readDTCInformation<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    guard payload.count >= 2 else {
      fail(.truncated, at: payload.count, in: context, into: &handler)
      return
    }
    let subfunction = payload[1]
    guard request.admits(UInt16(subfunction)) else {
      fail(.unexpected, at: 1, in: context, into: &handler)
      return
    }
    var group: UInt8 = 0
    var start: Int
    var code = 0
    var size = 4
    switch subfunction {
    // A status availability mask precedes the codes, each of which is followed by its status (ISO 14229-1, 12.3.4).
    case 0x02, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x13, 0x15: start = 3
    // A memory number and a status availability mask precede the codes, each of which is followed by its status.
    case 0x17: start = 4
    // Group, status mask, severity mask and format precede the codes. Each entry consists of severity, code and status.
    case 0x42:
      start = 6
      code = 1
      size = 5
    // Group, status mask and format precede the codes, each of which is followed by its status.
    case 0x55: start = 5
    // The other sub-functions report counts, snapshots and extended records, but no list of codes.
    default: return
    }
    if subfunction == 0x42 || subfunction == 0x55, payload.count > 2 { group = payload[2] }
    guard payload.count >= start, (payload.count - start) % size == 0 else {
      fail(.truncated, at: payload.count, in: context, into: &handler)
      return
    }
    var count = 0
    while start + size <= payload.count, count < 1024 {
      let at = start + code
      codes[count] = TroubleCode(
        code: UInt16(payload[at]) << 8 | UInt16(payload[at + 1]), failureType: payload[at + 2], hasFailureType: true,
        status: payload[at + 3])
      count += 1
      start += size
    }
    let kind: TroubleCodeList.Kind
    switch subfunction {
    case 0x02, 0x13, 0x42: kind = .stored
    case 0x15, 0x55: kind = .permanent
    default: kind = .other
    }
    handler.troubleCodes(
      TroubleCodeList(
        origin: context.origin, kind: kind, service: 0x19, subfunction: subfunction, group: group,
        statusMask: request.kind == .data ? request.statusMask : 0), codes.span.extracting(first: count))
  }
}

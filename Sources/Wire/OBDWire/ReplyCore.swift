/// Assembles the bytes of text lines into frames, and frames into messages, which it passes to the decoder.
///
/// The rules depend on the bus: ISO 15765-2 applies to CAN; ISO 14230-2, ISO 9141-2 and SAE J1850 apply to older buses.
/// This file selects the rules, and extensions of this type implement them.
struct ReplyCore: ~Copyable {
  var link = Link()
  var table = ECUTable()
  var decoder = MessageDecoder()
  /// Number of the current reply.
  var reply: UInt32 = 1
  /// One bit for each slot: bit n is 1 if slot n contains data that must be processed when the prompt arrives.
  var openSlots: UInt16 = 0
  /// Whether a text line of this reply was damaged. A list of trouble codes whose text lines are not numbered may then
  /// be incomplete.
  var hasDamage = false

  /// The format of a text line of hexadecimal digits.
  enum Form: Equatable {
    /// A CAN frame. The values are its identifier, the index of its first data byte, and its data length code, which is
    /// `nil` if the adapter does not print it.
    case can(ECUAddress, data: Int, lengthCode: Int?)
    case kwp
    /// A frame of ISO 9141-2 or SAE J1850: three header bytes, data, and one check byte.
    case threeByteHeader
    /// Data without a header.
    case headerless
    /// Joined frames with 11-bit identifiers. The number of frames is even, so that all digits form pairs.
    case canRow
    /// The length of the message in the segments that follow, such as `014`.
    case length(Int)
    /// No known format. The value is the index of the byte that is wrong.
    case malformed(Int)
  }

  /// Processes one text line of hexadecimal digits.
  @inline(__always)
  mutating func dataLine<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, in context: inout LineContext, into handler: inout H
  ) {
    // Check the most common format first: an 11-bit identifier and at most eight bytes.
    if hex.hasIdentifier, hex.count > 0, link.stated == .auto || link.stated == .can11, link.headers != .off {
      let code = hex.hasDataLengthCode ? Int(hex.dataLengthCode) : nil
      canLine(
        &hex, address: .can11(UInt32(hex.identifier)), data: 0, lengthCode: code, in: &context, into: &handler)
      return
    }
    otherLine(&hex, in: &context, into: &handler)
  }

  @inline(never)
  private mutating func otherLine<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, in context: inout LineContext, into handler: inout H
  ) {
    switch form(of: &hex) {
    case .can(let address, let data, let lengthCode):
      canLine(&hex, address: address, data: data, lengthCode: lengthCode, in: &context, into: &handler)
    case .kwp:
      kwpLine(&hex, in: context, into: &handler)
    case .threeByteHeader:
      threeByteHeaderLine(&hex, in: context, into: &handler)
    case .headerless:
      headerlessLine(&hex, in: &context, into: &handler)
    case .canRow:
      splitCAN(&hex, isShort: true, in: context, into: &handler)
    case .length(let length):
      announce(length, in: context, into: &handler)
    case .malformed(let byte):
      hasDamage = true
      let offset = hex.characterOffset(ofByte: byte, in: context.line)
      handler.failure(WireError(.malformed, origin: context.origin, offset: offset), line: context.line)
    }
  }

  /// Finds the format of a text line. If the caller has stated the bus, only the formats of this bus are possible.
  /// Otherwise, the structure and the check byte of the text line decide. If several formats fit, the bus that the
  /// dialogue indicates decides.
  private mutating func form(of hex: inout HexLine) -> Form {
    if hex.hasIdentifier {
      guard hex.count == 0, link.headers != .on, !link.stated.isLegacy else { return .malformed(0) }
      return .length(Int(hex.identifier))
    }
    if link.headers == .off { return hex.hasDataLengthCode ? .malformed(0) : .headerless }
    if hex.hasDataLengthCode {
      guard !link.stated.isLegacy, link.stated != .can11 else { return .malformed(0) }
      return can29(&hex, lengthCode: Int(hex.dataLengthCode))
    }
    switch link.stated {
    case .auto: return autoForm(of: &hex)
    case .can29:
      if hex.count >= 5, looksLikeCAN29(&hex) || link.headers == .on { return can29(&hex, lengthCode: nil) }
      return link.headers == .on ? .malformed(0) : .headerless
    case .can11:
      if let form = can11WithLengthCode(&hex) { return form }
      if isCANRow(&hex) { return .canRow }
      return link.headers == .on ? .malformed(0) : .headerless
    case .kwp:
      return link.headers == .on || looksLikeKWP(&hex)
        ? (isThreeByteHeader(&hex) ? .threeByteHeader : .kwp) : .headerless
    case .iso9141, .j1850vpw, .j1850pwm:
      return link.headers == .on || isThreeByteHeader(&hex) ? .threeByteHeader : .headerless
    }
  }

  private mutating func autoForm(of hex: inout HexLine) -> Form {
    guard hex.count > 1 else { return link.headers == .on ? .malformed(0) : .headerless }
    if hex.count >= 5, looksLikeCAN29(&hex) { return can29(&hex, lengthCode: nil) }
    if hex.bytes[0] == 0x7E {
      if let form = can11WithLengthCode(&hex) { return form }
      if isCANRow(&hex) { return .canRow }
    }
    if looksLikeKWP(&hex) { return .kwp }
    if hex.bytes[0] == 0x48, hex.bytes[1] == 0x6B { return .threeByteHeader }
    if hex.bytes[0] == 0x41, hex.bytes[1] == 0x6B { return pwmOrParameter6B(&hex) }
    // This is an answer to a request to a single ECU on J1850 or ISO 9141 (6C F1 10 62 …). The check byte distinguishes
    // it from data without a header.
    if hex.count >= 6, hex.count <= 12, hex.bytes[1] == 0xF1, checkHolds(hex.bytes.span, from: 0, count: hex.count) {
      return .threeByteHeader
    }
    return link.headers == .on || link.resemblesFrame(hex.bytes.span.extracting(first: hex.count))
      ? .malformed(0) : .headerless
  }

  /// Distinguishes two formats: `41 6B 10 41 …`, an answer on J1850 PWM with a header, and `41 6B …`, an answer of
  /// service 01 with PID 6B. If the CRC is right, the text line has the first format. Otherwise, the request decides
  /// or, if it is unknown, the length of the data of PID 6B.
  private mutating func pwmOrParameter6B(_ hex: inout HexLine) -> Form {
    if link.headers == .on || link.resemblesFrame(hex.bytes.span.extracting(first: hex.count))
      || hex.count >= 5 && checkHolds(hex.bytes.span, from: 0, count: hex.count)
    {
      return .threeByteHeader
    }
    if decoder.request.kind == .data {
      let asked = decoder.request.service == 0x01 && decoder.request.asks(for: 0x6B)
      return asked ? .headerless : .threeByteHeader
    }
    return hex.count == 7 ? .headerless : .threeByteHeader
  }

  private mutating func looksLikeCAN29(_ hex: inout HexLine) -> Bool {
    guard hex.bytes[0] <= 0x1F else { return false }
    if hex.bytes[0] == 0x18 && (hex.bytes[1] == 0xDA || hex.bytes[1] == 0xDB) { return true }
    // Other 29-bit identifiers, such as 17FE0076 in signal sets, are recognized only if the bus was stated or the
    // dialogue indicates it.
    return link.stated == .can29
      || link.hinted == .can29 && hex.bytes[0] >= 0x10 && hex.count >= 6 && hex.count <= 12
        && decoder.request.receiver.kind == .can29
  }

  private mutating func looksLikeKWP(_ hex: inout HexLine) -> Bool {
    return hex.count >= 4 && hex.bytes[0] >= 0x80
  }

  private mutating func isThreeByteHeader(_ hex: inout HexLine) -> Bool {
    guard hex.count >= 2 else { return false }
    return (hex.bytes[0] == 0x48 || hex.bytes[0] == 0x41) && hex.bytes[1] == 0x6B
      || hex.bytes[1] == 0xF1 && hex.count >= 6 && hex.bytes[0] & 0x80 == 0
  }

  private mutating func can29(_ hex: inout HexLine, lengthCode: Int?) -> Form {
    guard hex.count >= 5 else { return .malformed(hex.count) }
    let identifier =
      UInt32(hex.bytes[0]) << 24 | UInt32(hex.bytes[1]) << 16 | UInt32(hex.bytes[2]) << 8 | UInt32(hex.bytes[3])
    guard identifier <= 0x1FFF_FFFF else { return .malformed(0) }
    return .can(.can29(identifier), data: 4, lengthCode: lengthCode)
  }

  /// Reads a text line such as `7E88064100…`: without spaces, the three digits of the identifier and the DLC digit look
  /// like two bytes. Returns `nil` for any other text line.
  private mutating func can11WithLengthCode(_ hex: inout HexLine) -> Form? {
    guard !hex.isSpaced, hex.count >= 3, hex.bytes[0] < 0x80 else { return nil }
    let code = Int(hex.bytes[1] & 0x0F)
    guard code == hex.count - 2 else { return nil }
    return .can(.can11(UInt32(hex.bytes[0]) << 4 | UInt32(hex.bytes[1] >> 4)), data: 2, lengthCode: code)
  }

  /// Whether a text line contains several joined frames, such as `7E803410D327E903410D33`: it begins with the
  /// identifier of an answer and is longer than a frame.
  private mutating func isCANRow(_ hex: inout HexLine) -> Bool {
    !hex.isSpaced && hex.count > 8 && hex.bytes[0] == 0x7E && hex.bytes[1] >= 0x80
  }

  /// Whether the last byte is the right check byte for the bytes before it. If it is not known whether the bus uses a
  /// sum or a CRC, either is accepted.
  mutating func checkHolds(_ bytes: Span<UInt8>, from start: Int, count: Int) -> Bool {
    let check = bytes[start + count - 1]
    if link.usesCRC != true, Checksum.sum(bytes, from: start, count: count - 1) == check { return true }
    return link.usesCRC != false && Checksum.crc(bytes, from: start, count: count - 1) == check
  }

  /// If the check byte of a frame is right only as a sum, or only as a CRC, stores which of the two the bus uses.
  mutating func learnCheck(_ bytes: Span<UInt8>, from start: Int, count: Int) {
    guard link.usesCRC == nil else { return }
    let check = bytes[start + count - 1]
    let hasSum = Checksum.sum(bytes, from: start, count: count - 1) == check
    let hasCRC = Checksum.crc(bytes, from: start, count: count - 1) == check
    if hasSum != hasCRC { link.learnedCRC = hasCRC }
  }

  /// Assigns a slot to the sender of the text line.
  ///
  /// - Returns: `false` if this is the ninth sender in the reply, in which case an error is reported.
  @inline(__always)
  mutating func assignSlot<H: ReplyHandler & ~Copyable>(
    to context: inout LineContext, into handler: inout H
  ) -> Bool {
    guard let slot = table.slot(for: context.origin.ecu, reply: reply) else {
      handler.failure(WireError(.malformed, origin: context.origin), line: context.line)
      return false
    }
    context.slot = slot
    return true
  }

  /// Delivers a complete message to the handler and the decoder. A message that equals the last short message (at most
  /// eight bytes) of the same sender is a repetition and is ignored.
  @inline(__always)
  mutating func deliver<H: ReplyHandler & ~Copyable>(
    _ payload: Span<UInt8>, in context: LineContext, into handler: inout H
  ) {
    let slot = context.slot
    if payload.count <= 8 {
      let packed = Self.packed(payload)
      let count = UInt8(truncatingIfNeeded: payload.count)
      if table.slots[slot].lastSingleCount == count, table.slots[slot].lastSingle == packed { return }
      table.slots[slot].lastSingle = packed
      table.slots[slot].lastSingleCount = count
    }
    handler.message(payload, origin: context.origin)
    if payload[0] == 0x7F, payload.count == 3, payload[2] == 0x78 {
      // "Response pending" is an error only if no answer follows (ISO 14229-1, 8.3).
      guard decoder.request.admits(service: payload[1]) else {
        handler.failure(WireError(.unexpected, origin: context.origin), line: context.line)
        return
      }
      table.slots[slot].isPending = true
      table.slots[slot].pendingService = payload[1]
      table.slots[slot].store(context)
      openSlots |= 1 << UInt16(slot)
      return
    }
    table.slots[slot].isPending = false
    decoder.decode(
      payload, isCAN: isCAN(context.origin.ecu), in: context, into: &handler)
  }

  /// Packs at most eight bytes into a number. The first byte is the most significant one.
  @inline(__always)
  static func packed(_ payload: Span<UInt8>) -> UInt64 {
    let count = payload.count
    if count < 4 {
      var packed: UInt64 = 0
      for i in payload.indices { packed = packed &<< 8 | UInt64(byte: payload[i]) }
      return packed
    }
    // Combine the first four bytes and the last four. Where they overlap, the bytes are the same.
    let raw = unsafe payload.bytes
    let high = UInt32(bigEndian: unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self))
    let low = UInt32(bigEndian: unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: count - 4, as: UInt32.self))
    return UInt64(low: high) &<< UInt64(low: UInt32(truncatingIfNeeded: 8 &* (count - 4))) | UInt64(low: low)
  }

  /// Whether a sender is on CAN, according to its address. If the address is unknown, the result follows from what is
  /// known about the bus; `nil` if nothing is known.
  mutating func isCAN(_ ecu: ECUAddress) -> Bool? {
    switch ecu.kind {
    case .can11, .can29: true
    case .legacy: false
    case .unknown: link.isCAN
    }
  }

  /// Completes a reply: decodes the answers whose text lines were collected, and reports incomplete messages as errors.
  mutating func finishReply<H: ReplyHandler & ~Copyable>(loaded: Span<SignalDefinition>, into handler: inout H) {
    if openSlots != 0 {
      for slot in 0...ECUTable.unknown where openSlots & 1 << UInt16(slot) != 0 {
        finish(slot, loaded: loaded, into: &handler)
      }
      openSlots = 0
    }
    hasDamage = false
    reply &+= 1
    decoder.request.clear()
  }

  private mutating func finish<H: ReplyHandler & ~Copyable>(
    _ slot: Int, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    let state = table.slots[slot]
    let line = state.line.span.extracting(first: state.lineCount)
    var context = LineContext(line, loaded: loaded, origin: state.origin)
    context.slot = slot
    switch state.phase {
    case .assembling:
      handler.failure(context.errorAtEnd(.truncated), line: line)
    case .gathering where hasDamage && state.gatheredService != 0x49:
      // Text lines with trouble codes are not numbered. If a text line was lost, the list is incomplete.
      handler.failure(context.errorAtEnd(.truncated), line: line)
    case .gathering:
      decoder.decodeGathered(
        table.bytes(of: slot), service: state.gatheredService, identifier: state.gatheredIdentifier, in: context,
        into: &handler)
    case .idle, .broken: break
    }
    if state.isPending {
      let error = WireError(
        .negativeResponse, origin: state.origin, service: state.pendingService, responseCode: 0x78)
      handler.failure(error, line: line)
    }
  }
}

/// Text lines of CAN frames with headers, which are assembled into messages (ISO 15765-2, ISO-TP).
///
///     7E8 10 14 49 02 01 31 46 54      first frame: 0x014 bytes announced, 6 of them here
///     7E8 21 46 57 31 45 54 35 44      consecutive frame 1
///     7E8 22 46 43 31 30 31 32 30      consecutive frame 2, the last byte completes the message
///
/// Bytes after the announced length are padding (00, 55, AA or CC, depending on the ECU) and are ignored.
extension ReplyCore {
  @inline(__always)
  mutating func canLine<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, address: ECUAddress, data: Int, lengthCode: Int?, in context: inout LineContext,
    into handler: inout H
  ) {
    context.origin.ecu = address
    let count = hex.count - data
    if count > 8 {
      splitCAN(&hex, isShort: hex.hasIdentifier, in: context, into: &handler)
      return
    }
    if let lengthCode, lengthCode != count {
      let kind: WireError.Kind = count < lengthCode ? .truncated : .malformed
      let offset = hex.characterOffset(ofByte: data + min(count, lengthCode), in: context.line)
      handler.failure(WireError(kind, origin: context.origin, offset: offset), line: context.line)
      return
    }
    guard count > 0 else {
      handler.failure(context.errorAtEnd(.truncated), line: context.line)
      return
    }
    if link.seenCAN != true { link.seenCAN = true }
    if decoder.request.isExtended {
      extendedFrame(&hex, first: data, in: &context, into: &handler)
      return
    }
    canFrame(&hex, first: data, end: hex.count, in: &context, into: &handler)
  }

  /// Processes a frame with extended addressing. In each frame, the address byte that the command contains precedes the
  /// protocol control byte. Therefore, the frame has one data byte less.
  private mutating func extendedFrame<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, first: Int, in context: inout LineContext, into handler: inout H
  ) {
    guard hex.bytes[first] == decoder.request.extendedAddress else {
      fail(.unexpected, byte: first, &hex, in: context, into: &handler)
      return
    }
    guard first + 1 < hex.count else {
      fail(.truncated, byte: hex.count, &hex, in: context, into: &handler)
      return
    }
    canFrame(&hex, first: first + 1, end: hex.count, in: &context, into: &handler)
  }

  /// Processes the data bytes `first..<end` of a frame, beginning with the protocol control byte.
  @inline(__always)
  mutating func canFrame<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, first: Int, end: Int, in context: inout LineContext, into handler: inout H
  ) {
    guard assignSlot(to: &context, into: &handler) else { return }
    let control = hex.bytes[first]
    if control & 0xF0 == 0 {
      let length = Int(control)
      guard length >= 1, length <= 7 else {
        fail(.malformed, byte: first, &hex, in: context, into: &handler)
        return
      }
      guard end - first > length else {
        fail(.truncated, byte: end, &hex, in: context, into: &handler)
        return
      }
      if table.slots[context.slot].phase == .assembling { interrupt(context.slot, into: &handler) }
      context.firstDigit = hex.digitIndex(ofByte: first + 1)
      let payload = hex.bytes.span.extracting(first + 1..<first + 1 + length)
      deliver(payload, in: context, into: &handler)
      return
    }
    multipleFrames(&hex, first: first, end: end, in: context, into: &handler)
  }

  private mutating func multipleFrames<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, first: Int, end: Int, in context: LineContext, into handler: inout H
  ) {
    let slot = context.slot
    let control = hex.bytes[first]
    switch control >> 4 {
    case 1:
      if table.slots[slot].phase == .assembling { interrupt(slot, into: &handler) }
      table.slots[slot].phase = .broken
      // A frame has eight data bytes, or seven with extended addressing. A logger may have left out the last of them
      // (see ``ECUSlot/isShort``).
      let size = decoder.request.isExtended ? 7 : 8
      guard end - first >= size - 1, end - first <= size else {
        fail(.truncated, byte: end, &hex, in: context, into: &handler)
        return
      }
      let length = Int(control & 0x0F) << 8 | Int(hex.bytes[first + 1])
      // A shorter message would have been sent in a single frame. A length of 0 announces a length of 32 bits, which no
      // OBD service needs.
      guard length > size - 1 else {
        fail(.malformed, byte: first + 1, &hex, in: context, into: &handler)
        return
      }
      begin(slot, length: length, nextIndex: 1)
      table.slots[slot].isShort = end - first < size
      table.append(hex.bytes.span, from: first + 2, count: end - first - 2, to: slot)
      table.slots[slot].store(context)
    case 2:
      switch table.slots[slot].phase {
      case .broken: return
      case .assembling: break
      case .idle, .gathering:
        table.slots[slot].phase = .broken
        fail(.sequence, byte: first, &hex, in: context, into: &handler)
        return
      }
      guard control & 0x0F == table.slots[slot].nextIndex else {
        table.slots[slot].phase = .broken
        fail(.sequence, byte: first, &hex, in: context, into: &handler)
        return
      }
      let room = decoder.request.isExtended ? 6 : 7
      let needed = min(room, table.slots[slot].length - table.slots[slot].received)
      let isLast = needed == table.slots[slot].length - table.slots[slot].received
      guard end - first > needed, !(table.slots[slot].isShort && isLast) || end - first == needed + 1 && needed < room
      else {
        table.slots[slot].phase = .broken
        fail(.truncated, byte: end, &hex, in: context, into: &handler)
        return
      }
      table.slots[slot].nextIndex = (table.slots[slot].nextIndex + 1) & 0x0F
      table.append(hex.bytes.span, from: first + 1, count: needed, to: slot)
      completeIfWhole(in: context, into: &handler)
    case 3:
      // This is flow control, sent by the adapter or by another tester. It is not part of a message.
      return
    default:
      fail(.malformed, byte: first, &hex, in: context, into: &handler)
    }
  }

  mutating func begin(_ slot: Int, length: Int, nextIndex: UInt8) {
    table.slots[slot].phase = .assembling
    table.slots[slot].length = length
    table.slots[slot].received = 0
    table.slots[slot].nextIndex = nextIndex
    openSlots |= 1 << UInt16(slot)
  }

  /// Delivers a message if it has its announced length. Otherwise, stores its last text line. If the message is still
  /// incomplete at the prompt, the error refers to this text line.
  mutating func completeIfWhole<H: ReplyHandler & ~Copyable>(
    in context: LineContext, into handler: inout H
  ) {
    let slot = context.slot
    guard table.slots[slot].received == table.slots[slot].length else {
      table.slots[slot].store(context)
      return
    }
    table.slots[slot].phase = .idle
    table.slots[slot].isPending = false
    openSlots &= ~(1 &<< UInt16(truncatingIfNeeded: slot))
    var context = context
    context.firstDigit = -1
    let payload = table.bytes(of: slot)
    handler.message(payload, origin: context.origin)
    decoder.decode(
      payload, isCAN: true, in: context, into: &handler)
  }

  /// Reports the incomplete message in a slot as truncated, because a new message begins.
  mutating func interrupt<H: ReplyHandler & ~Copyable>(_ slot: Int, into handler: inout H) {
    let state = table.slots[slot]
    table.slots[slot].phase = .idle
    let error = WireError(.truncated, origin: state.origin, offset: UInt16(truncatingIfNeeded: state.lineCount))
    handler.failure(error, line: state.line.span.extracting(first: state.lineCount))
  }

  @inline(never)
  mutating func fail<H: ReplyHandler & ~Copyable>(
    _ kind: WireError.Kind, byte: Int, _ hex: inout HexLine, in context: LineContext, into handler: inout H
  ) {
    handler.failure(
      WireError(kind, origin: context.origin, offset: hex.characterOffset(ofByte: byte, in: context.line)),
      line: context.line)
  }
}

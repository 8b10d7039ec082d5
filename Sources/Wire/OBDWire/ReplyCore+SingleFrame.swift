// About 90 % of the answers are one frame with its header. ``dataLine(_:line:origin:loaded:into:)`` classifies a text
// line step by step: its format, address and kind of frame. These functions check for the expected combination at once.
// If a check fails, the general function handles the text line; nothing has changed then except the sender's slot,
// which that function finds again.
extension ReplyCore {
  /// Processes a text line that is one complete message in one frame, with the header of any bus.
  ///
  /// - Parameter hex: the text line as read by ``HexLine/readSpaced(_:from:)``, without a DLC digit.
  /// - Returns: `false` if the text line has another format and has not been processed.
  @inline(__always)
  mutating func takeSingleFrame<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, line: Span<UInt8>, origin: Origin, loaded: Span<SignalDefinition>, into handler: inout H
  ) -> Bool {
    guard link.headers != .off else { return false }
    var origin = origin
    let payload: Range<Int>
    if hex.hasIdentifier {
      guard link.stated == .auto || link.stated == .can11, let range = singleFrame(&hex, from: 0) else { return false }
      origin.ecu = .can11(UInt32(hex.identifier))
      payload = range
    } else if hex.bytes[0] == 0x18, hex.bytes[1] == 0xDA {
      guard link.stated == .auto || link.stated == .can29, let range = singleFrame(&hex, from: 4) else { return false }
      origin.ecu = .can29(0x18DA_0000 | UInt32(hex.bytes[2]) &<< 8 | UInt32(hex.bytes[3]))
      payload = range
    } else {
      guard link.stated == .auto, let range = legacyFrame(&hex) else { return false }
      origin.ecu = .legacy(hex.bytes[2])
      payload = range
    }
    guard let slot = table.slot(for: origin.ecu, reply: reply), table.slots[slot].phase != .assembling else {
      return false
    }
    if origin.ecu.kind != .legacy {
      if link.seenCAN != true { link.seenCAN = true }
    } else {
      link.confirm(hex.bytes.span, from: 0)
    }
    if loaded.isEmpty, deliverPlain(&hex, payload, slot: slot, origin: origin, into: &handler) { return true }
    decoder.firstDigit = hex.digitIndex(ofByte: payload.lowerBound)
    deliver(
      hex.bytes.span.extracting(payload), slot: slot, line: line, origin: origin, loaded: loaded, into: &handler)
    return true
  }

  /// Delivers `41 0C 1A F8` or `41 0D 58`: one plain number that was requested, and no other data.
  ///
  /// - Returns: `false` if the message has another format and has not been delivered.
  @inline(__always)
  private mutating func deliverPlain<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, _ payload: Range<Int>, slot: Int, origin: Origin, into handler: inout H
  ) -> Bool {
    let start = payload.lowerBound
    let width = payload.count &- 2
    guard width == 1 || width == 2, hex.bytes[start] == 0x41 else { return false }
    let parameter = hex.bytes[start &+ 1]
    let row = decoder.plain[Int(parameter)]
    guard Int(row.width) == width, decoder.request.admits(service: 0x01), decoder.request.admits(UInt16(parameter))
    else {
      return false
    }
    // If the ECU reported its own scalings, they may affect this PID.
    if row.isRescaled, decoder.knowledge[slot].address == origin.ecu { return false }
    let raw =
      width == 1 ? UInt16(hex.bytes[start &+ 2]) : UInt16(hex.bytes[start &+ 2]) &<< 8 | UInt16(hex.bytes[start &+ 3])
    // Packed as by ``deliver(_:slot:line:origin:loaded:into:)``, to ignore a duplicate of the message.
    let head = (0x4100 | UInt32(parameter)) &<< (width == 1 ? 8 : 16)
    let packed = UInt64(low: head | UInt32(raw))
    let count = UInt8(truncatingIfNeeded: width &+ 2)
    if table.slots[slot].lastSingle == packed, table.slots[slot].lastSingleCount == count { return true }
    table.slots[slot].lastSingle = packed
    table.slots[slot].lastSingleCount = count
    table.slots[slot].isPending = false
    handler.message(hex.bytes.span.extracting(payload), origin: origin)
    handler.reading(row.reading(of: parameter, raw, origin: origin))
    return true
  }

  /// Returns the payload of an ISO 15765-2 single frame whose data bytes begin at `data`; `nil` if it is not a single
  /// frame.
  @inline(__always)
  private mutating func singleFrame(_ hex: inout HexLine, from data: Int) -> Range<Int>? {
    let count = hex.count - data
    guard count > 1, count <= 8, !decoder.request.isExtended else { return nil }
    // The high half of a single frame's protocol control byte is 0.
    let length = Int(hex.bytes[data])
    guard length >= 1, length < count else { return nil }
    return data &+ 1..<data &+ 1 &+ length
  }

  /// Returns the payload of a legacy frame, `84 F1 10 41 …` or `48 6B 10 41 …`, if its check is correct by the known
  /// rule; otherwise `nil`.
  ///
  /// Only service 01 is supported, because text lines of other services may have to be collected.
  @inline(__always)
  private mutating func legacyFrame(_ hex: inout HexLine) -> Range<Int>? {
    let count = hex.count
    guard count >= 5, count <= 12, hex.bytes[3] == 0x41 else { return nil }
    let format = Int(hex.bytes[0])
    if format < 0x80 {
      guard format == 0x48, hex.bytes[1] == 0x6B, let usesCRC = link.usesCRC else { return nil }
      if usesCRC {
        guard Checksum.crc(hex.bytes.span, from: 0, count: count - 1) == hex.bytes[count - 1] else { return nil }
        return 3..<count &- 1
      }
    } else {
      guard format & 0x3F == count - 4 else { return nil }
    }
    return hex.sum(first: count - 1) == hex.bytes[count - 1] ? 3..<count &- 1 : nil
  }
}

extension HexLine {
  /// Returns the sum modulo 256 of the first bytes, at most 16, computed eight at a time.
  @inline(__always)
  fileprivate mutating func sum(first count: Int) -> UInt8 {
    // Sixteen bytes always exist, because the buffer is longer. Bytes after the count are masked.
    let raw = unsafe bytes.span.bytes
    let low = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self))
    if count < 8 { return Self.sum(low, first: count) }
    let high = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 8, as: UInt64.self))
    return Self.sum(low) &+ Self.sum(high, first: count &- 8)
  }

  /// Returns the sum of the first bytes of a word.
  ///
  /// - Parameter count: less than 8.
  @inline(__always)
  private static func sum(_ word: UInt64, first count: Int) -> UInt8 {
    sum(word & (1 &<< UInt64(low: UInt32(truncatingIfNeeded: count &* 8)) &- 1))
  }

  @inline(__always)
  private static func sum(_ word: UInt64) -> UInt8 {
    // Every second byte, with eight bits above it for carries. The multiplication adds the four in the highest byte.
    let halves = (word & 0x00FF_00FF_00FF_00FF) &+ (word &>> 8 & 0x00FF_00FF_00FF_00FF)
    return UInt8(truncatingIfNeeded: (halves &* 0x0001_0001_0001_0001) &>> 48)
  }
}

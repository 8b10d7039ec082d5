/// Text lines in which an adapter or a logger has joined the frames of several ECUs without a separator.
///
///     7EB064100981800017E8064100983BA0177E906410098180011
///
/// Identifiers and protocol control bytes show where frames end. A text line is split only if there is exactly one way
/// to do so.
extension ReplyCore {
  /// The state of the search for the places at which a text line can be split into frames.
  private struct Cuts {
    /// Number of digits of an identifier: 3 or 8.
    var identifierDigits: Int
    var total: Int
    var sizes = InlineArray<16, UInt8>(repeating: 0)
    var best = InlineArray<16, UInt8>(repeating: 0)
    var bestCount = 0
    var solutions = 0
  }

  /// Splits a text line into frames, and processes them.
  ///
  /// - Parameter isShort: whether the identifiers have 11 bits.
  mutating func splitCAN<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, isShort: Bool, in context: LineContext, into handler: inout H
  ) {
    if isShort == hex.hasIdentifier,
      wholeMessage(&hex, first: isShort ? 0 : 4, in: context, into: &handler)
    {
      return
    }
    var cuts = Cuts(identifierDigits: isShort ? 3 : 8, total: (hex.hasIdentifier ? 3 : 0) + 2 * hex.count)
    if !hex.hasDataLengthCode { search(&hex, from: 0, depth: 0, &cuts) }
    guard cuts.solutions == 1 else {
      fail(.malformed, byte: (isShort ? 0 : 4) + 8, &hex, in: context, into: &handler)
      return
    }
    link.seenCAN = true
    var digit = 0
    var frame = HexLine()
    for k in 0..<cuts.bestCount {
      var identifier: UInt32 = 0
      for i in 0..<cuts.identifierDigits { identifier = identifier << 4 | UInt32(nibble(&hex, digit + i)) }
      var bytes = InlineArray<8, UInt8>(repeating: 0)
      let size = Int(cuts.best[k])
      for i in 0..<size {
        let at = digit + cuts.identifierDigits + 2 * i
        bytes[i] = nibble(&hex, at) << 4 | nibble(&hex, at + 1)
      }
      frame.set(bytes.span.extracting(first: size))
      var context = context
      context.origin.ecu = isShort ? .can11(identifier) : .can29(identifier)
      canFrame(&frame, first: 0, end: size, in: &context, into: &handler)
      digit += cuts.identifierDigits + 2 * size
    }
  }

  /// Processes a text line such as `7E8` `09` `41 68 03 33 35 00 00 00 00`, in which a logger has written a whole
  /// message after its length. The length of a single frame is 1 to 7 (ISO 15765-2, 9.6.2). In the logger's format, the
  /// length is greater, and equals the number of bytes that follow.
  ///
  /// - Returns: `false` if the text line has another format.
  private mutating func wholeMessage<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, first: Int, in context: LineContext, into handler: inout H
  ) -> Bool {
    let length = Int(hex.bytes[first])
    guard length > 7, length == hex.count - first - 1, hex.bytes[first + 1] >= 0x40, !hex.hasDataLengthCode else {
      return false
    }
    var context = context
    guard assignSlot(to: &context, into: &handler) else { return true }
    link.seenCAN = true
    if table.slots[context.slot].phase == .assembling { interrupt(context.slot, into: &handler) }
    context.firstDigit = hex.digitIndex(ofByte: first + 1)
    let payload = hex.bytes.span.extracting((first + 1)..<hex.count)
    deliver(payload, in: context, into: &handler)
    return true
  }

  private mutating func nibble(_ hex: inout HexLine, _ digit: Int) -> UInt8 {
    var digit = digit
    if hex.hasIdentifier {
      if digit < 3 { return UInt8(truncatingIfNeeded: hex.identifier >> UInt16(4 * (2 - digit)) & 0x0F) }
      digit -= 3
    }
    let byte = hex.bytes[digit >> 1]
    return digit & 1 == 0 ? byte >> 4 : byte & 0x0F
  }

  /// Counts in how many ways the digits from `digit` on can be split into frames, and stores the first way.
  private mutating func search(_ hex: inout HexLine, from digit: Int, depth: Int, _ cuts: inout Cuts) {
    if digit == cuts.total {
      cuts.solutions += 1
      if cuts.solutions == 1 {
        cuts.best = cuts.sizes
        cuts.bestCount = depth
      }
      return
    }
    guard depth < 16, cuts.solutions < 2 else { return }
    let data = digit + cuts.identifierDigits
    guard data + 4 <= cuts.total, isResponseIdentifier(&hex, digit, cuts.identifierDigits) else { return }
    let available = (cuts.total - data) / 2
    let control = nibble(&hex, data) << 4 | nibble(&hex, data + 1)
    var sizes: (Int, Int)
    switch control >> 4 {
    case 0 where control >= 1 && control <= 7: sizes = (Int(control) + 1, 8)
    case 1: sizes = (8, 0)
    case 2: sizes = (8, available < 8 ? available : 0)
    case 3: sizes = (3, 8)
    default: return
    }
    if sizes.0 == sizes.1 { sizes.1 = 0 }
    if sizes.0 <= available {
      cuts.sizes[depth] = UInt8(truncatingIfNeeded: sizes.0)
      search(&hex, from: data + 2 * sizes.0, depth: depth + 1, &cuts)
    }
    if sizes.1 > 0, sizes.1 <= available {
      cuts.sizes[depth] = UInt8(truncatingIfNeeded: sizes.1)
      search(&hex, from: data + 2 * sizes.1, depth: depth + 1, &cuts)
    }
  }

  /// Whether an identifier is 7E8…7EF or 18 DA F1 xx. These are the addresses of answers according to ISO 15765-4.
  private mutating func isResponseIdentifier(_ hex: inout HexLine, _ digit: Int, _ digits: Int) -> Bool {
    if digits == 3 {
      return nibble(&hex, digit) == 7 && nibble(&hex, digit + 1) == 0xE && nibble(&hex, digit + 2) >= 8
    }
    let wanted: InlineArray<6, UInt8> = [1, 8, 0xD, 0xA, 0xF, 1]
    for i in 0..<6 where nibble(&hex, digit + i) != wanted[i] { return false }
    return true
  }
}

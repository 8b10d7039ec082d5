/// Reads fixes from a byte stream of NMEA 0183 sentences.
///
///     +GPSRD:$GPGGA,081836.75,3751.65121,S,…*75\r\n!AIVDM,1,1,…\r\n$GPRMC,081836.75,A,…*19\r\n
///            └─────── a sentence ────────────┘                    └──────────────────┘
///
/// A sentence is what stands between `$` and two hexadecimal digits behind `*` that are the exclusive or of the bytes
/// between. Whatever else passes by is skipped. The chunks may be cut anywhere, with the same result; no more of the
/// stream is kept than the beginning of one sentence.
///
/// An epoch is complete when a sentence with another time of day arrives, so a live caller calls ``flush(into:)`` when
/// the line falls silent, and every caller ``finish(into:)`` at the end.
public struct FixReader: ~Copyable {
  /// The longest sentence that is read, from `$` to the checksum. NMEA 0183 allows 79 bytes; receivers do not keep to it.
  public static var maximumLength: Int { 256 }

  /// The beginning of a sentence whose end has not come, `$` first.
  private var held = InlineArray<256, UInt8>(repeating: 0)
  private var heldCount = 0
  /// How many of its last bytes are the checksum that has begun, `*` included: 0, 1 or 2.
  private var heldChecksum = 0
  /// Bytes received in earlier calls.
  private var received: UInt64 = 0
  private var assembler = EpochAssembler()

  public init() {}

  /// Takes the next bytes of the stream.
  public mutating func receive<Handler: FixHandler & ~Copyable>(_ bytes: Span<UInt8>, into handler: inout Handler) {
    var index = heldCount > 0 ? completeHeld(with: bytes, into: &handler) : 0
    while let start = SentenceScanner.start(in: bytes, from: index) {
      let result = SentenceScanner.scan(bytes, from: start, maximumLength: Self.maximumLength)
      if case .incomplete = result.verdict {
        hold(bytes, from: start)
        break
      }
      Self.deliver(
        result, of: bytes, from: start, at: received + UInt64(count: start), by: &assembler, into: &handler)
      index = result.end
    }
    received += UInt64(count: bytes.count)
  }

  /// Ends the epoch under way, for lack of anything more. The beginning of a sentence that may stand at the stream's end
  /// is kept: it is incomplete, not wrong.
  public mutating func flush<Handler: FixHandler & ~Copyable>(into handler: inout Handler) {
    if let fix = assembler.flush() { handler.fix(fix) }
  }

  /// The stream has ended: refuses the sentence that it cut, if any, and ends the epoch under way.
  public mutating func finish<Handler: FixHandler & ~Copyable>(into handler: inout Handler) {
    if heldCount > 0 {
      handler.rejected(
        .truncated, sentence: held.span.extracting(first: heldCount), position: received - UInt64(count: heldCount))
      heldCount = 0
    }
    flush(into: &handler)
  }
}

extension FixReader {
  private mutating func hold(_ bytes: Span<UInt8>, from start: Int) {
    heldCount = 0
    heldChecksum = 0
    for index in start..<bytes.count { _ = addToHeld(bytes[index]) }
  }

  /// Adds bytes to the held sentence until it is whole or refused.
  ///
  /// - Returns: the index of the first byte that it did not take.
  private mutating func completeHeld<Handler: FixHandler & ~Copyable>(
    with bytes: Span<UInt8>, into handler: inout Handler
  ) -> Int {
    var index = 0
    while heldCount > 0, index < bytes.count {
      let mayEnd = addToHeld(bytes[index])
      index += 1
      if mayEnd { judgeHeld(at: received + UInt64(count: index) - UInt64(count: heldCount), into: &handler) }
    }
    return index
  }

  /// - Returns: whether the sentence can have ended by this byte: one that ends a body, the checksum's last, one that is no
  ///   digit of a checksum, or the last that fits.
  @inline(__always)
  private mutating func addToHeld(_ byte: UInt8) -> Bool {
    held[heldCount] = byte
    heldCount += 1
    let isFull = heldCount == Self.maximumLength
    switch heldChecksum {
    case 0:
      // The first byte is the sentence's own $.
      guard heldCount > 1, SentenceScanner.isStop(byte) else { return isFull }
      guard byte == 0x2A else { return true }
      heldChecksum = 1
      return isFull
    case 1:
      heldChecksum = 2
      return isFull || SentenceScanner.hexadecimal(byte) == nil
    default: return true
    }
  }

  private mutating func judgeHeld<Handler: FixHandler & ~Copyable>(at position: UInt64, into handler: inout Handler) {
    let result = SentenceScanner.scan(
      held.span.extracting(first: heldCount), from: 0, maximumLength: Self.maximumLength)
    if case .incomplete = result.verdict { return }
    Self.deliver(
      result, of: held.span.extracting(first: heldCount), from: 0, at: position, by: &assembler, into: &handler)
    // What is left behind a refused sentence is at most a digit, and the $ of the next.
    let isNextBegun = result.end < heldCount && held.span[heldCount - 1] == 0x24
    heldCount = 0
    heldChecksum = 0
    if isNextBegun { _ = addToHeld(0x24) }
  }

  /// Hands on what became of the sentence at `start`, whose `$` is byte `position` of the stream.
  @inline(__always)
  private static func deliver<Handler: FixHandler & ~Copyable>(
    _ result: SentenceScanner.Result, of bytes: Span<UInt8>, from start: Int, at position: UInt64,
    by assembler: inout EpochAssembler, into handler: inout Handler
  ) {
    let reason: RejectReason
    switch result.verdict {
    case .incomplete: return
    case .rejected(let why): reason = why
    case .whole(let bodyEnd):
      let body = bytes.extracting(start + 1..<bodyEnd + 1)
      do throws(RejectReason) {
        try read(body, end: position + UInt64(count: result.end - start), by: &assembler, into: &handler)
        return
      } catch {
        reason = error
      }
    }
    handler.rejected(reason, sentence: bytes.extracting(start..<result.end), position: position)
  }

  /// Reads a body, `*` included, all of it before any of it counts.
  private static func read<Handler: FixHandler & ~Copyable>(
    _ body: Span<UInt8>, end: UInt64, by assembler: inout EpochAssembler, into handler: inout Handler
  ) throws(RejectReason) {
    let kind = SentenceKind(ofBody: body)
    var fields = FieldCursor(body)
    // Behind the address: of the kinds that are read it has five letters and a delimiter.
    fields.index = SentenceKind.addressLength
    switch kind {
    case .rmc:
      let rmc = try RMC(parsing: &fields)
      assembler.open(rmc.time, kind, into: &handler)
      assembler.take(rmc, end: end)
    case .gga:
      let gga = try GGA(parsing: &fields)
      assembler.open(gga.time, kind, into: &handler)
      assembler.take(gga, end: end)
    case .gns:
      let gns = try GNS(parsing: &fields)
      assembler.open(gns.time, kind, into: &handler)
      assembler.take(gns, end: end)
    case .gll:
      let gll = try GLL(parsing: &fields)
      assembler.open(gll.time, kind, into: &handler)
      assembler.take(gll, end: end)
    case .zda:
      let zda = try ZDA(parsing: &fields)
      assembler.open(zda.time, kind, into: &handler)
      assembler.take(zda, end: end)
    case .gst:
      let gst = try GST(parsing: &fields)
      assembler.open(gst.time, kind, into: &handler)
      assembler.take(gst, end: end)
    case .gsa: assembler.take(try GSA(parsing: &fields), end: end)
    case .vtg: assembler.take(try VTG(parsing: &fields), end: end)
    case .hdt: assembler.take(try HDT(parsing: &fields), end: end)
    case .gsv, .proprietary, .other: break
    }
    handler.accepted(kind)
  }
}

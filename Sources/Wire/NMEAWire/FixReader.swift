/// Parses fixes from a byte stream of NMEA 0183 sentences.
///
///     var reader = FixReader()
///     reader.receive(bytes, into: &handler)
///     // at the end of the stream
///     reader.finish(into: &handler)
///
/// A sentence begins with `$` and ends with `*` and two hexadecimal digits, the checksum: the exclusive or of the bytes
/// between `$` and `*`. All other bytes are skipped:
///
///     +GPSRD:$GPGGA,081836.75,3751.65121,S,…*75\r\n!AIVDM,1,1,…\r\n$GPRMC,081836.75,A,…*19\r\n
///            └─────── a sentence ────────────┘                    └──────────────────┘
///
/// The stream may be divided into calls at any byte. The reader stores only the beginning of an incomplete sentence.
///
/// An epoch ends when a sentence with a different time of day arrives. For a live receiver, call ``flush(into:)`` when
/// the stream pauses, so that the last epoch does not wait for the next one. At the end of a stream, call
/// ``finish(into:)``.
public struct FixReader: ~Copyable {
  /// Maximum length of a sentence from `$` to the checksum, in bytes. NMEA 0183 allows 79, but some receivers send
  /// longer sentences.
  public static var maximumLength: Int { 256 }

  /// The beginning of an incomplete sentence, including `$`.
  private var held = InlineArray<256, UInt8>(repeating: 0)
  private var heldCount = 0
  /// Number of stored bytes that belong to the checksum, including `*`: 0, 1 or 2.
  private var heldChecksum = 0
  /// Number of bytes received in earlier calls.
  private var received: UInt64 = 0
  private var assembler = EpochAssembler()

  /// Creates a reader that expects the first byte of a stream.
  public init() {}

  /// Parses the next bytes of the stream.
  ///
  /// - Parameters:
  ///   - bytes: the bytes, in chunks of any size.
  ///   - handler: receives fixes and reports.
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

  /// Ends the current epoch because the stream pauses. The beginning of an incomplete sentence is kept.
  public mutating func flush<Handler: FixHandler & ~Copyable>(into handler: inout Handler) {
    if let fix = assembler.flush() { handler.fix(fix) }
  }

  /// Ends the stream: rejects an incomplete sentence as truncated and ends the current epoch.
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

  /// Appends bytes to the stored beginning of a sentence until the sentence is complete or rejected.
  ///
  /// - Returns: the index of the first byte that was not appended.
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

  /// Appends a byte to the stored beginning of a sentence.
  ///
  /// - Returns: whether the sentence must be examined now: the byte completes the checksum, cannot be at its position
  ///   in a sentence, or fills the buffer.
  @inline(__always)
  private mutating func addToHeld(_ byte: UInt8) -> Bool {
    held[heldCount] = byte
    heldCount += 1
    let isFull = heldCount == Self.maximumLength
    switch heldChecksum {
    case 0:
      // The first byte is this sentence's own `$`.
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
    // After a rejected sentence, at most a digit and the `$` of the next sentence remain in the buffer.
    let isNextBegun = result.end < heldCount && held.span[heldCount - 1] == 0x24
    heldCount = 0
    heldChecksum = 0
    if isNextBegun { _ = addToHeld(0x24) }
  }

  /// Reads or rejects the sentence at `start` according to the result of the scan. Its `$` is at `position` in the
  /// stream.
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

  /// Reads the fields of a sentence, given without its `$`, up to and including the `*`. Its data is used only if all
  /// fields are valid.
  private static func read<Handler: FixHandler & ~Copyable>(
    _ body: Span<UInt8>, end: UInt64, by assembler: inout EpochAssembler, into handler: inout Handler
  ) throws(RejectReason) {
    let kind = SentenceKind(ofBody: body)
    var fields = FieldCursor(body)
    // Start after the address. In the kinds of sentences that are read, it has five letters and a delimiter.
    fields.index = SentenceKind.addressLength
    switch kind {
    case .rmc:
      let rmc = try RMC(parsing: &fields)
      assembler.open(rmc.time, kind, into: &handler)
      assembler.add(rmc, end: end)
    case .gga:
      let gga = try GGA(parsing: &fields)
      assembler.open(gga.time, kind, into: &handler)
      assembler.add(gga, end: end)
    case .gns:
      let gns = try GNS(parsing: &fields)
      assembler.open(gns.time, kind, into: &handler)
      assembler.add(gns, end: end)
    case .gll:
      let gll = try GLL(parsing: &fields)
      assembler.open(gll.time, kind, into: &handler)
      assembler.add(gll, end: end)
    case .zda:
      let zda = try ZDA(parsing: &fields)
      assembler.open(zda.time, kind, into: &handler)
      assembler.add(zda, end: end)
    case .gst:
      let gst = try GST(parsing: &fields)
      assembler.open(gst.time, kind, into: &handler)
      assembler.add(gst, end: end)
    case .gsa: assembler.add(try GSA(parsing: &fields), end: end)
    case .vtg: assembler.add(try VTG(parsing: &fields), end: end)
    case .hdt: assembler.add(try HDT(parsing: &fields), end: end)
    case .gsv, .proprietary, .other: break
    }
    handler.accepted(kind)
  }
}

/// Parses the output of an ELM327 into messages, readings and errors. The output may be passed in pieces of any length.
///
///     010C\r41 0C 1A F8 \r\r>
///     7E8 10 14 49 02 01 31 46 54 \r7E8 21 46 57 31 45 54 35 44 \r7E8 22 46 43 31 30 31 32 30 \r\r>
///
/// If the commands are known, as with a live adapter or a capture of both directions, call ``sent(_:loaded:into:)``
/// with each of them. Otherwise, the reader takes them from the adapter's echo. Then pass the bytes that were received
/// to ``receive(_:loaded:into:)``. A reply ends at the prompt `>`.
///
///     var reader = ReplyReader()
///     reader.sent(command.span, into: &handler)
///     reader.receive(bytes.span, into: &handler)
///
/// The reader accepts:
///
/// - an echo of the command, even if it is repeated or joined with the answer;
/// - CR, CRLF or LF as line ends;
/// - NULs and bytes from 0x80 on before and after a text line, which it ignores;
/// - `SEARCHING...`, `BUS INIT: OK` and identifications before data;
/// - all messages of the adapter;
/// - frames of all formats of ISO 15765-4, ISO 14230-4, ISO 9141-2 and SAE J1850, with or without headers.
///
/// A text line may have at most ``lineCapacity`` bytes, a message 4,095 bytes, and a reply eight senders. If a limit is
/// exceeded, an error is reported, and reading continues. The reader uses no heap, no clock and no I/O.
public struct ReplyReader: ~Copyable {
  /// Maximum length of a text line, bytes. A KWP answer of 255 bytes has about 780 characters.
  public static let lineCapacity = 1024

  /// The beginning of a text line that is not complete yet, with room to read a whole word after it.
  private var buffer = InlineArray<1040, UInt8>(repeating: 0)
  private var buffered = 0
  /// Whether the text line is longer than the buffer. The rest of it is ignored.
  private var isOverlong = false
  private var previousWasCarriageReturn = false
  private var machine = LineMachine()
  /// Number of bytes received since the reader's start.
  public private(set) var position: UInt64 = 0

  /// Creates a reader for the beginning of a dialogue.
  public init() {}

  /// Sets the bus and whether headers are printed. Text lines of other formats are then reported as malformed. With
  /// `auto`, the format of each text line is found from its length, its check byte and its header.
  public mutating func state(_ bus: BusProtocol, headers: HeaderMode) {
    machine.core.link.stated = bus
    machine.core.link.headers = headers
  }

  /// Whether a reply has begun and its prompt has not arrived yet.
  public var isMidReply: Bool { buffered > 0 || isOverlong || machine.isAnswering }

  /// The protocol of the bus: the one that the caller has stated, or the one that the dialogue shows (commands ATSP and
  /// ATDPN).
  public var bus: BusProtocol {
    machine.core.link.stated != .auto ? machine.core.link.stated : machine.core.link.hinted
  }

  /// Resets the index of the text lines to 0.
  public mutating func restartLines() { machine.line = 0 }

  /// Reports a command that was sent. Its answer follows. If the previous reply had no prompt, it is ended now.
  ///
  /// - Parameters:
  ///   - command: the command, without CR.
  ///   - loaded: definitions of the signal sets in use, sorted by service and identifier.
  ///   - handler: receives the rest of the previous reply, and the request.
  public mutating func sent<H: ReplyHandler & ~Copyable>(
    _ command: Span<UInt8>, loaded: Span<SignalDefinition> = Span(), into handler: inout H
  ) {
    finish(loaded: loaded, into: &handler)
    machine.command(command, position: position, into: &handler)
  }

  /// Ends the current reply, as a prompt would. A text line without a line end counts as complete.
  public mutating func finish<H: ReplyHandler & ~Copyable>(
    loaded: Span<SignalDefinition> = Span(), into handler: inout H
  ) {
    let wasOpen = isMidReply
    if buffered > 0 || isOverlong { endLine(0, position: position, loaded: loaded, into: &handler) }
    guard wasOpen || machine.isAnswering else { return }
    machine.endReply(position: position, loaded: loaded, into: &handler)
  }

  /// Parses the next bytes from the adapter.
  ///
  /// - Parameters:
  ///   - bytes: the received bytes.
  ///   - loaded: definitions of the signal sets in use, sorted by service and identifier.
  ///   - handler: receives messages, readings and errors.
  public mutating func receive<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, loaded: Span<SignalDefinition> = Span(), into handler: inout H
  ) {
    let base = position
    let count = bytes.count
    var i = 0
    while i < count {
      if buffered == 0, !isOverlong {
        let c = bytes[i]
        if c == carriageReturn {
          machine.line &+= 1
          previousWasCarriageReturn = true
          i &+= 1
          continue
        }
        if c == promptCharacter {
          previousWasCarriageReturn = false
          i &+= 1
          machine.endReply(position: base &+ UInt64(count: i), loaded: loaded, into: &handler)
          continue
        }
        if c == lineFeed {
          if !previousWasCarriageReturn { machine.line &+= 1 }
          previousWasCarriageReturn = false
          i &+= 1
          continue
        }
        let end = machine.hex.readWords(bytes, from: i)
        if end > 0 {
          let origin = machine.origin(base &+ UInt64(count: end &+ 1))
          var context = LineContext(bytes.extracting(i..<end), loaded: loaded, origin: origin)
          machine.digitLine(in: &context, into: &handler)
          machine.line &+= 1
          previousWasCarriageReturn = true
          i = end &+ 1
          continue
        }
      }
      let first = i
      i = Self.lineEnd(bytes, from: first)
      store(bytes, from: first, to: i)
      guard i < count else { break }
      let terminator = bytes[i]
      i &+= 1
      endLine(terminator, position: base &+ UInt64(count: i), loaded: loaded, into: &handler)
      previousWasCarriageReturn = terminator == carriageReturn
      if terminator == promptCharacter {
        machine.endReply(position: base &+ UInt64(count: i), loaded: loaded, into: &handler)
      } else {
        machine.line &+= 1
      }
    }
    position = base &+ UInt64(count: count)
  }

  private mutating func store(_ bytes: Span<UInt8>, from first: Int, to end: Int) {
    let room = Self.lineCapacity &- buffered
    let stored = min(room, end &- first)
    buffer.copy(bytes, from: first, count: stored, to: buffered)
    buffered &+= stored
    if stored < end &- first { isOverlong = true }
  }

  /// Processes the text line in the buffer.
  ///
  /// - Parameter terminator: the character that ended the text line; 0 if there was none.
  private mutating func endLine<H: ReplyHandler & ~Copyable>(
    _ terminator: UInt8, position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    let count = buffered
    buffer[count] = terminator
    let text = buffer.span.extracting(first: count &+ 1)
    var context = LineContext(text.extracting(first: count), loaded: loaded, origin: machine.origin(position))
    if isOverlong {
      machine.overlong(in: context, into: &handler)
    } else if machine.hex.readWords(text, from: 0) == count {
      machine.digitLine(in: &context, into: &handler)
    } else {
      machine.anyLine(in: context, into: &handler)
    }
    buffered = 0
    isOverlong = false
  }

  /// Returns the index of the next CR, LF or prompt; the number of bytes if there is none.
  private static func lineEnd(_ bytes: Span<UInt8>, from first: Int) -> Int {
    var i = first
    while i < bytes.count {
      let word = bytes.word(at: i)
      let found =
        zeros(word ^ 0x0D0D_0D0D_0D0D_0D0D) | zeros(word ^ 0x0A0A_0A0A_0A0A_0A0A)
        | zeros(word ^ 0x3E3E_3E3E_3E3E_3E3E)
      if found != 0 { return i &+ found.trailingZeroBitCount &>> 3 }
      i &+= 8
    }
    return bytes.count
  }

  /// Returns a word in which the lowest byte that is 0 in `word` has its high bit set, and all lower bytes are 0.
  /// Higher bytes of the result may be wrong.
  private static func zeros(_ word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
  }
}

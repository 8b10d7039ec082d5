/// Reads what an ELM327 sends: bytes in, messages, readings and errors out, for any split of the bytes.
///
///     010C\r41 0C 1A F8 \r\r>
///     7E8 10 14 49 02 01 31 46 54 \r7E8 21 46 57 31 45 54 35 44 \r7E8 22 46 43 31 30 31 32 30 \r\r>
///
/// Call ``sent(_:into:)`` with each command where commands are known (a live adapter, a capture that tells directions);
/// where they are not, the adapter's echo tells them. Then ``receive(_:loaded:into:)`` with the bytes as they come. A
/// reply ends at the prompt `>`.
///
/// What it reads: the command's echo (also doubled, also glued to its answer); CR, CRLF or LF; NULs and bytes from 0x80
/// as noise around a line; `SEARCHING...`, `BUS INIT: OK` and banners in front of data; every word of the adapter's;
/// frames of all ISO 15765-4, ISO 14230-4, ISO 9141-2 and SAE J1850 forms, with headers or without.
///
/// Constraints: a line has at most ``lineCapacity`` bytes, a message 4,095, a reply eight senders; more is an error, and
/// reading goes on behind it. No heap, no clock, no I/O.
public struct ReplyReader: ~Copyable {
  /// The longest line: a 255-byte KWP answer prints about 780 characters.
  public static let lineCapacity = 1024

  private var buffer = InlineArray<1024, UInt8>(repeating: 0)
  private var buffered = 0
  /// The line has outgrown the buffer; the rest of it is dropped.
  private var isOverlong = false
  private var previousWasCarriageReturn = false
  private var machine = LineMachine()
  /// Bytes received since the reader's start.
  public private(set) var position: UInt64 = 0

  public init() {}

  /// States what the adapter is set to; lines of another form are then malformed. Unstated (`auto`), each line's form
  /// is found out from its lengths, checks and header bytes.
  public mutating func state(_ bus: BusProtocol, headers: HeaderMode) {
    machine.core.link.stated = bus
    machine.core.link.headers = headers
  }

  /// A reply is under way: bytes of it were read, its prompt was not.
  public var isMidReply: Bool { buffered > 0 || isOverlong || machine.isAnswering }

  /// The bus as far as the dialogue told it (ATSP, ATDPN), or as stated.
  public var bus: BusProtocol {
    machine.core.link.stated != .auto ? machine.core.link.stated : machine.core.link.hinted
  }

  /// Counts lines from 0 again.
  public mutating func restartLines() { machine.line = 0 }

  /// A command was sent: what is received next answers it. A reply whose prompt never came ends here.
  public mutating func sent<H: ReplyHandler & ~Copyable>(
    _ command: Span<UInt8>, loaded: Span<SignalDefinition> = Span(), into handler: inout H
  ) {
    finish(loaded: loaded, into: &handler)
    machine.command(command, position: position, into: &handler)
  }

  /// Ends the reply under way as a prompt would: the last line is read as it stands.
  public mutating func finish<H: ReplyHandler & ~Copyable>(
    loaded: Span<SignalDefinition> = Span(), into handler: inout H
  ) {
    let wasOpen = isMidReply
    if buffered > 0 || isOverlong { endBufferedLine(loaded: loaded, into: &handler) }
    guard wasOpen || machine.isAnswering else { return }
    machine.endReply(position: position, loaded: loaded, into: &handler)
  }

  /// Reads the next bytes from the adapter.
  ///
  /// - Parameter loaded: definitions of the signal sets in use, sorted by service and identifier.
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
          i += 1
          continue
        }
        if c == lineFeed {
          if !previousWasCarriageReturn { machine.line &+= 1 }
          previousWasCarriageReturn = false
          i += 1
          continue
        }
        if c == promptCharacter {
          previousWasCarriageReturn = false
          machine.endReply(position: base + UInt64(count: i + 1), loaded: loaded, into: &handler)
          i += 1
          continue
        }
        if machine.takeShortEcho(bytes, from: i, position: base &+ UInt64(count: i &+ 5), into: &handler) {
          previousWasCarriageReturn = true
          i += 5
          continue
        }
        let end = machine.hex.readSpaced(bytes, from: i)
        if end > 0 {
          machine.spacedLine(
            bytes.extracting(i..<end), position: base &+ UInt64(count: end &+ 1), loaded: loaded,
            into: &handler)
          machine.line &+= 1
          // Behind an answer stand, as a rule, an empty line and the prompt.
          if end &+ 2 < count, bytes[end &+ 1] == carriageReturn, bytes[end &+ 2] == promptCharacter {
            machine.line &+= 1
            previousWasCarriageReturn = false
            i = end &+ 3
            machine.endReply(position: base &+ UInt64(count: i), loaded: loaded, into: &handler)
            continue
          }
          previousWasCarriageReturn = true
          i = end &+ 1
          continue
        }
      }
      let end = Self.lineEnd(bytes, from: i)
      guard end < count else {
        store(bytes, from: i, to: count)
        break
      }
      if buffered == 0, !isOverlong {
        let position = base + UInt64(count: end + 1)
        if end - i > Self.lineCapacity {
          machine.overlong(
            bytes.extracting(i..<i + Self.lineCapacity), position: position, into: &handler)
        } else {
          machine.anyLine(bytes.extracting(i..<end), position: position, loaded: loaded, into: &handler)
        }
      } else {
        store(bytes, from: i, to: end)
        position = base + UInt64(count: end + 1)
        endBufferedLine(loaded: loaded, into: &handler)
      }
      let terminator = bytes[end]
      previousWasCarriageReturn = terminator == carriageReturn
      if terminator == promptCharacter {
        machine.endReply(position: base + UInt64(count: end + 1), loaded: loaded, into: &handler)
      } else {
        machine.line &+= 1
      }
      i = end + 1
    }
    position = base + UInt64(count: count)
  }

  private mutating func store(_ bytes: Span<UInt8>, from first: Int, to end: Int) {
    let room = Self.lineCapacity - buffered
    let taken = min(room, end - first)
    for k in 0..<taken { buffer[buffered + k] = bytes[first + k] }
    buffered += taken
    if taken < end - first { isOverlong = true }
  }

  private mutating func endBufferedLine<H: ReplyHandler & ~Copyable>(
    loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    let line = buffer.span.extracting(first: buffered)
    if isOverlong {
      machine.overlong(line, position: position, into: &handler)
    } else {
      machine.anyLine(line, position: position, loaded: loaded, into: &handler)
    }
    buffered = 0
    isOverlong = false
  }

  /// Index of the next CR, LF or prompt; the count where there is none.
  private static func lineEnd(_ bytes: Span<UInt8>, from first: Int) -> Int {
    var i = first
    while i < bytes.count {
      let c = bytes[i]
      if c == carriageReturn || c == lineFeed || c == promptCharacter { return i }
      i += 1
    }
    return i
  }
}

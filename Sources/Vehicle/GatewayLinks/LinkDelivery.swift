import AdapterSession
import OBDWire
import Ports

/// A reading or an event, with its time, that a link's thread passes to the record thread.
///
/// It is copied byte by byte through a ``Ports/Ring``. Therefore, each of its parts has a fixed size.
public struct LinkDelivery: BitwiseCopyable, Sendable {
  /// Number of deliveries that a ring can hold. This suffices for 20 s of polling at full speed.
  package static let ringCapacity = 2_048

  /// Time at which the reading or event was received, ns since boot (CLOCK_BOOTTIME).
  public var time: Int64
  public var content: Content

  public init(_ content: Content, at time: Int64) {
    self.time = time
    self.content = content
  }

  public enum Content: BitwiseCopyable, Sendable {
    case reading(Reading)
    case text(TextReading, ShortText)
    /// The start of a list of trouble codes. `count` is the number of codes in the list.
    case codes(TroubleCodeList, count: UInt16)
    /// One code of the list. `left` is the number of codes of the list that are still to come, including this one.
    case code(TroubleCode, left: UInt16)
    /// An ECU has cleared its codes.
    case codesCleared(Origin)
    case supported(bitmap: UInt32, service: UInt8, base: UInt16, Origin)
    case adapter(AdapterAnswer, ShortText)
    /// A sent command that selects the protocol, and thus the bus.
    case command(ShortText)
    /// A reply or a text line that could not be decoded. The text contains its first bytes.
    case failure(WireError, ShortText)
    case event(SessionEvent)
    /// The link could not be opened.
    case unreachable(PortError.Kind)
  }
}

/// A text of at most 44 bytes that is stored without heap memory.
public struct ShortText: BitwiseCopyable, Sendable {
  public static let capacity = 44
  private var storage = InlineArray<44, UInt8>(repeating: 0)
  private var length: UInt8 = 0

  /// Creates a text. Bytes after the 44th are dropped.
  public init(_ bytes: Span<UInt8>) {
    let count = min(bytes.count, Self.capacity)
    for index in 0..<count { storage[index] = bytes[index] }
    length = UInt8(truncatingIfNeeded: count)
  }

  /// Creates a text from a constant.
  init(_ text: StaticString) {
    self = text.withUTF8Buffer { unsafe ShortText(Span(_unsafeElements: $0)) }
  }

  public var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(first: Int(length)) }
  }
}

import AdapterSession
import OBDWire
import Ports

/// A reading or an event with its time, passed from a link's thread to the record thread.
///
/// It is copied byte by byte through a ``Ports/Ring``. Therefore, all of its parts have a fixed size.
public struct Delivery: BitwiseCopyable, Sendable {
  /// Number of deliveries for which a ring has room. This is sufficient for 20 s of polling at full speed.
  package static let ringCapacity = 2_048

  /// Boot time (CLOCK_BOOTTIME) at which this happened, ns.
  public var time: Int64
  public var content: Content

  public init(_ content: Content, at time: Int64) {
    self.time = time
    self.content = content
  }

  public enum Content: BitwiseCopyable, Sendable {
    case reading(Reading)
    case text(TextReading, ShortText)
    /// One code of a list of trouble codes. `count` is the number of codes of this list that are still to come,
    /// including this one.
    case codes(TroubleCodeList, count: UInt16)
    case code(TroubleCode, left: UInt16)
    /// An ECU has cleared its codes.
    case codesCleared(Origin)
    case supported(bitmap: UInt32, service: UInt8, base: UInt16, Origin)
    case adapter(AdapterAnswer, ShortText)
    /// A command that selects the protocol, and thus the bus.
    case command(ShortText)
    /// A reply or a text line that could not be used. The text contains its first bytes.
    case failure(WireError, ShortText)
    case event(SessionEvent)
    /// The link could not be opened.
    case unreachable(PortError.Kind)
  }
}

/// A text of at most 44 bytes, stored in place instead of on the heap.
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

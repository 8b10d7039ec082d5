import AdapterSession
import OBDWire
import Ports

/// One thing that a line's thread hands to the thread that makes records: what was read or what happened, and when.
///
/// It is copied byte by byte through a ``Ports/Ring``, so all of it is of fixed size.
public struct Delivery: BitwiseCopyable, Sendable {
  /// ns of CLOCK_BOOTTIME.
  public var time: Int64
  public var content: Content

  public init(_ content: Content, at time: Int64) {
    self.time = time
    self.content = content
  }

  public enum Content: BitwiseCopyable, Sendable {
    case reading(Reading)
    case text(TextReading, ShortText)
    /// So many codes follow, one by one, each with the number of those that are left, itself included.
    case codes(TroubleCodeList, count: UInt16)
    case code(TroubleCode, left: UInt16)
    /// An ECU has cleared its codes.
    case codesCleared(Origin)
    case supported(bitmap: UInt32, service: UInt8, base: UInt16, Origin)
    case adapter(AdapterAnswer, ShortText)
    /// A command that says which bus is used.
    case command(ShortText)
    /// A reply or a line of it could not be used; its first bytes.
    case failure(WireError, ShortText)
    case event(SessionEvent)
    /// The line could not be opened.
    case unreachable(PortError.Kind)
  }
}

/// At most 44 bytes of a text, in place.
public struct ShortText: BitwiseCopyable, Sendable {
  public static let capacity = 44
  private var storage = InlineArray<44, UInt8>(repeating: 0)
  private var length: UInt8 = 0

  /// What is longer is cut.
  public init(_ bytes: Span<UInt8>) {
    let count = min(bytes.count, Self.capacity)
    for index in 0..<count { storage[index] = bytes[index] }
    length = UInt8(truncatingIfNeeded: count)
  }

  /// A fixed text.
  init(_ text: StaticString) {
    self = text.withUTF8Buffer { unsafe ShortText(Span(_unsafeElements: $0)) }
  }

  public var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(first: Int(length)) }
  }
}

import NMEAWire
import Ports

/// A fix or an event of a receiver, passed from its thread to the record thread through a ``Ports/Ring``. All parts
/// therefore have a fixed size.
public struct FixDelivery: BitwiseCopyable, Sendable {
  /// Capacity of a ring of these deliveries: enough for half a minute of a fast receiver.
  package static let ringCapacity = 256

  /// Time at which its last byte was received; CLOCK_BOOTTIME, ns.
  public var time: Int64
  public var content: Content

  public init(_ content: Content, at time: Int64) {
    self.time = time
    self.content = content
  }

  public enum Content: BitwiseCopyable, Sendable {
    /// A fix, valid or not, and the time of its first byte.
    case fix(Fix, began: Int64)
    /// The receiver sends data. The text is its identity.
    case connected(ShortText)
    /// The receiver was silent for too long, or the link is closed.
    case lost(Loss)
    /// The link could not be opened.
    case unreachable(PortError.Kind)
    /// An error message of gpsd.
    case refused(ShortText)
    /// Bytes are received, but they form no sentence at any baud rate.
    case noSentences
    /// Number of text lines between valid ones that could not be read.
    case unreadable(lines: Int)
  }

  /// The reason for the loss of a receiver.
  public enum Loss: UInt8, BitwiseCopyable, Sendable {
    case silent, portClosed

    /// Name in records.
    package var name: String {
      switch self {
      case .silent: "silent"
      case .portClosed: "portClosed"
      }
    }
  }
}

/// Writes deliveries of a receiver to its ring, and wakes the record thread.
struct FixDeliveryWriter: ~Copyable {
  private var ring: RingProducer<FixDelivery>
  private let wakeUp: WakeUp

  init(_ ring: consuming RingProducer<FixDelivery>, wakeUp: WakeUp) {
    self.ring = ring
    self.wakeUp = wakeUp
  }

  mutating func put(_ content: FixDelivery.Content, at time: Int64) {
    ring.put(FixDelivery(content, at: time))
    wakeUp.signal()
  }
}

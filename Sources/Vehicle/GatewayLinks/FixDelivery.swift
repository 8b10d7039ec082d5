import NMEAWire
import Ports

/// A fix or an event of a receiver, passed from the receiver's thread to the record thread. It passes through a
/// ``Ports/Ring``, so all of its parts have a fixed size.
public struct FixDelivery: BitwiseCopyable, Sendable {
  /// Number of deliveries for which a ring has room. This is sufficient for half a minute of a fast receiver.
  package static let ringCapacity = 256

  /// Boot time (CLOCK_BOOTTIME) at which the last byte was received, ns.
  public var time: Int64
  public var content: Content

  public init(_ content: Content, at time: Int64) {
    self.time = time
    self.content = content
  }

  public enum Content: BitwiseCopyable, Sendable {
    /// A fix, whether valid or not, and the time at which its first byte was received.
    case fix(Fix, began: Int64)
    /// The receiver has begun to send data. The text is its identity.
    case connected(ShortText)
    /// The receiver was lost, because it was silent for too long or the link was closed.
    case lost(Loss)
    /// The link could not be opened.
    case unreachable(PortError.Kind)
    /// gpsd sent this error message.
    case refused(ShortText)
    /// Bytes are received, but at no baud rate do they form sentences.
    case noSentences
    /// Number of text lines, between valid lines, that could not be read.
    case unreadable(lines: Int)
  }

  /// The reason for the loss of a receiver.
  public enum Loss: UInt8, BitwiseCopyable, Sendable {
    case silent, portClosed

    /// The name of the reason in records.
    package var name: String {
      switch self {
      case .silent: "silent"
      case .portClosed: "portClosed"
      }
    }
  }
}

/// Writes what a receiver delivers to its ring, and wakes the record thread.
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

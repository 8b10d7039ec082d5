import NMEAWire
import Ports

/// A fix or an event of a receiver that the receiver's thread passes to the record thread. It passes through a
/// ``Ports/Ring``. Therefore, each of its parts has a fixed size.
public struct FixDelivery: BitwiseCopyable, Sendable {
  /// Number of deliveries that a ring can hold. This suffices for half a minute of a fast receiver.
  package static let ringCapacity = 256

  /// Time at which the last byte of the fix or event was received, ns since boot (CLOCK_BOOTTIME).
  public var time: Int64
  public var content: Content

  public init(_ content: Content, at time: Int64) {
    self.time = time
    self.content = content
  }

  public enum Content: BitwiseCopyable, Sendable {
    /// A valid or invalid fix. `began` is the time at which its first byte was received, ns since boot.
    case fix(Fix, began: Int64)
    /// The receiver has begun to send data. The text is its identity.
    case connected(ShortText)
    /// The receiver no longer sends data: it was silent for too long, or the link was closed.
    case lost(Loss)
    /// The link could not be opened.
    case unreachable(PortError.Kind)
    /// gpsd sent this error message.
    case refused(ShortText)
    /// Bytes were received, but they do not form sentences at any baud rate.
    case noSentences
    /// Number of text lines from gpsd that could not be read since the last delivery of this kind.
    case unreadable(lines: Int)
  }

  /// The reason why a receiver counts as lost.
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

/// Writes the fixes and events of a receiver to its ring, and wakes the record thread.
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

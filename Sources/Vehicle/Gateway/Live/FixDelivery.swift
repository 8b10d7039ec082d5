import NMEAWire
import Ports

/// One thing that a receiver's thread hands to the thread that makes records. It goes through a ``Ports/Ring``, so all of
/// it is of fixed size.
public struct FixDelivery: BitwiseCopyable, Sendable {
  /// When its last byte came, ns of CLOCK_BOOTTIME.
  public var time: Int64
  public var content: Content

  public init(_ content: Content, at time: Int64) {
    self.time = time
    self.content = content
  }

  public enum Content: BitwiseCopyable, Sendable {
    /// A fix, valid or not, and when its first byte came.
    case fix(Fix, began: Int64)
    /// The receiver speaks; what it is called.
    case connected(ShortText)
    /// It has been silent, or the line is closed.
    case lost(Loss)
    /// The line could not be opened.
    case unreachable(PortError.Kind)
    /// gpsd's own words about something that it refuses.
    case refused(ShortText)
    /// Bytes come, and at no rate do they make a sentence.
    case noSentences
    /// So many lines, between good ones, could not be read.
    case unreadable(lines: Int)
  }

  /// Why nothing more is heard of a receiver.
  public enum Loss: UInt8, BitwiseCopyable, Sendable {
    case silent, portClosed

    /// As records say it.
    var name: String {
      switch self {
      case .silent: "silent"
      case .portClosed: "portClosed"
      }
    }
  }
}

/// A receiver's end of the ring, and what rings for the other.
struct FixOutlet: ~Copyable {
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

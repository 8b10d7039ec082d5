import Ports
import Spool

/// A destination of records. It receives batches from the spool, one at a time, and reports which records it has
/// delivered.
///
/// ```swift
/// struct WebhookSink: Sink, ~Copyable {
///   mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Delivery {
///     var delivery = Delivery()
///     if post(batch.bytes) {
///       delivery.acknowledged = [0..<batch.records.count]
///     } else {
///       delivery.notBefore = BootClock.now &+ 5_000_000_000
///     }
///     return delivery
///   }
/// }
/// ```
///
/// Threads: each sink runs on its own thread in ``SinkSlot/run(_:)``. No other thread calls it, and it shares no lock
/// with another sink. A sink that hangs therefore blocks no other.
///
/// The thread calls ``deliver(_:_:)`` for each batch, ``idle(until:_:)`` between batches, and ``finish(_:)`` once at
/// the end. Each call may block, but returns soon after ``SinkWakeUp/stop()``. Records of a batch that
/// ``Delivery/acknowledged`` does not include are delivered again. They come before or with newer records, or after
/// them if the batch was set aside.
public protocol Sink: ~Copyable {
  /// Tries once to deliver a batch.
  ///
  /// - Parameters:
  ///   - batch: the records to deliver; at least one.
  ///   - wakeUp: must end every wait in this call when it is signalled.
  /// - Returns: which records were delivered, and what the operator should know.
  mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Delivery

  /// Called while there is no batch. The sink can, for example, keep its connection alive. It returns when the wake-up
  /// is signalled, or when it has something to report.
  ///
  /// - Parameter deadline: boot time at which to return in any case, ns.
  mutating func idle(until deadline: Int64, _ wakeUp: SinkWakeUp) -> Delivery

  /// Called once, after the last batch. The sink may still notify its server or broker if that takes only a moment.
  mutating func finish(_ wakeUp: SinkWakeUp)
}

extension Sink where Self: ~Copyable {
  public mutating func idle(until deadline: Int64, _ wakeUp: SinkWakeUp) -> Delivery {
    wakeUp.wait(until: deadline)
    return Delivery()
  }

  public mutating func finish(_ wakeUp: SinkWakeUp) {}
}

/// The result of an attempt to deliver a batch.
public struct Delivery: Equatable, Sendable {
  /// Indices, in the batch, of the records that were delivered, as ascending ranges. The spool does not deliver them
  /// again.
  public var acknowledged: [Range<Int>] = []
  /// Whether no byte of the other records was sent, for example because connecting failed. If so, their times may be
  /// corrected before they are delivered again. Otherwise, they are sent again unchanged.
  public var sentNothing = false
  /// Boot time before which the sink wants no further batch, ns; `.min` for none.
  public var notBefore: Int64 = .min
  /// Whether the peer rejected the batch but may accept other records. These are then delivered first.
  public var isSetAside = false
  /// What to report to the operator.
  public var events: [SinkEvent] = []
  /// Whether the sink cannot deliver any more, for example because the reader of a pipe has closed it.
  public var isOver = false

  /// Creates a result without delivered records.
  public init() {}

  /// Adds a range of records that were delivered.
  mutating func acknowledge(_ records: Range<Int>) {
    guard !records.isEmpty else { return }
    let place = acknowledged.firstIndex { $0.lowerBound > records.lowerBound } ?? acknowledged.count
    acknowledged.insert(records, at: place)
    join(place)
    if place > 0 { join(place - 1) }
  }

  /// Merges a range with the next one if they are adjacent.
  private mutating func join(_ place: Int) {
    guard place + 1 < acknowledged.count, acknowledged[place].upperBound == acknowledged[place + 1].lowerBound else {
      return
    }
    acknowledged[place] = acknowledged[place].lowerBound..<acknowledged[place + 1].upperBound
    acknowledged.remove(at: place + 1)
  }
}

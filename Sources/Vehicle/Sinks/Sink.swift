import Ports
import Spool

/// A destination of records. A sink receives batches from the spool, one at a time, and reports which records it has
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
/// Threads: each sink runs on its own thread in ``SinkSlot/run(_:)``. No other thread calls the sink, and sinks share
/// no lock. Therefore, a sink that hangs blocks no other sink.
///
/// The thread calls ``deliver(_:_:)`` for each batch, ``idle(until:_:)`` between batches, and ``finish(_:)`` once at
/// the end. Each call may block, but must return soon after ``SinkWakeUp/stop()``. Records of a batch that are not in
/// ``Delivery/acknowledged`` are delivered again, before or together with newer records. If the batch was set aside,
/// newer records may be delivered first.
public protocol Sink: ~Copyable {
  /// Tries once to deliver a batch.
  ///
  /// - Parameters:
  ///   - batch: the records to deliver; at least one.
  ///   - wakeUp: the wake-up, which must end every wait in this call.
  /// - Returns: the delivered records, and events for the operator.
  mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Delivery

  /// Waits while there is no batch. The sink can, for example, keep its connection alive. The call returns when the
  /// wake-up is signalled, or when the sink has something to report.
  ///
  /// - Parameter deadline: time at which the call must return, ns since boot.
  mutating func idle(until deadline: Int64, _ wakeUp: SinkWakeUp) -> Delivery

  /// Ends the sink's work after the last batch. The sink may still notify its server or broker if that takes only a
  /// moment.
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
  /// The records that were delivered: ascending ranges of their indices in the batch. The spool does not deliver these
  /// records again.
  public var acknowledged: [Range<Int>] = []
  /// Whether no byte of the undelivered records was sent, for example because connecting failed. If `true`, the times
  /// of these records may be corrected before the next delivery. Otherwise, they are sent again unchanged.
  public var sentNothing = false
  /// Time before which the sink accepts no further batch, ns since boot; `.min` if it accepts one immediately.
  public var notBefore: Int64 = .min
  /// Whether the peer rejected the batch but may accept other records. Other records are then delivered first.
  public var isSetAside = false
  /// Events to report to the operator.
  public var events: [SinkEvent] = []
  /// Whether the sink can deliver no further records, for example because the reader of a pipe has closed it.
  public var isOver = false

  /// Creates a result without delivered records.
  public init() {}

  /// Adds a range of delivered records, as indices in the batch.
  mutating func acknowledge(_ records: Range<Int>) {
    guard !records.isEmpty else { return }
    let place = acknowledged.firstIndex { $0.lowerBound > records.lowerBound } ?? acknowledged.count
    acknowledged.insert(records, at: place)
    join(place)
    if place > 0 { join(place - 1) }
  }

  /// Merges the range at an index of `acknowledged` with the next range if they are adjacent.
  private mutating func join(_ place: Int) {
    guard place + 1 < acknowledged.count, acknowledged[place].upperBound == acknowledged[place + 1].lowerBound else {
      return
    }
    acknowledged[place] = acknowledged[place].lowerBound..<acknowledged[place + 1].upperBound
    acknowledged.remove(at: place + 1)
  }
}

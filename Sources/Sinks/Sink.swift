import Ports
import Spool

/// Where records go: takes batches from the spool, one at a time, and says which records it has for good.
///
/// Threads: a sink lives in a thread of its own, which ``SinkSlot/run(_:)`` is; nobody else calls it, and it shares no
/// lock with another sink. So one that hangs holds up itself alone.
///
/// Call order: ``deliver(_:_:)`` for each batch, ``idle(until:_:)`` in between, ``finish(_:)`` once at the end. Each may
/// wait; each returns soon after ``SinkBell/stop()``. What a batch had and ``Delivery/acknowledged`` does not name is
/// handed to the sink once more, before or with newer records; after them where it was set aside.
public protocol Sink: ~Copyable {
  /// Tries once to hand a batch on.
  ///
  /// - Parameters:
  ///   - batch: at least one record.
  ///   - bell: whoever waits in here waits for it, too.
  mutating func deliver(_ batch: RecordBatch, _ bell: SinkBell) -> Delivery

  /// Keeps what there is to be kept up while there is no batch: a connection, a fetch that is due. Returns when the bell
  /// has rung, or when there is something to tell.
  ///
  /// - Parameter deadline: boot time, ns: it returns then at the latest.
  mutating func idle(until deadline: Int64, _ bell: SinkBell) -> Delivery

  /// No batch will come any more: says goodbye, in a moment or not at all.
  mutating func finish(_ bell: SinkBell)
}

extension Sink where Self: ~Copyable {
  public mutating func idle(until deadline: Int64, _ bell: SinkBell) -> Delivery {
    bell.wait(until: deadline)
    return Delivery()
  }

  public mutating func finish(_ bell: SinkBell) {}
}

/// What became of a batch.
public struct Delivery: Equatable, Sendable {
  /// Which of its records the sink has for good, by their index; ascending.
  public var acknowledged: [Range<Int>] = []
  /// Of what is not acknowledged nothing has left, not even in part: it could not connect, or has no token. Then the
  /// records may say another time when they come back; otherwise whoever has them already must find the same.
  public var sentNothing = false
  /// Boot time, ns: before that the sink wants no batch; `.min`: it wants one now.
  public var notBefore: Int64 = .min
  /// Nothing of the batch is taken, though others may be: they are handed out first, and the batch once more after them.
  public var isSetAside = false
  /// What people should know.
  public var news: [SinkNews] = []
  /// Nobody takes anything at the other end, now or ever: the reader of a pipe has left.
  public var isOver = false

  public init() {}

  /// Takes note that a record, or several in a row, is delivered.
  mutating func acknowledge(_ records: Range<Int>) {
    guard !records.isEmpty else { return }
    let place = acknowledged.firstIndex { $0.lowerBound > records.lowerBound } ?? acknowledged.count
    acknowledged.insert(records, at: place)
    join(place)
    if place > 0 { join(place - 1) }
  }

  /// Makes one range of a range and the next where they touch.
  private mutating func join(_ place: Int) {
    guard place + 1 < acknowledged.count, acknowledged[place].upperBound == acknowledged[place + 1].lowerBound else {
      return
    }
    acknowledged[place] = acknowledged[place].lowerBound..<acknowledged[place + 1].upperBound
    acknowledged.remove(at: place + 1)
  }
}

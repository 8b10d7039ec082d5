import Spool

/// How many records, or for how long, a sink waits before it is handed telemetry. Events never wait.
public struct Gathering: Equatable, Sendable {
  /// So many make a batch.
  public var records: Int
  /// The first of them waits so long, ns; 0: not at all.
  public var interval: Int64

  public init(records: Int = 100, interval: Int64 = 0) {
    self.records = records
    self.interval = interval
  }
}

/// When a sink is due a batch. The spool's thread has one for each sink; no clock of its own.
///
/// Call order: ``noticed(_:at:)`` after records were appended or committed; when ``due`` has come and the sink takes
/// one, a batch is filled and told by ``handedOut(_:_:)``; what became of it by ``settled(_:)``.
public struct Pace: Sendable {
  private let gathering: Gathering
  /// What had arrived when the last batch was filled.
  private var taken = Spool.Arrived()
  private var arrived = Spool.Arrived()
  /// Since when the oldest telemetry waits.
  private var waitingSince: Int64?
  /// There may be more than arrived since: a backlog, or what came back.
  private var mayHaveBacklog = true
  private var notBefore = Int64.min

  /// The sink is due at once: the spool may have a backlog.
  public init(_ gathering: Gathering) { self.gathering = gathering }

  /// When a batch is due, boot time in ns; `.max`: not before more arrives.
  public var due: Int64 {
    let waiting = arrived.telemetry &- taken.telemetry
    if mayHaveBacklog || arrived.events != taken.events || waiting >= UInt64(gathering.records) { return notBefore }
    guard waiting > 0, let since = waitingSince else { return .max }
    return max(notBefore, since &+ gathering.interval)
  }

  /// Takes note of what sinks can be handed by now.
  public mutating func noticed(_ arrived: Spool.Arrived, at now: Int64) {
    self.arrived = arrived
    if waitingSince == nil, arrived.telemetry != taken.telemetry { waitingSince = now }
  }

  /// A batch was filled, possibly with nothing.
  public mutating func handedOut(_ batch: borrowing RecordBatch, _ limit: RecordBatch.Limit) {
    // One that is full leaves others behind; its last record may have been too long for it, too.
    mayHaveBacklog = batch.records.count >= limit.records || batch.bytes.count > limit.bytes / 2
    taken = arrived
    waitingSince = nil
  }

  /// A sink has said what became of its batch.
  ///
  /// - Parameter records: how many it had.
  public mutating func settled(_ delivery: Delivery, of records: Int) {
    notBefore = delivery.notBefore
    let delivered = delivery.acknowledged.reduce(0) { $0 + $1.count }
    if delivered < records { mayHaveBacklog = true }
  }
}

import Spool

/// Conditions for a batch of telemetry to be complete. Events are never delayed.
public struct BatchPolicy: Equatable, Sendable {
  /// Number of records that complete a batch.
  public var records: Int
  /// Longest delay of the first record, ns; 0 for no delay.
  public var interval: Int64

  /// Creates a batchPolicy; the parameters are the properties of the same names.
  public init(records: Int = 100, interval: Int64 = 0) {
    self.records = records
    self.interval = interval
  }
}

/// Decides when a sink gets its next batch. The spool's thread has one for each sink; it reads no clock.
///
/// Call order: ``recordsArrived(_:at:)`` after records were appended or committed. When ``due`` has passed and the sink takes
/// a batch, fill one and call ``batchFilled(_:_:)``. When the sink reports the result, call ``batchFinished(_:of:)``.
public struct BatchTimer: Sendable {
  private let batchPolicy: BatchPolicy
  /// The records available when the last batch was filled.
  private var taken = Spool.Arrived()
  private var arrived = Spool.Arrived()
  /// Time since which the oldest telemetry waits; boot time, ns.
  private var waitingSince: Int64?
  /// Whether more records may wait than arrived since the last batch: a backlog, or returned records.
  private var mayHaveBacklog = true
  private var notBefore = Int64.min

  /// Creates a timer whose first batch is due immediately, because the spool may have a backlog.
  public init(_ batchPolicy: BatchPolicy) { self.batchPolicy = batchPolicy }

  /// Time at which a batch is due, boot time in ns; `.max` if more records have to arrive first.
  public var due: Int64 {
    let waiting = arrived.telemetry &- taken.telemetry
    if mayHaveBacklog || arrived.events != taken.events || waiting >= UInt64(batchPolicy.records) { return notBefore }
    guard waiting > 0, let since = waitingSince else { return .max }
    return max(notBefore, since &+ batchPolicy.interval)
  }

  /// Updates the number of records available to sinks.
  public mutating func recordsArrived(_ arrived: Spool.Arrived, at now: Int64) {
    self.arrived = arrived
    if waitingSince == nil, arrived.telemetry != taken.telemetry { waitingSince = now }
  }

  /// Must be called after a batch was filled, even if it is empty.
  public mutating func batchFilled(_ batch: borrowing RecordBatch, _ limit: RecordBatch.Limit) {
    // A full batch leaves records behind. The next record may also have been too long for the batch.
    mayHaveBacklog = batch.records.count >= limit.records || batch.bytes.count > limit.bytes / 2
    taken = arrived
    waitingSince = nil
  }

  /// Updates the state after a sink reported the result of its batch.
  ///
  /// - Parameter records: number of records in the batch.
  public mutating func batchFinished(_ delivery: Delivery, of records: Int) {
    notBefore = delivery.notBefore
    let delivered = delivery.acknowledged.reduce(0) { $0 + $1.count }
    if delivered < records { mayHaveBacklog = true }
  }
}

import Spool

/// The conditions for sending a batch of telemetry. Events are never delayed.
public struct BatchPolicy: Equatable, Sendable {
  /// Number of records that complete a batch.
  public var records: Int
  /// Maximum time for which the first record of a batch waits, ns; 0 to send it at once.
  public var interval: Int64

  /// Creates a policy; the parameters are the properties of the same names.
  public init(records: Int = 100, interval: Int64 = 0) {
    self.records = records
    self.interval = interval
  }
}

/// Decides when a sink gets its next batch. The spool's thread has one timer for each sink. The timer itself reads no
/// clock.
///
/// After records were appended or committed, call ``recordsArrived(_:at:)``. When ``due`` has passed and the sink takes
/// a batch, fill one and call ``batchFilled(_:_:)``. When the sink reports the result, call ``batchFinished(_:of:)``.
public struct BatchTimer: Sendable {
  private let batchPolicy: BatchPolicy
  /// Number of records that had arrived in the spool when the last batch was filled.
  private var taken = Spool.Arrived()
  private var arrived = Spool.Arrived()
  /// Time since which the oldest telemetry has been waiting for a batch; boot time, ns.
  private var waitingSince: Int64?
  /// Whether the spool possibly has more records than have arrived since the last batch: it may have a backlog, or the
  /// sink may not have delivered all records.
  private var mayHaveBacklog = true
  private var notBefore = Int64.min

  /// Creates a timer whose first batch is due immediately, because the spool may have a backlog.
  public init(_ batchPolicy: BatchPolicy) { self.batchPolicy = batchPolicy }

  /// Boot time at which a batch is due, ns; `.max` if more records must arrive first.
  public var due: Int64 {
    let waiting = arrived.telemetry &- taken.telemetry
    if mayHaveBacklog || arrived.events != taken.events || waiting >= UInt64(batchPolicy.records) { return notBefore }
    guard waiting > 0, let since = waitingSince else { return .max }
    return max(notBefore, since &+ batchPolicy.interval)
  }

  /// Updates the number of records that have arrived in the spool so far.
  public mutating func recordsArrived(_ arrived: Spool.Arrived, at now: Int64) {
    self.arrived = arrived
    if waitingSince == nil, arrived.telemetry != taken.telemetry { waitingSince = now }
  }

  /// Handles a batch that was filled. Call this even if the batch is empty.
  public mutating func batchFilled(_ batch: borrowing RecordBatch, _ limit: RecordBatch.Limit) {
    // If the batch is full, records are left over. If it is more than half full, the next record may have been too long
    // to fit.
    mayHaveBacklog = batch.records.count >= limit.records || batch.bytes.count > limit.bytes / 2
    taken = arrived
    waitingSince = nil
  }

  /// Handles the result that a sink has reported for its batch.
  ///
  /// - Parameter records: number of records in the batch.
  public mutating func batchFinished(_ delivery: Delivery, of records: Int) {
    notBefore = delivery.notBefore
    let delivered = delivery.acknowledged.reduce(0) { $0 + $1.count }
    if delivered < records { mayHaveBacklog = true }
  }
}

import Spool

/// The conditions for sending a batch of telemetry records. Other records (events) are never delayed.
public struct BatchPolicy: Equatable, Sendable {
  /// Number of telemetry records at which a batch is sent without waiting for `interval`.
  public var records: Int
  /// Maximum time for which the first record of a batch waits for further records, ns; 0 to send it without waiting.
  public var interval: Int64

  /// Creates a policy; the parameters are the properties of the same names.
  public init(records: Int = 100, interval: Int64 = 0) {
    self.records = records
    self.interval = interval
  }
}

/// Determines when a sink receives its next batch. The spool's thread has one timer for each sink. A timer reads no
/// clock; the caller passes the time.
///
/// After records have arrived in the spool, call ``recordsArrived(_:at:)``. When ``due`` has passed and the sink
/// accepts a batch, fill one and call ``batchFilled(_:_:)``. When the sink reports the result, call
/// ``batchFinished(_:of:)``.
public struct BatchTimer: Sendable {
  private let batchPolicy: BatchPolicy
  /// The value of `arrived` when the last batch was filled.
  private var taken = Spool.Arrived()
  private var arrived = Spool.Arrived()
  /// Arrival time of the oldest telemetry record that waits for a batch, ns since boot; `nil` if none waits.
  private var waitingSince: Int64?
  /// Whether the spool may have a backlog for this sink besides the records that have arrived since the last batch. For
  /// example, the sink may not have delivered all records of a batch.
  private var mayHaveBacklog = true
  private var notBefore = Int64.min

  /// Creates a timer. Its first batch is due immediately, because the spool may have a backlog.
  public init(_ batchPolicy: BatchPolicy) { self.batchPolicy = batchPolicy }

  /// Time at which the next batch is due, ns since boot; `.max` if more records must arrive first.
  public var due: Int64 {
    let waiting = arrived.telemetry &- taken.telemetry
    if mayHaveBacklog || arrived.events != taken.events || waiting >= UInt64(batchPolicy.records) { return notBefore }
    guard waiting > 0, let since = waitingSince else { return .max }
    return max(notBefore, since &+ batchPolicy.interval)
  }

  /// Stores how many records have arrived in the spool until now, in each lane.
  public mutating func recordsArrived(_ arrived: Spool.Arrived, at now: Int64) {
    self.arrived = arrived
    if waitingSince == nil, arrived.telemetry != taken.telemetry { waitingSince = now }
  }

  /// Remembers that a batch was filled for the sink. Call this even if the batch is empty.
  public mutating func batchFilled(_ batch: borrowing RecordBatch, _ limit: RecordBatch.Limit) {
    // If the batch is full, more records may wait. If it is more than half full, the next record may have been too long
    // to fit.
    mayHaveBacklog = batch.records.count >= limit.records || batch.bytes.count > limit.bytes / 2
    taken = arrived
    waitingSince = nil
  }

  /// Handles the result that the sink has reported for a batch.
  ///
  /// - Parameter records: number of records in the batch.
  public mutating func batchFinished(_ delivery: Delivery, of records: Int) {
    notBefore = delivery.notBefore
    let delivered = delivery.acknowledged.reduce(0) { $0 + $1.count }
    if delivered < records { mayHaveBacklog = true }
  }
}

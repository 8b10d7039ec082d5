import Telemetry

/// A group of records that will never be delivered, and that a `gap` record has to report.
///
/// A loss counts as reported when its `gap` record has been appended (``Spool/append(_:at:explaining:)``) and
/// committed. If there is a crash before that commit, ``Spool/popLoss()`` returns the loss again.
public struct Loss: Equatable, Sendable {
  /// The reason why the records were lost.
  public var reason: GapRecord.Reason
  /// The epoch to which ``sequences`` belongs; `nil` if the file that contained it cannot be read. It may differ from
  /// the epoch of the `gap` record.
  public var epoch: UUIDv7?
  /// The range of the lost sequence numbers; `nil` if they are unknown. The range may also contain numbers of delivered
  /// records, unless the loss is due to an unclean stop.
  ///
  /// After an unclean stop, these are the numbers that records in memory may have got. No sink has received a record
  /// with one of these numbers, and none of the numbers is used again.
  public var sequences: ClosedRange<UInt64>?
  /// Number of lost records; `nil` if unknown. With the reasons `powerLoss` and `processKilled`, it is an upper bound.
  public var count: UInt64?
  /// Types of the lost records; empty if unknown.
  public var types: [RecordType] = []
  /// The name of the sink that has not received the records; `nil` if no sink has received them.
  public var sink: String?
  /// Row number of the loss in the file; 0 if it is not in a file.
  var row: Int64 = 0

  init(_ reason: GapRecord.Reason, epoch: UUIDv7?, sequences: ClosedRange<UInt64>?, count: UInt64?) {
    self.reason = reason
    self.epoch = epoch
    self.sequences = sequences
    self.count = count
  }

  /// A copy of the loss with ``row`` 0.
  var withoutRow: Loss {
    var loss = self
    loss.row = 0
    return loss
  }

  /// The `gap` record that reports the loss; `nil` if ``sequences`` is unknown.
  public var gap: GapRecord? {
    guard let sequences else { return nil }
    var gap = GapRecord(fromSequence: sequences.lowerBound, toSequence: sequences.upperBound, reason: reason)
    gap.count = count
    gap.types = types.isEmpty ? nil : types
    gap.sink = sink
    gap.lostEpoch = epoch
    return gap
  }

  /// Merges another loss into this one, so that one record reports both.
  ///
  /// - Returns: `false` if they cannot be merged, because their reason, epoch or sink differs, or one of them has no
  ///   sequence numbers.
  mutating func merge(_ other: Loss) -> Bool {
    guard reason == other.reason, epoch == other.epoch, sink == other.sink, let own = sequences,
      let others = other.sequences
    else { return false }
    sequences = min(own.lowerBound, others.lowerBound)...max(own.upperBound, others.upperBound)
    if let one = count, let two = other.count { count = one + two } else { count = nil }
    for type in other.types where !types.contains(type) { types.append(type) }
    return true
  }

  /// Returns the losses that result from dropping records: one loss for each sink, with the dropped records that the
  /// sink has not acknowledged. If these are the same records for all sinks, a single loss is returned.
  ///
  /// - Parameters:
  ///   - records: sequence numbers and types of the dropped records, in ascending order.
  ///   - isAcknowledged: returns whether a sink has acknowledged a record. The arguments are the index of the sink and
  ///     the sequence number of the record.
  static func of(
    _ records: [(sequence: UInt64, type: RecordType)], epoch: UUIDv7, sinks: [String], reason: GapRecord.Reason,
    isAcknowledged: (_ sink: Int, _ sequence: UInt64) -> Bool
  ) -> [Loss] {
    var losses: [Loss] = []
    for (index, name) in sinks.enumerated() {
      let missing = records.filter { !isAcknowledged(index, $0.sequence) }
      guard let first = missing.first, let last = missing.last else { continue }
      var loss = Loss(
        reason, epoch: epoch, sequences: first.sequence...last.sequence, count: UInt64(missing.count))
      for record in missing where !loss.types.contains(record.type) { loss.types.append(record.type) }
      loss.sink = name
      losses.append(loss)
    }
    guard let first = losses.first, losses.count == sinks.count else { return losses }
    var shared = first
    shared.sink = nil
    let areSame = losses.allSatisfy { loss in
      loss.sequences == first.sequences && loss.count == first.count
    }
    return areSame ? [shared] : losses
  }
}

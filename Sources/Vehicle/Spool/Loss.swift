import Telemetry

/// Records that will never be delivered and that a `gap` record has to report.
///
/// A loss stays unreported until a record that explains it is appended (``Spool/append(_:at:explaining:)``) and
/// committed. After a crash before that commit, ``Spool/takeLoss()`` returns it again.
public struct Loss: Equatable, Sendable {
  /// Cause of the loss.
  public var reason: GapRecord.Reason
  /// Epoch of the lost numbers, which may differ from the epoch of the `gap` record; `nil` if the file that knew it
  /// cannot be read.
  public var epoch: UUIDv7?
  /// First and last lost number; `nil` if unknown.
  ///
  /// After an unclean stop these are the numbers that records in memory could have received. No sink received any of
  /// them, and none is used again.
  public var sequences: ClosedRange<UInt64>?
  /// Number of lost records, an upper bound for the reasons `powerLoss` and `processKilled`; `nil` if unknown.
  public var count: UInt64?
  /// Types of the lost records; empty if unknown.
  public var types: [RecordType] = []
  /// The only sink that lacks the records; `nil` if all sinks do.
  public var sink: String?
  /// Row in the file; 0 if no file has stored the loss.
  var row: Int64 = 0

  init(_ reason: GapRecord.Reason, epoch: UUIDv7?, sequences: ClosedRange<UInt64>?, count: UInt64?) {
    self.reason = reason
    self.epoch = epoch
    self.sequences = sequences
    self.count = count
  }

  /// A copy that is stored in no file.
  var withoutRow: Loss {
    var loss = self
    loss.row = 0
    return loss
  }

  /// The content of the `gap` record; `nil` if not even the numbers are known.
  public var gap: GapRecord? {
    guard let sequences else { return nil }
    var gap = GapRecord(fromSequence: sequences.lowerBound, toSequence: sequences.upperBound, reason: reason)
    gap.count = count
    gap.types = types.isEmpty ? nil : types
    gap.sink = sink
    gap.lostEpoch = epoch
    return gap
  }

  /// Merges a loss of the same kind, so that one record reports both.
  ///
  /// - Returns: `false` if the reason, epoch or sink differ, or if one of them has no numbers.
  mutating func merge(_ other: Loss) -> Bool {
    guard reason == other.reason, epoch == other.epoch, sink == other.sink, let own = sequences,
      let others = other.sequences
    else { return false }
    sequences = min(own.lowerBound, others.lowerBound)...max(own.upperBound, others.upperBound)
    if let one = count, let two = other.count { count = one + two } else { count = nil }
    for type in other.types where !types.contains(type) { types.append(type) }
    return true
  }

  /// Computes the loss for each sink when records are dropped; a single loss if all sinks lack the same records.
  ///
  /// - Parameters:
  ///   - records: number and type of the dropped records, ascending.
  ///   - isAcknowledged: whether a sink, by its index, has acknowledged a record.
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

import Telemetry

/// Records that will not come, of which a `gap` record is owed.
///
/// It is owed until a record that tells of it is appended (``Spool/append(_:at:explaining:)``) and committed: after a
/// crash in between it is owed again.
public struct Loss: Equatable, Sendable {
  /// What took them.
  public var reason: GapRecord.Reason
  /// The epoch in which they were counted, which need not be that of the record that tells of it; nil: the file that
  /// knew it cannot be read.
  public var epoch: UUIDv7?
  /// The first and last number that they had; nil: not known.
  ///
  /// After a power cut: the numbers that were set aside for records not yet committed. None of them was handed to any
  /// sink, none will be used again, and no more records than that were waiting for the disk.
  public var sequences: ClosedRange<UInt64>?
  /// How many; nil: that is not known.
  public var count: UInt64?
  /// Of which types; empty: that is not known.
  public var types: [RecordType] = []
  /// The only sink that lacks them; nil: all lack them.
  public var sink: String?
  /// Row of the file; 0 for one that no file has.
  var row: Int64 = 0

  init(_ reason: GapRecord.Reason, epoch: UUIDv7?, sequences: ClosedRange<UInt64>?, count: UInt64?) {
    self.reason = reason
    self.epoch = epoch
    self.sequences = sequences
    self.count = count
  }

  /// The same, as no file has it.
  var withoutRow: Loss {
    var loss = self
    loss.row = 0
    return loss
  }

  /// As a record tells it; nil where not even the numbers are known.
  public var gap: GapRecord? {
    guard let sequences else { return nil }
    var gap = GapRecord(fromSequence: sequences.lowerBound, toSequence: sequences.upperBound, reason: reason)
    gap.count = count
    gap.types = types.isEmpty ? nil : types
    gap.sink = sink
    gap.lostEpoch = epoch
    return gap
  }

  /// Takes in a loss of the same kind: one record tells of both.
  ///
  /// - Returns: false where they are not of the same kind.
  mutating func merge(_ other: Loss) -> Bool {
    guard reason == other.reason, epoch == other.epoch, sink == other.sink, let own = sequences,
      let others = other.sequences
    else { return false }
    sequences = min(own.lowerBound, others.lowerBound)...max(own.upperBound, others.upperBound)
    if let one = count, let two = other.count { count = one + two } else { count = nil }
    for type in other.types where !types.contains(type) { types.append(type) }
    return true
  }

  /// What the loss of these records is to each of the sinks: one loss where they all lack the same.
  ///
  /// - Parameters:
  ///   - records: number and type of what was dropped, ascending.
  ///   - isAcknowledged: whether a sink, by its index, has a record.
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

/// A record that reports a gap: a range of sequence numbers that will never arrive.
public struct GapRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.gap

  /// The reason why records were lost.
  ///
  /// If the process ended without a regular stop, the reason depends on whether the machine was started again since
  /// then: `powerLoss` if it was, otherwise `processKilled`.
  public enum Reason: UInt8, CaseIterable, Sendable {
    case spoolFull, powerLoss, damagedSpool, slowReader, slowDisk, processKilled
    /// Name of the reason in records.
    public var name: StaticString {
      switch self {
      case .spoolFull: "spoolFull"
      case .powerLoss: "powerLoss"
      case .damagedSpool: "damagedSpool"
      case .slowReader: "slowReader"
      case .slowDisk: "slowDisk"
      case .processKilled: "processKilled"
      }
    }
  }

  /// Sequence number of the first lost record.
  public var fromSequence: UInt64
  /// Sequence number of the last lost record.
  public var toSequence: UInt64
  /// Number of lost records, at most the size of the range; `nil` if unknown. For the reasons `powerLoss` and
  /// `processKilled` it is an upper bound, because records that were only in memory cannot be counted afterwards.
  public var count: UInt64?
  /// Types of the lost records; `nil` if unknown.
  public var types: [RecordType]?
  /// The reason for the loss.
  public var reason: Reason
  /// The sink that did not receive the records; `nil` if no sink received them.
  public var sink: String?
  /// Epoch of the lost records; `nil` if this record has the same epoch.
  public var lostEpoch: UUIDv7?

  /// Creates a record for the sequence numbers from `fromSequence` to `toSequence`, inclusive.
  public init(fromSequence: UInt64, toSequence: UInt64, reason: Reason) {
    self.fromSequence = fromSequence
    self.toSequence = toSequence
    self.reason = reason
  }

  public func write(to line: inout JSONLineEncoder) {
    line.field("fromSeq", fromSequence)
    line.field("toSeq", toSequence)
    line.field("count", count)
    line.field("types", types.map { types in types.map(\.name) })
    line.field("reason", reason.name)
    line.field("sink", sink)
    line.field("lostEpoch", lostEpoch)
  }
}

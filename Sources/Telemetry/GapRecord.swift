/// Records that are not coming, and why.
public struct GapRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.gap

  /// What took the records.
  public enum Reason: UInt8, CaseIterable, Sendable {
    case spoolFull, powerLoss, damagedSpool, slowReader, slowDisk
    /// As records print it.
    public var name: StaticString {
      switch self {
      case .spoolFull: "spoolFull"
      case .powerLoss: "powerLoss"
      case .damagedSpool: "damagedSpool"
      case .slowReader: "slowReader"
      case .slowDisk: "slowDisk"
      }
    }
  }

  /// The first record that is lost.
  public var fromSequence: UInt64
  /// The last record that is lost.
  public var toSequence: UInt64
  /// How many between them, where not all are.
  public var count: UInt64?
  /// Of which types, where that is known.
  public var types: [RecordType]?
  /// What took them.
  public var reason: Reason
  /// The only sink that lost them.
  public var sink: String?
  /// In which they were counted; absent: the epoch of this record.
  public var lostEpoch: UUIDv7?

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

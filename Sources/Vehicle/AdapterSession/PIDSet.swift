/// A set of PIDs, 00 to FF.
public struct PIDSet: BitwiseCopyable, Equatable, Sendable {
  private var words = InlineArray<8, UInt32>(repeating: 0)

  /// The empty set.
  public init() {}

  /// Whether the set contains a PID.
  public func contains(_ pid: UInt8) -> Bool { words[Int(pid >> 5)] & Self.bit(pid) != 0 }

  /// Whether the set is empty.
  public var isEmpty: Bool {
    for i in 0..<8 where words[i] != 0 { return false }
    return true
  }

  /// Whether this set and `other` cannot be the supported PIDs of the same ECU. A range of 32 PIDs that is empty in
  /// either set is ignored, because the request for that range was perhaps not answered.
  func contradicts(_ other: PIDSet) -> Bool {
    for range in 0..<8 {
      let (mine, theirs) = (bitmap(range), other.bitmap(range))
      if mine != 0, theirs != 0, mine != theirs { return true }
    }
    return false
  }

  /// Returns the PIDs `range` × 32 + 1 to `range` × 32 + 32 as a bitmap, as in an answer to the support PID `range` ×
  /// 32.
  private func bitmap(_ range: Int) -> UInt32 {
    words[range] >> 1 | (range < 7 ? words[range + 1] << 31 : 0)
  }

  /// Adds all PIDs of another set.
  mutating func formUnion(_ other: PIDSet) { for i in 0..<8 { words[i] |= other.words[i] } }

  /// Adds a PID.
  public mutating func insert(_ pid: UInt8) { words[Int(pid >> 5)] |= Self.bit(pid) }
  mutating func remove(_ pid: UInt8) { words[Int(pid >> 5)] &= ~Self.bit(pid) }

  /// Adds the PIDs of an answer to the support PID `base` (00, 20, 40 and so on). The bitmap's most significant bit
  /// stands for `base` + 1, the least significant bit for `base` + 32.
  mutating func insert(bitmap: UInt32, base: UInt8) {
    for i in 0..<32 where bitmap & 1 << UInt32(31 - i) != 0 {
      let pid = Int(base) + 1 + i
      if pid <= 0xFF { insert(UInt8(truncatingIfNeeded: pid)) }
    }
  }

  private static func bit(_ pid: UInt8) -> UInt32 { 1 << UInt32(pid & 31) }
}

extension PIDSet {
  /// Whether both sets contain the same PIDs.
  public static func == (a: PIDSet, b: PIDSet) -> Bool {
    for i in 0..<8 where a.words[i] != b.words[i] { return false }
    return true
  }
}

/// The fences of a set, in the order in which they were added.
///
/// Each is put together when it is asked for: kept are 12 bytes and the texts, all in one piece, so that 100,000 fences
/// with ids of 36 letters do not take 100,000 blocks of memory.
public struct Fences: RandomAccessCollection, Equatable, Sendable {
  private struct Row: BitwiseCopyable, Equatable, Sendable {
    /// Where its id ends in `texts`, which begins where the name of the fence before ends.
    var idEnd: UInt32
    var nameEnd: UInt32
    /// ``Flags``, and above them one more than its index in `limits`; 0: it has none.
    var bits: UInt32
  }

  private enum Flags {
    static var entry: UInt32 { 1 }
    static var exit: UInt32 { 2 }
    static var name: UInt32 { 4 }
    static var count: UInt32 { 3 }
  }

  private struct Limits: BitwiseCopyable, Equatable, Sendable {
    var dwell: Int64?
    var speed: Double?
  }

  private var rows: [Row] = []
  private var texts: [UInt8] = []
  private var limits: [Limits] = []

  public var startIndex: Int { 0 }
  public var endIndex: Int { rows.count }

  /// The fence at `index`; makes its texts.
  public subscript(index: Int) -> Fence {
    let row = rows[index]
    let start = index > 0 ? Int(rows[index - 1].nameEnd) : 0
    return Fence(
      id: text(start, row.idEnd), name: row.bits & Flags.name != 0 ? text(Int(row.idEnd), row.nameEnd) : nil,
      notifyOnEntry: notifiesOnEntry(index), notifyOnExit: notifiesOnExit(index), dwell: dwell(of: index),
      speedLimit: speedLimit(of: index))
  }

  // MARK: For each fix

  func notifiesOnEntry(_ index: Int) -> Bool { rows[index].bits & Flags.entry != 0 }
  func notifiesOnExit(_ index: Int) -> Bool { rows[index].bits & Flags.exit != 0 }
  func dwell(of index: Int) -> Int64? { limits(of: index)?.dwell }
  func speedLimit(of index: Int) -> Double? { limits(of: index)?.speed }

  private func limits(of index: Int) -> Limits? {
    let place = rows[index].bits >> Flags.count
    return place > 0 ? limits[Int(place) - 1] : nil
  }

  // MARK: Making

  mutating func append(_ fence: Fence) {
    var bits: UInt32 = 0
    if fence.notifyOnEntry { bits |= Flags.entry }
    if fence.notifyOnExit { bits |= Flags.exit }
    texts.append(contentsOf: fence.id.utf8)
    let idEnd = UInt32(texts.count)
    if let name = fence.name {
      bits |= Flags.name
      texts.append(contentsOf: name.utf8)
    }
    if fence.dwell != nil || fence.speedLimit != nil {
      limits.append(Limits(dwell: fence.dwell, speed: fence.speedLimit))
      bits |= UInt32(limits.count) << Flags.count
    }
    rows.append(Row(idEnd: idEnd, nameEnd: UInt32(texts.count), bits: bits))
  }

  private func text(_ start: Int, _ end: UInt32) -> String { String(decoding: texts[start..<Int(end)], as: UTF8.self) }
}

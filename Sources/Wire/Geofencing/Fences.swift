/// The fences of a set, in the order in which they were added.
///
/// Each ``Fence`` is created when it is read. The collection stores 12 bytes for each fence, and the texts of all
/// fences in one block, so that 100,000 fences with identifiers of 36 letters do not need 100,000 allocations.
public struct Fences: RandomAccessCollection, Equatable, Sendable {
  private struct Row: BitwiseCopyable, Equatable, Sendable {
    /// End of the fence's identifier in `texts`. The identifier begins where the previous fence's name ends.
    var idEnd: UInt32
    var nameEnd: UInt32
    /// ``Flags`` in the low bits. The bits above them contain 1 plus the fence's index in `limits`; 0 if the fence has
    /// no entry there.
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

  /// The index of the first fence, 0.
  public var startIndex: Int { 0 }
  /// The number of fences.
  public var endIndex: Int { rows.count }

  /// Returns the fence at `index`. Each call allocates the fence's texts.
  public subscript(index: Int) -> Fence {
    let row = rows[index]
    let start = index > 0 ? Int(rows[index - 1].nameEnd) : 0
    return Fence(
      id: text(start, row.idEnd), name: row.bits & Flags.name != 0 ? text(Int(row.idEnd), row.nameEnd) : nil,
      notifyOnEntry: notifiesOnEntry(index), notifyOnExit: notifiesOnExit(index), dwell: dwell(of: index),
      speedLimit: speedLimit(of: index))
  }

  // MARK: Values needed for each fix

  func notifiesOnEntry(_ index: Int) -> Bool { rows[index].bits & Flags.entry != 0 }
  func notifiesOnExit(_ index: Int) -> Bool { rows[index].bits & Flags.exit != 0 }
  func dwell(of index: Int) -> Int64? { limits(of: index)?.dwell }
  func speedLimit(of index: Int) -> Double? { limits(of: index)?.speed }

  private func limits(of index: Int) -> Limits? {
    let place = rows[index].bits >> Flags.count
    return place > 0 ? limits[Int(place) - 1] : nil
  }

  // MARK: Building

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

/// Against which lines new ones are packed.
///
/// A base serves ``mostLines`` lines, so that a damaged one costs no more than those; it is then retired. Several are in use
/// where lines of several forms come in turn: two vehicles, say.
struct PackingPlan {
  /// Lines that one base serves.
  static let mostLines = 256
  /// Bases in use at once.
  static let mostBases = 4
  /// Lines from one new base to the next, while there is another: lines that are all different do not each become one.
  static let fewestLines = 16
  /// Shorter lines are kept as they are, bytes.
  static let shortestLine = 128

  private struct Entry {
    let base: PackingBase
    var lines = 0
  }

  private var entries: [Entry] = []
  private var sinceLast = 0
  /// The number that the next base gets.
  private(set) var next: Int64

  init(next: Int64) { self.next = next }

  /// What is to be done with a line.
  enum Step {
    /// It is kept as it is.
    case plain
    /// It is kept as this frame, packed against the base of that number.
    case packed([UInt8], base: Int64)
    /// None is like it: it becomes a base itself.
    case newBase
  }

  /// What is to be done with a line: a base that halves it is good enough, unless it is so short that it lacks most of the
  /// line's names. Such is a vehicle's first record, before it has said what it supports.
  mutating func step(for line: [UInt8], _ packer: LinePacker) -> Step {
    guard line.count >= Self.shortestLine else { return .plain }
    sinceLast += 1
    var best: (frame: [UInt8], index: Int)?
    for index in entries.indices {
      guard let frame = packer.pack(line, against: entries[index].base),
        frame.count < best?.frame.count ?? line.count
      else { continue }
      best = (frame, index)
      if serves(index, frame, line) { break }
    }
    let isServed = best.map { serves($0.index, $0.frame, line) } ?? false
    guard isServed || (!entries.isEmpty && sinceLast < Self.fewestLines) else { return .newBase }
    guard let best else { return .plain }
    entries[best.index].lines += 1
    return .packed(best.frame, base: entries[best.index].base.number)
  }

  private func serves(_ index: Int, _ frame: [UInt8], _ line: [UInt8]) -> Bool {
    frame.count <= line.count / 2 && entries[index].base.count >= line.count / 4 * 3
  }

  /// Takes those out that have served enough lines, and the oldest where there are too many.
  ///
  /// - Returns: their numbers.
  mutating func retire() -> [Int64] {
    var retired: [Int64] = []
    entries.removeAll { entry in
      guard entry.lines >= Self.mostLines else { return false }
      retired.append(entry.base.number)
      return true
    }
    if entries.count > Self.mostBases { retired.append(entries.removeFirst().base.number) }
    return retired
  }

  /// Takes a new base into use, the ``next``.
  mutating func take(_ base: PackingBase) {
    entries.append(Entry(base: base))
    next = base.number + 1
    sinceLast = 0
  }
}

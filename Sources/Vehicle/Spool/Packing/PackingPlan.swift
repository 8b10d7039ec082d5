/// Chooses the base line against which each new line is compressed.
///
/// A base line is used for ``mostLines`` lines, and then no longer (it is retired). This limits how many records are
/// lost if the base line is damaged. If different kinds of lines alternate, for example lines of two vehicles, several
/// base lines are in use at the same time.
struct PackingPlan {
  /// Maximum number of lines that are compressed against the same base line.
  static let mostLines = 256
  /// Maximum number of base lines that are in use at the same time.
  static let mostBases = 4
  /// Minimum number of lines between two new base lines. It does not apply if no base line is in use. Without this
  /// limit, every line would become a base line if all lines differed.
  static let fewestLines = 16
  /// Minimum length of a line that is compressed, bytes. Shorter lines are stored uncompressed.
  static let shortestLine = 128

  private struct Entry {
    let base: PackingBase
    var lines = 0
  }

  private var entries: [Entry] = []
  private var sinceLast = 0
  /// The row number that the next base line gets.
  private(set) var next: Int64

  init(next: Int64) { self.next = next }

  /// How a line is to be stored.
  enum Step {
    /// Store the line uncompressed.
    case plain
    /// Store this Zstandard frame, which is the line compressed against the base line with this row number.
    case packed([UInt8], base: Int64)
    /// No base line is similar enough. Make this line a new base line.
    case newBase
  }

  /// Decides how to store a line.
  ///
  /// A base line is similar enough if it has at least three quarters of the line's length, and compression against it
  /// at least halves the line. A shorter base line lacks many of the line's signal names. For example, the first record
  /// of a vehicle is short, because it is made before the supported signals are known.
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

  /// Stops using the base lines that were used for ``mostLines`` lines. If more than ``mostBases`` base lines are in
  /// use, also stops using the oldest one.
  ///
  /// - Returns: the row numbers of the base lines that are no longer used (retired).
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

  /// Adds a new base line. Its row number is ``next``.
  mutating func append(_ base: PackingBase) {
    entries.append(Entry(base: base))
    next = base.number + 1
    sinceLast = 0
  }
}

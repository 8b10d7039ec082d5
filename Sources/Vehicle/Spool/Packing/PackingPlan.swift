/// Chooses the base against which each new line is compressed.
///
/// A base serves ``mostLines`` lines and is then retired, which limits the cost of a damaged one. Several bases are in
/// use at a time if lines of different forms alternate, for example of two vehicles.
struct PackingPlan {
  /// Maximum number of lines compressed with one base.
  static let mostLines = 256
  /// Maximum number of bases in use.
  static let mostBases = 4
  /// Minimum number of lines between two new bases, unless there is none. It prevents that every line becomes a base if
  /// all differ.
  static let fewestLines = 16
  /// Lines shorter than this, in bytes, are stored uncompressed.
  static let shortestLine = 128

  private struct Entry {
    let base: PackingBase
    var lines = 0
  }

  private var entries: [Entry] = []
  private var sinceLast = 0
  /// The row of the next base.
  private(set) var next: Int64

  init(next: Int64) { self.next = next }

  /// The decision for one line.
  enum Step {
    /// Store the line uncompressed.
    case plain
    /// Store this frame, compressed with the base of that row.
    case packed([UInt8], base: Int64)
    /// No base is similar enough: make the line a base.
    case newBase
  }

  /// Decides how to store a line.
  ///
  /// A base is good enough if it halves the line, and if it has at least three quarters of the line's length. A shorter
  /// base lacks most of the line's signal names, for example the first record of a vehicle, made before its supported
  /// signals are known.
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

  /// Retires bases that have served enough lines, and the oldest one if there are too many.
  ///
  /// - Returns: the rows of the retired bases.
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

  /// Adds a new base, whose row is ``next``.
  mutating func append(_ base: PackingBase) {
    entries.append(Entry(base: base))
    next = base.number + 1
    sinceLast = 0
  }
}

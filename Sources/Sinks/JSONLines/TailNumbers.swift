import Spool

/// Which records stand near the end of a file of JSON lines: after a crash the spool may hand them out once more.
///
/// A file that is compressed carries them behind its frame in a skippable one (RFC 8878, 3.1.2), which decompressors
/// leave out, so that they are known without decompressing it:
///
///     5B 2A 4D 18, length of what follows as 4 bytes, lowest first
///     bytes 1048576                                    how much of the file they are of
///     018bcfe5-687b-7000-8000-000000000000 1 2600      epoch, first and last number of a range; as many as there are
///     length as above, "obdg"
struct TailNumbers: Sendable {
  private var sets: [String: SequenceSet] = [:]
  /// Of the file's end that was read.
  private(set) var bytes = 0

  /// Records are looked for in so many bytes: more than is written in the 5 s in which the spool may not yet have kept what
  /// was acknowledged.
  static let reach = 16 << 20
  /// So many at a time.
  private static let piece = 256 << 10

  func contains(_ number: RecordLine.Number) -> Bool { sets[number.epoch]?.contains(number.sequence) ?? false }

  private mutating func know(_ line: ArraySlice<UInt8>) {
    guard let number = RecordLine.number(line) else { return }
    sets[number.epoch, default: SequenceSet()].insert(number.sequence...number.sequence)
  }

  mutating func add(_ other: TailNumbers) {
    bytes += other.bytes
    for (epoch, set) in other.sets { for range in set.ranges { sets[epoch, default: SequenceSet()].insert(range) } }
  }

  /// Reads the end of a file.
  ///
  /// - Returns: what stands in it, what stands behind its last line feed, and where that begins; nil: that is not known.
  static func read(
    _ file: borrowing OpenFile, size: Int
  ) throws(SinkError) -> (numbers: TailNumbers, rest: [UInt8], begins: Int?) {
    var numbers = TailNumbers()
    var place = max(0, size - reach)
    numbers.bytes = size - place
    var lineEnd: Int?
    var rest: [UInt8] = []
    while place < size {
      let piece = try file.read(at: place, min(Self.piece, size - place))
      guard !piece.isEmpty else { break }
      place += piece.count
      rest += piece
      guard let last = rest.lastIndex(of: 0x0A) else {
        // No record is that long: what it is does not matter, only that it has no end yet.
        if rest.count > Self.piece { rest.removeFirst(rest.count - Self.piece) }
        continue
      }
      for line in rest[..<last].split(separator: 0x0A) { numbers.know(line) }
      rest.removeFirst(last + 1)
      lineEnd = place - rest.count
    }
    return (numbers, rest, lineEnd ?? (size > rest.count ? nil : 0))
  }
}

// MARK: Behind a compressed file

extension TailNumbers {
  private static let magic: [UInt8] = [0x5B, 0x2A, 0x4D, 0x18]
  private static let mark = Array("obdg".utf8)
  /// No file has as many ranges as would need more.
  private static let longest = 1 << 20

  /// The skippable frame.
  var frame: [UInt8] {
    var text = "bytes \(bytes)\n"
    for (epoch, set) in sets.sorted(by: { $0.key < $1.key }) {
      for range in set.ranges { text += "\(epoch) \(range.lowerBound) \(range.upperBound)\n" }
    }
    let length = Self.number(text.utf8.count + 8)
    return Self.magic + length + Array(text.utf8) + length + Self.mark
  }

  /// Reads the frame at the end of a compressed file; nil: there is none.
  init?(frameOf file: borrowing OpenFile) throws(SinkError) {
    let size = Int(file.status.st_size)
    guard size > 16 else { return nil }
    let end = try file.read(at: size - 8, 8)
    let length = Self.number(end[..<4])
    guard end.count == 8, Array(end[4...]) == Self.mark, length > 8, length <= min(Self.longest, size - 8) else {
      return nil
    }
    let frame = try file.read(at: size - length - 8, length)
    guard frame.count == length, Array(frame[..<4]) == Self.magic, Self.number(frame[4..<8]) == length else {
      return nil
    }
    for line in frame[8...].split(separator: 0x0A) {
      let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
      if words.count == 2, words[0] == "bytes" { bytes = Int(words[1]) ?? 0 }
      guard words.count == 3, let first = UInt64(words[1]), let last = UInt64(words[2]), first <= last else { continue }
      sets[words[0], default: SequenceSet()].insert(first...last)
    }
  }

  /// As 4 bytes, lowest first.
  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

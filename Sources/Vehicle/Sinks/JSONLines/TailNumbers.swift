import Spool

/// The numbers of the records near the end of a JSON lines file. After a crash, the spool may deliver these records
/// again.
///
/// In a compressed file, these numbers are in a skippable frame (RFC 8878, section 3.1.2) after the content.
/// Decompressors ignore this frame, and the numbers can be read without decompressing the file:
///
///     5B 2A 4D 18, length of the rest of the frame as 4 bytes, little-endian
///     bytes 1048576                                    the numbers are from this many bytes of the content
///     018bcfe5-687b-7000-8000-000000000000 1 2600      epoch, first and last number; one line for each range
///     length of the rest of the frame again, "obdg"    with these, the frame can be found from the file's end
struct TailNumbers: Sendable {
  private var sets: [String: SequenceSet] = [:]
  /// Number of bytes at the ends of files that were read to find the numbers.
  private(set) var bytes = 0

  /// Maximum number of bytes that are read from the end of a file, 16 MiB. This is sufficient: the spool stores each
  /// acknowledgement after at most 5 s, and less than 16 MiB are written in 5 s.
  static let reach = 16 << 20
  /// Number of bytes in one read.
  private static let piece = 256 << 10

  /// Whether a record is in the part of the file that was read.
  func contains(_ number: RecordLine.Number) -> Bool { sets[number.epoch]?.contains(number.sequence) ?? false }

  private mutating func know(_ line: ArraySlice<UInt8>) {
    guard let number = RecordLine.number(line) else { return }
    sets[number.epoch, default: SequenceSet()].insert(number.sequence...number.sequence)
  }

  /// Adds the numbers that were read from another file.
  mutating func add(_ other: TailNumbers) {
    bytes += other.bytes
    for (epoch, set) in other.sets { for range in set.ranges { sets[epoch, default: SequenceSet()].insert(range) } }
  }

  /// Reads the end of a file.
  ///
  /// - Returns: the numbers of the records, the bytes after the last line feed, and the offset of those bytes; the
  ///   offset is `nil` if unknown.
  static func read(
    _ file: borrowing OutputFile, size: Int
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
        // No record is longer than a piece. If no line feed follows, only the last bytes are kept.
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

// MARK: Frame in compressed files

extension TailNumbers {
  private static let magic: [UInt8] = [0x5B, 0x2A, 0x4D, 0x18]
  private static let mark = Array("obdg".utf8)
  /// Maximum length of a skippable frame that is accepted, bytes.
  private static let longest = 1 << 20

  /// The numbers as a skippable frame of Zstandard.
  var frame: [UInt8] {
    var text = "bytes \(bytes)\n"
    for (epoch, set) in sets.sorted(by: { $0.key < $1.key }) {
      for range in set.ranges { text += "\(epoch) \(range.lowerBound) \(range.upperBound)\n" }
    }
    let length = Self.number(text.utf8.count + 8)
    return Self.magic + length + Array(text.utf8) + length + Self.mark
  }

  /// Reads the numbers from the skippable frame at the end of a compressed file; `nil` if there is no such frame.
  init?(frameOf file: borrowing OutputFile) throws(SinkError) {
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

  /// Encodes a number as 4 bytes, the least significant one first.
  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

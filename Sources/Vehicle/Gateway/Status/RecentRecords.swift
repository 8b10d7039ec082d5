/// The last records, numbered as they came: a fixed amount of memory, resident only as far as it is used.
///
/// It does not know who reads: whoever puts in makes room first.
struct RecentRecords: Sendable {
  private struct Mark: BitwiseCopyable, Sendable {
    var start: Int32
    var length: Int32
    var sequence: UInt64
  }

  /// More than a commit of the spool has, which is shown at once: bytes, records.
  static let capacity = 1 << 20
  static let lines = 1 << 14

  /// Lines, one behind the other, round and round.
  private var bytes: [UInt8]
  private var used = 0
  /// Where the next line begins.
  private var place = 0
  private var marks: [Mark]
  /// The number of the oldest record, and the one of the next that comes.
  private(set) var begin: UInt64 = 0
  private(set) var end: UInt64 = 0
  /// The number of the record whose mark stands first.
  private var base: UInt64 = 0

  init() {
    bytes = .untouched(Self.capacity)
    marks = .untouched(Self.lines)
  }

  func hasRoom(for length: Int) -> Bool { bytes.count - used >= length && end - begin < UInt64(marks.count) }

  private func index(of number: UInt64) -> Int { Int((number - base) % UInt64(marks.count)) }

  /// Puts a record in, for which there is room.
  mutating func put(_ line: Span<UInt8>, sequence: UInt64) {
    // What is used again and again is the beginning: the rest stays untouched while readers are quick.
    if begin == end { (place, base) = (0, end) }
    marks[index(of: end)] = Mark(
      start: Int32(truncatingIfNeeded: place), length: Int32(truncatingIfNeeded: line.count), sequence: sequence)
    let straight = min(line.count, bytes.count - place)
    unsafe line.withUnsafeBytes { line in
      unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe bytes[place...].copyBytes(from: line[..<straight])
        unsafe bytes.copyBytes(from: line[straight...])
      }
    }
    place = (place + line.count) % bytes.count
    used += line.count
    end += 1
  }

  /// Forgets the oldest.
  ///
  /// - Returns: its number here, and its `seq`; nil: there is none.
  @discardableResult
  mutating func dropFirst() -> (number: UInt64, sequence: UInt64)? {
    guard begin < end else { return nil }
    let mark = marks[index(of: begin)]
    used -= Int(mark.length)
    begin += 1
    return (begin - 1, mark.sequence)
  }

  /// Copies whole lines behind what is in `buffer`, as many as fit.
  ///
  /// - Parameters:
  ///   - number: the first one.
  ///   - taken: how much of `buffer` is full.
  /// - Returns: the number of the next.
  func take(from number: UInt64, into buffer: inout [UInt8], _ taken: inout Int) -> UInt64 {
    var next = number
    var length = 0
    while next < end, taken + length + Int(marks[index(of: next)].length) <= buffer.count {
      length += Int(marks[index(of: next)].length)
      next += 1
    }
    guard length > 0 else { return next }
    let start = Int(marks[index(of: number)].start)
    let straight = min(length, bytes.count - start)
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe buffer.withUnsafeMutableBytes { buffer in
        unsafe buffer[taken...].copyBytes(from: bytes[start..<start + straight])
        unsafe buffer[(taken + straight)...].copyBytes(from: bytes[..<(length - straight)])
      }
    }
    taken += length
    return next
  }
}

/// A buffer of the most recent records, of a fixed size. Records are numbered in the order of their arrival. A memory
/// page of the buffer becomes resident when it is first used.
///
/// The buffer knows nothing about its readers, and never discards records by itself. The caller must make room before
/// it appends a record.
struct RecentRecords: Sendable {
  private struct Mark: BitwiseCopyable, Sendable {
    var start: Int32
    var length: Int32
    var sequence: UInt64
  }

  /// Maximum size of all text lines, bytes. It is larger than a commit of the spool, which is published as a whole.
  static let capacity = 1 << 20
  /// Maximum number of records. It is larger than the number of records in a commit of the spool.
  static let lines = 1 << 14

  /// The text lines, one after another, in a ring buffer.
  private var bytes: [UInt8]
  private var used = 0
  /// Offset in `bytes` at which the next text line begins.
  private var place = 0
  private var marks: [Mark]
  /// Number of the oldest record.
  private(set) var begin: UInt64 = 0
  /// Number of the next record to be appended.
  private(set) var end: UInt64 = 0
  /// Number of the record to which the first element of `marks` belongs.
  private var base: UInt64 = 0

  init() {
    bytes = .untouched(Self.capacity)
    marks = .untouched(Self.lines)
  }

  func hasRoom(for length: Int) -> Bool { bytes.count - used >= length && end - begin < UInt64(marks.count) }

  private func index(of number: UInt64) -> Int { Int((number - base) % UInt64(marks.count)) }

  /// Appends a record. The caller must have checked that there is room for it.
  mutating func put(_ line: Span<UInt8>, sequence: UInt64) {
    // If the buffer is empty, use it from its beginning again. Then, less memory becomes resident if readers are fast.
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

  /// Discards the oldest record.
  ///
  /// - Returns: the record's number in this buffer, and its sequence number; `nil` if the buffer is empty.
  @discardableResult
  mutating func dropFirst() -> (number: UInt64, sequence: UInt64)? {
    guard begin < end else { return nil }
    let mark = marks[index(of: begin)]
    used -= Int(mark.length)
    begin += 1
    return (begin - 1, mark.sequence)
  }

  /// Copies complete text lines to `buffer`, after the bytes that are in use: as many lines as fit.
  ///
  /// - Parameters:
  ///   - number: number of the first record to copy.
  ///   - taken: number of bytes of `buffer` that are in use; increased by the number of copied bytes.
  /// - Returns: the number of the first record that was not copied, because it did not fit or does not exist yet.
  func copy(from number: UInt64, into buffer: inout [UInt8], _ taken: inout Int) -> UInt64 {
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

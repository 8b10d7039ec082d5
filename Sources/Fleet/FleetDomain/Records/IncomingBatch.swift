/// The records of one request or message: a JSON array of objects, JSON lines, or one object.
public struct IncomingBatch: Sendable {
  /// The valid records in their order.
  public private(set) var records: [IncomingRecord] = []
  /// The rejected records, each with its index among all records, from 0.
  public private(set) var refusals: [(index: Int, refusal: RecordRefusal)] = []

  /// The first error in the structure of an array, after which its elements cannot be separated; otherwise `nil`. The
  /// batch then has no records.
  public private(set) var breakOff: RecordRefusal?

  /// The number of valid and refused records.
  public var count: Int { records.count + refusals.count }

  /// - Parameters:
  ///   - text: an array if the first character is `[`; otherwise one record on each line, with empty lines ignored. If
  /// the end of an element of the array cannot be found, ``breakOff`` is set.
  ///   - mayBeObject: whether the text may be one object on several lines.
  public init(parsing text: Span<UInt8>, mayBeObject: Bool = false) {
    let range = IncomingRecord.trimmed(text)
    if !range.isEmpty, text[range.lowerBound] == UInt8(ascii: "[") {
      readArray(text.extracting(range), at: range.lowerBound)
    } else if mayBeObject, ObjectEnd.find(in: text.extracting(range)) == range.count {
      take(text.extracting(range))
    } else {
      readLines(text.extracting(range))
    }
  }

  /// Returns the results of all records.
  ///
  /// - Parameter stored: the results of ``records``.
  public func outcomes(_ stored: [IngestOutcome]) -> [IngestOutcome] {
    var outcomes: [IngestOutcome] = []
    outcomes.reserveCapacity(count)
    var next = stored.makeIterator()
    var refused = refusals[...]
    for index in 0..<count {
      if let first = refused.first, first.index == index {
        outcomes.append(.refused(first.refusal))
        refused = refused.dropFirst()
      } else if let outcome = next.next() {
        outcomes.append(outcome)
      }
    }
    return outcomes
  }

  private mutating func take(_ text: Span<UInt8>) {
    do throws(RecordRefusal) {
      records.append(try IncomingRecord(parsing: text))
    } catch {
      refusals.append((count, error))
    }
  }

  private mutating func readLines(_ text: Span<UInt8>) {
    // Records rarely have fewer bytes.
    records.reserveCapacity(min(text.count / 256 + 1, 4_096))
    var start = 0
    while start < text.count {
      if takeOrdinary(text, at: &start) { continue }
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "\n") { end &+= 1 }
      let line = text.extracting(start..<end)
      if !IncomingRecord.trimmed(line).isEmpty { take(line) }
      start = end + 1
    }
  }

  /// Parses a line in one pass, without searching for its end first.
  ///
  /// - Returns: `false` if the line is not exactly one simple record. It is then parsed by the general parser.
  private mutating func takeOrdinary(_ text: Span<UInt8>, at start: inout Int) -> Bool {
    guard text[start] == UInt8(ascii: "{") else { return false }
    var end = start
    do throws(RecordRefusal) {
      guard let record = try IncomingRecord(scanning: text, at: start, end: &end) else { return false }
      guard end == text.count || text[end] == UInt8(ascii: "\n") else { return false }
      records.append(record)
    } catch {
      // This error has an offset from the beginning of the text. The general parser reports the offset in the record.
      return false
    }
    start = end + 1
    return true
  }

  /// Separates the elements by their brackets and commas, and parses each of them.
  private mutating func readArray(_ text: Span<UInt8>, at start: Int) {
    var elements = ArrayElements(text)
    while true {
      switch elements.next() {
      case .element(let range): take(text.extracting(range))
      case .end: return
      case .broken(let offset, let expected):
        breakOff = RecordRefusal(
          .malformed, offset: start + offset, "the array is not one: expected \(expected)")
        return
      }
    }
  }
}

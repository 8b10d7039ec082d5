/// The records of one request or message, which is a JSON array of objects, JSON lines, or one object.
public struct IncomingBatch: Sendable {
  /// The valid records, in the order in which they were sent.
  public private(set) var records: [IncomingRecord] = []
  /// The rejected records. Each `index` is the position among all records of the batch, from 0.
  public private(set) var refusals: [(index: Int, refusal: RecordRefusal)] = []

  /// The error after which no further elements of an array can be found; `nil` if there was no such error. ``records``
  /// then contains only elements before the error.
  public private(set) var breakOff: RecordRefusal?

  /// The number of valid and rejected records.
  public var count: Int { records.count + refusals.count }

  /// Parses the records of a text.
  ///
  /// - Parameters:
  ///   - text: an array if the first character is `[`; otherwise one record on each text line, with empty lines
  ///     ignored. If the end of an element of the array cannot be found, ``breakOff`` is set.
  ///   - mayBeObject: whether the text may be a single object that extends over several lines.
  public init(parsing text: Span<UInt8>, mayBeObject: Bool = false) {
    let range = IncomingRecord.trimmed(text)
    if !range.isEmpty, text[range.lowerBound] == UInt8(ascii: "[") {
      readArray(text.extracting(range), at: range.lowerBound)
    } else if mayBeObject, ObjectEnd.find(in: text.extracting(range)) == range.count {
      append(text.extracting(range))
    } else {
      readLines(text.extracting(range))
    }
  }

  /// Returns the results of all records, including the rejected ones, in the order in which they were sent.
  ///
  /// - Parameter stored: the results of storing ``records``, in their order.
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

  private mutating func append(_ text: Span<UInt8>) {
    do throws(RecordRefusal) {
      records.append(try IncomingRecord(parsing: text))
    } catch {
      refusals.append((count, error))
    }
  }

  private mutating func readLines(_ text: Span<UInt8>) {
    // An estimate: few records are shorter than 256 bytes.
    records.reserveCapacity(min(text.count / 256 + 1, 4_096))
    var start = 0
    while start < text.count, WorkTurn.mayContinue {
      if appendOrdinary(text, at: &start) { continue }
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "\n") { end &+= 1 }
      let line = text.extracting(start..<end)
      if !IncomingRecord.trimmed(line).isEmpty { append(line) }
      start = end + 1
    }
  }

  /// Parses the next record of JSON lines with the fast parser (``RecordScanner``), without first searching for the end
  /// of the line.
  ///
  /// - Returns: `false` if the line is not exactly one record that the fast parser accepts. The general parser must
  ///   then parse the line.
  private mutating func appendOrdinary(_ text: Span<UInt8>, at start: inout Int) -> Bool {
    guard text[start] == UInt8(ascii: "{") else { return false }
    var end = start
    do throws(RecordRefusal) {
      guard let record = try IncomingRecord(scanning: text, at: start, end: &end) else { return false }
      guard end == text.count || text[end] == UInt8(ascii: "\n") else { return false }
      records.append(record)
    } catch {
      // The error's offset is relative to the whole text. The general parser reports the offset within the record.
      return false
    }
    start = end + 1
    return true
  }

  /// Finds the elements of an array by their brackets and commas, and parses each of them as a record.
  private mutating func readArray(_ text: Span<UInt8>, at start: Int) {
    var elements = ArrayElements(text)
    while WorkTurn.mayContinue {
      switch elements.next() {
      case .element(let range): append(text.extracting(range))
      case .end: return
      case .broken(let offset, let expected):
        breakOff = RecordRefusal(
          .malformed, offset: start + offset, "the array is not one: expected \(expected)")
        return
      }
    }
  }
}

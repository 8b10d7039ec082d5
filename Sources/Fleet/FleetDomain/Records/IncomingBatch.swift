/// The records of one request or message: a JSON array of objects, JSON lines, or one object.
public struct IncomingBatch: Sendable {
  /// Those that can be stored, in their order.
  public private(set) var records: [IncomingRecord] = []
  /// Those that cannot, each with its place among all, from 0.
  public private(set) var refusals: [(index: Int, refusal: RecordRefusal)] = []

  /// Where an array breaks off, or goes on behind its end, and what would be right: what is left of it are no records.
  public private(set) var breakOff: RecordRefusal?

  /// How many there were.
  public var count: Int { records.count + refusals.count }

  /// - Parameters:
  ///   - text: an array where the first character is `[`; else a record on each line, empty lines passed over. Behind
  ///     something in an array whose end cannot be told, nothing can be read: ``breakOff`` says where.
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

  /// What became of all, from what became of ``records``.
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
    // Records have seldom fewer bytes than this.
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

  /// Takes a line in one pass, without looking for its end first.
  ///
  /// - Returns: false: the line is something else than one ordinary record.
  private mutating func takeOrdinary(_ text: Span<UInt8>, at start: inout Int) -> Bool {
    guard text[start] == UInt8(ascii: "{") else { return false }
    var end = start
    do throws(RecordRefusal) {
      guard let record = try IncomingRecord(scanning: text, at: start, end: &end) else { return false }
      guard end == text.count || text[end] == UInt8(ascii: "\n") else { return false }
      records.append(record)
    } catch {
      // Its place counts from the beginning of the text: the other reader gives the one in the record.
      return false
    }
    start = end + 1
    return true
  }

  /// Elements end where their brackets close; whether each is JSON, its own reader says.
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

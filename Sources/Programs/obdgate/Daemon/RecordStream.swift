import JSONText

/// Divides a stream of bytes into records, and selects those that match a filter. It does no I/O.
struct RecordStream {
  /// Maximum length of a text line, bytes. A longer line is not a record, because a record has at most 16 KiB.
  static let limit = 1 << 16

  private let filter: RecordFilter
  private var line: [UInt8] = []
  private var isTooLong = false
  private var document = JSONDocument()
  /// Number of text lines that were discarded because they are not records.
  private(set) var strangers = 0

  init(_ filter: RecordFilter) { self.filter = filter }

  /// Handles the next bytes of the stream.
  ///
  /// - Parameter output: receives the selected records, with their line ends.
  mutating func append(_ bytes: [UInt8], into output: inout [UInt8]) {
    for byte in bytes {
      if byte == 0x0A {
        end(into: &output)
      } else if line.count < Self.limit {
        line.append(byte)
      } else {
        isTooLong = true
      }
    }
  }

  /// Discards the incomplete text line at the end of a stream, because another stream begins.
  mutating func restart() {
    line.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  private mutating func end(into output: inout [UInt8]) {
    defer { restart() }
    // Empty lines are ignored.
    if line.isEmpty, !isTooLong { return }
    guard !isTooLong, isRecord() else {
      strangers += 1
      return
    }
    if filter.takes(document.root) { output += PlainText.escaped(line) + [0x0A] }
  }

  private mutating func isRecord() -> Bool {
    let line = line
    do throws(JSONError) {
      try document.parse(line.span)
      return document.root["type"]?.kind == .string
    } catch {
      return false
    }
  }
}

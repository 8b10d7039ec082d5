import JSONText

/// Divides a stream of bytes into records, and selects those that match a filter. It does no I/O.
struct RecordStream {
  /// Maximum length of a line, bytes. A longer line cannot be a record, which has at most 16 KiB.
  static let limit = 1 << 16

  private let filter: RecordFilter
  private var line: [UInt8] = []
  private var isTooLong = false
  private var document = JSONDocument()
  /// Number of lines that were dropped because they are not records.
  private(set) var strangers = 0

  init(_ filter: RecordFilter) { self.filter = filter }

  /// Processes the next bytes.
  ///
  /// - Parameter output: receives the selected records with their line ends.
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

  /// Discards an incomplete record at the end of the stream, because another stream begins.
  mutating func restart() {
    line.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  private mutating func end(into output: inout [UInt8]) {
    defer { restart() }
    // Ignore empty lines, which the daemon sends to keep the connection alive.
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

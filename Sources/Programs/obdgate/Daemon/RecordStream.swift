import JSONText

/// Puts records together from a stream of bytes, and lets those through that are wanted. No input or output.
struct RecordStream {
  /// A record's line has 16 KiB at most; far longer ones are none.
  static let limit = 1 << 16

  private let filter: RecordFilter
  private var line: [UInt8] = []
  private var isTooLong = false
  private var document = JSONDocument()
  /// Lines left out because they are no records.
  private(set) var strangers = 0

  init(_ filter: RecordFilter) { self.filter = filter }

  /// Takes the next bytes.
  ///
  /// - Parameter output: wanted records are appended to it, with their line ends.
  mutating func take(_ bytes: [UInt8], into output: inout [UInt8]) {
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

  /// The stream has ended: what is not whole is no record.
  mutating func restart() {
    line.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  private mutating func end(into output: inout [UInt8]) {
    defer { restart() }
    // An empty line keeps a connection alive.
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

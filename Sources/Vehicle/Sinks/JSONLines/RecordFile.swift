import Glibc

/// A file of JSON lines. Only one thread of one process appends to it.
///
/// - If a crash left an incomplete last line, the line is removed when the file is opened. Its record was never
///   acknowledged. If the line cannot be the start of a record, it is kept, and a line feed is added.
/// - The object knows which records are near the end of the file (``contains(_:)``), because the spool may deliver them
///   again after a crash.
/// - If an append fails, its bytes are removed from the file.
final class RecordFile {
  private let file: OutputFile
  private(set) var size: Int
  /// Time in the ID of the file's first record, ms since 1970; `nil` if the file has no record with an ID.
  private(set) var firstMilliseconds: UInt64?
  /// How the last line was repaired when the file was opened; `nil` if no repair was necessary.
  private(set) var repair: Repair?
  private(set) var known = TailNumbers()

  /// How the file's last line was repaired.
  enum Repair: Equatable {
    case cutLineRemoved(bytes: Int)
    case lineEnded
  }

  /// Opens the file, or creates it.
  ///
  /// - Throws: ``SinkError`` if the file cannot be written, or if another process writes to it.
  init(_ path: String) throws(SinkError) {
    file = try OutputFile(path, O_RDWR | O_APPEND | O_CREAT)
    // Without this lock, a line that another process is writing would look incomplete.
    try file.claim()
    size = Int(file.status.st_size)
    try readTail()
    firstMilliseconds = RecordLine.milliseconds(try file.read(at: 0, min(size, 4_096))[...])
  }

  var isElsewhere: Bool { file.isElsewhere }

  /// Whether the file contains a record. Only the records that were near the end of the file when it was opened are
  /// known.
  func contains(_ number: RecordLine.Number) -> Bool { known.contains(number) }

  /// Appends complete text lines, and waits until they are on the disk.
  ///
  /// - Throws: ``SinkError`` if this fails. The lines are then removed from the file.
  func append(_ lines: ArraySlice<UInt8>) throws(SinkError) {
    do throws(SinkError) {
      try file.write(lines)
      try file.synchronise()
    } catch {
      // If the removal also fails, the incomplete line is removed when the file is opened next time.
      try? file.shorten(to: size)
      throw error
    }
    if firstMilliseconds == nil { firstMilliseconds = RecordLine.milliseconds(lines) }
    size += lines.count
  }

  // MARK: Tail

  private func readTail() throws(SinkError) {
    let tail = try TailNumbers.read(file, size: size)
    known = tail.numbers
    try mend(tail.rest, begins: tail.begins)
  }

  /// Repairs the file's last line.
  ///
  /// - Parameters:
  ///   - rest: the bytes after the last line feed of the file.
  ///   - begins: offset of `rest` in the file; `nil` if unknown.
  private func mend(_ rest: [UInt8], begins: Int?) throws(SinkError) {
    guard !rest.isEmpty else { return }
    // After a power cut, the file may end with zero bytes.
    let written = rest[..<((rest.lastIndex { $0 != 0 } ?? -1) + 1)]
    if let begins, Self.mayBeCutRecord(written) {
      try file.shorten(to: begins)
      try file.synchronise()
      size = begins
      repair = .cutLineRemoved(bytes: rest.count)
    } else {
      let end = size - (rest.count - written.count)
      try file.shorten(to: end)
      size = end
      try append([0x0A])
      repair = .lineEnded
    }
  }

  /// Whether the bytes can be the start of a record. All records begin with `{"type":"`.
  private static func mayBeCutRecord(_ rest: ArraySlice<UInt8>) -> Bool {
    zip(rest, "{\"type\":\"".utf8).allSatisfy { $0 == $1 }
  }
}

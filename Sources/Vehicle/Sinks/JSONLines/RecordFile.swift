import Glibc

/// An append-only file of JSON lines, used by one thread of one process.
///
/// - Opening the file removes an incomplete last line, which a crash left. It was never acknowledged. If the text
///   cannot be the start of a record, it gets a line feed instead.
/// - The file knows the records near its end (``contains(_:)``), because the spool may deliver them again after a
///   crash.
/// - A failed append is undone.
final class RecordFile {
  private let file: OpenFile
  private(set) var size: Int
  /// Time in the ID of the first record, ms since 1970; `nil` if there is none.
  private(set) var firstMilliseconds: UInt64?
  /// The repair that opening the file made; `nil` if none was necessary.
  private(set) var repair: Repair?
  private(set) var known = TailNumbers()

  /// A repair of the file's last line.
  enum Repair: Equatable {
    case cutLineRemoved(bytes: Int)
    case lineEnded
  }

  /// Opens or creates the file.
  ///
  /// - Throws: ``SinkError`` if the file cannot be written or if another process writes it.
  init(_ path: String) throws(SinkError) {
    file = try OpenFile(path, O_RDWR | O_APPEND | O_CREAT)
    // Without the lock, a line that another process is writing would look incomplete.
    try file.claim()
    size = Int(file.status.st_size)
    try readTail()
    firstMilliseconds = RecordLine.milliseconds(try file.read(at: 0, min(size, 4_096))[...])
  }

  var isElsewhere: Bool { file.isElsewhere }

  /// Whether the file contains a record, as far as its end was read when it was opened.
  func contains(_ number: RecordLine.Number) -> Bool { known.contains(number) }

  /// Appends complete lines and waits until they are on the disk.
  ///
  /// - Throws: ``SinkError`` on failure; none of the lines is then in the file.
  func append(_ lines: ArraySlice<UInt8>) throws(SinkError) {
    do throws(SinkError) {
      try file.write(lines)
      try file.synchronise()
    } catch {
      // If this fails as well, the next start finds an incomplete line and removes it.
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

  /// Repairs the last line.
  ///
  /// - Parameters:
  ///   - rest: bytes after the last line feed.
  ///   - begins: offset of `rest`; `nil` if unknown.
  private func mend(_ rest: [UInt8], begins: Int?) throws(SinkError) {
    guard !rest.isEmpty else { return }
    // A power cut may leave zero bytes at the end.
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

  /// Whether the bytes can be the start of a record. Every record starts with these bytes.
  private static func mayBeCutRecord(_ rest: ArraySlice<UInt8>) -> Bool {
    zip(rest, "{\"type\":\"".utf8).allSatisfy { $0 == $1 }
  }
}

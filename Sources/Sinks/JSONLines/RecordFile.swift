import Glibc

/// A file of JSON lines that is only ever appended to, whole lines at a time. One thread has it, and no other process.
///
/// - What stands behind its last line feed when it is opened is a line that a crash cut: nobody was told that it is
///   kept, and it is taken away. Where it cannot be one of ours, it is ended by a line feed instead.
/// - Which records stand near its end is known (``contains(_:)``): after a crash they may be handed out once more.
/// - An append that fails is taken back.
final class RecordFile {
  private let file: OpenFile
  private(set) var size: Int
  /// The milliseconds of the id of its first record; nil: it has none.
  private(set) var firstMilliseconds: UInt64?
  /// What was mended when it was opened.
  private(set) var mended: Mending?
  private(set) var known = TailNumbers()

  enum Mending: Equatable {
    case cutLineRemoved(bytes: Int)
    case lineEnded
  }

  /// - Throws: why it cannot be written to.
  init(_ path: String) throws(SinkError) {
    file = try OpenFile(path, O_RDWR | O_APPEND | O_CREAT)
    // What another one is writing would be taken for a line that a crash cut.
    try file.claim()
    size = Int(file.status.st_size)
    try readTail()
    firstMilliseconds = RecordLine.milliseconds(try file.read(at: 0, min(size, 4_096))[...])
  }

  var isElsewhere: Bool { file.isElsewhere }

  /// Whether a record stands in it, as far as it was read when it was opened.
  func contains(_ number: RecordLine.Number) -> Bool { known.contains(number) }

  /// Appends whole lines, and waits until they are on the disk.
  ///
  /// - Throws: why not; then none of them is in it.
  func append(_ lines: ArraySlice<UInt8>) throws(SinkError) {
    do throws(SinkError) {
      try file.write(lines)
      try file.synchronise()
    } catch {
      // Where not even that can be done, the next start finds a cut line.
      try? file.shorten(to: size)
      throw error
    }
    if firstMilliseconds == nil { firstMilliseconds = RecordLine.milliseconds(lines) }
    size += lines.count
  }

  // MARK: Its end

  private func readTail() throws(SinkError) {
    let tail = try TailNumbers.read(file, size: size)
    known = tail.numbers
    try mend(tail.rest, begins: tail.begins)
  }

  /// - Parameters:
  ///   - rest: what stands behind the last line feed.
  ///   - begins: where; nil: that is not known.
  private func mend(_ rest: [UInt8], begins: Int?) throws(SinkError) {
    guard !rest.isEmpty else { return }
    // A power cut may leave room for bytes that never came.
    let written = rest[..<((rest.lastIndex { $0 != 0 } ?? -1) + 1)]
    if let begins, Self.mayBeCutRecord(written) {
      try file.shorten(to: begins)
      try file.synchronise()
      size = begins
      mended = .cutLineRemoved(bytes: rest.count)
    } else {
      let end = size - (rest.count - written.count)
      try file.shorten(to: end)
      size = end
      try append([0x0A])
      mended = .lineEnded
    }
  }

  /// Every record begins with these bytes.
  private static func mayBeCutRecord(_ rest: ArraySlice<UInt8>) -> Bool {
    zip(rest, "{\"type\":\"".utf8).allSatisfy { $0 == $1 }
  }
}

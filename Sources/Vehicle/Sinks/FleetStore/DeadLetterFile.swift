import Glibc
import Telemetry

/// Stores records that a server or broker has rejected for good, with the reasons. The records are in a JSON lines
/// file. When this file is full, it is renamed, and replaces the file that was renamed before. Only the daemon's user
/// can read both files.
///
///     {"sink":"fleetStore","reason":"timestamp: in the future","record":{"type":"telemetry",…}}
struct DeadLetterFile {
  let path: String
  private let sink: String
  private let limit: Int

  /// Creates a value. The file is opened when it is first needed.
  ///
  /// - Parameters:
  ///   - folder: the state directory; `nil` if there is none, in which case the result is `nil`.
  ///   - limit: maximum size of a file, bytes.
  init?(folder: String?, sink: String, limit: Int) {
    guard let folder else { return nil }
    path = "\(folder)/refused-\(sink).jsonl"
    self.sink = sink
    self.limit = limit
  }

  /// Appends records and waits until they are on the disk.
  ///
  /// - Parameter refused: the line of each record, with its line feed, and the reason why it was rejected.
  func append(_ refused: [(line: ArraySlice<UInt8>, reason: String)]) throws(SinkError) {
    var text: [UInt8] = []
    var encoder = JSONLineEncoder()
    for item in refused {
      encoder.begin()
      encoder.field("sink", sink)
      encoder.field("reason", String(item.reason.prefix(1_000)))
      let head = encoder.line
      for index in head.indices { text.append(head[index]) }
      text += Array(",\"record\":".utf8)
      text += item.line.last == 0x0A ? item.line.dropLast() : item.line
      text += Array("}\n".utf8)
    }
    let file = try makeRoom(for: text.count + 1)
    let size = Int(file.status.st_size)
    // If a crash cut off the last line, end that line, so that the next one is separate.
    if size > 0, try file.read(at: size - 1, 1) != [0x0A] { text.insert(0x0A, at: 0) }
    do throws(SinkError) {
      try file.write(text[...])
      try file.synchronise()
    } catch {
      // Undo the append, so that it can be retried. If this fails, too, the next append begins on a new line.
      try? file.shorten(to: size)
      throw error
    }
  }

  private func makeRoom(for count: Int) throws(SinkError) -> OpenFile {
    let file = try OpenFile(path, O_RDWR | O_APPEND | O_CREAT, mode: 0o600)
    let size = Int(file.status.st_size)
    guard size > 0, size + count > limit else { return file }
    guard unsafe rename(path, path + ".1") == 0 else { throw OpenFile.failure(path, errno) }
    return try OpenFile(path, O_RDWR | O_APPEND | O_CREAT, mode: 0o600)
  }
}

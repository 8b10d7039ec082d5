import Glibc
import Telemetry

/// Stores records that a server or broker has rejected for good, with the reasons. The records are in a JSON lines
/// file. When the file would become too large, it is renamed to `….1`, which replaces the file renamed earlier. Only
/// the daemon's user can read the files.
///
///     {"sink":"fleetStore","reason":"timestamp: in the future","record":{"type":"telemetry",…}}
struct DeadLetterFile {
  let path: String
  private let sink: String
  private let limit: Int

  /// Prepares the file. It is opened when the first record is appended.
  ///
  /// - Parameters:
  ///   - folder: the state directory; `nil` if there is none. In this case, the result is `nil`.
  ///   - limit: maximum size of the file before it is renamed, bytes.
  init?(folder: String?, sink: String, limit: Int) {
    guard let folder else { return nil }
    path = "\(folder)/refused-\(sink).jsonl"
    self.sink = sink
    self.limit = limit
  }

  /// Appends records. Returns when they are on the disk.
  ///
  /// - Parameter refused: the text line of each record, and the reason why the server or broker rejected it.
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
    // If a crash cut off the last line, end that line first, so that the new records begin on a new line.
    if size > 0, try file.read(at: size - 1, 1) != [0x0A] { text.insert(0x0A, at: 0) }
    do throws(SinkError) {
      try file.write(text[...])
      try file.synchronise()
    } catch {
      // Remove the appended bytes, so that the append can be retried. If this also fails, the next append begins on a
      // new line.
      try? file.shorten(to: size)
      throw error
    }
  }

  private func makeRoom(for count: Int) throws(SinkError) -> OutputFile {
    let file = try OutputFile(path, O_RDWR | O_APPEND | O_CREAT, mode: 0o600)
    let size = Int(file.status.st_size)
    guard size > 0, size + count > limit else { return file }
    guard unsafe rename(path, path + ".1") == 0 else { throw OutputFile.failure(path, errno) }
    return try OutputFile(path, O_RDWR | O_APPEND | O_CREAT, mode: 0o600)
  }
}

import Glibc

/// Logs all bytes with their times and directions to a `.capture` file. `obdgate replay` can read the file.
///
///     0.200000 > 010C\r
///     0.328114 < 41 0C 0A
struct DialogueLog: ~Copyable {
  private let file: Descriptor
  private let path: String
  private var pending: [UInt8] = []
  private var flushed = Duration.zero

  /// Creates the log file. An existing file is replaced.
  ///
  /// - Parameter header: comment lines at the start of the file, without `#`.
  init(path: String, header: [String]) throws(SimulatorError) {
    let raw = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard raw >= 0 else { throw .system(.inputOutput, path) }
    file = Descriptor(raw)
    self.path = path
    pending += Array("# obdgate-capture 1\n".utf8)
    for line in header { pending += Array("# \(line)\n".utf8) }
  }

  /// Appends bytes that were sent at `time`. They are written to the file later, by `flush`.
  ///
  /// - Parameter direction: `>` for bytes to the adapter, `<` for bytes from the adapter.
  mutating func write(_ bytes: some Sequence<UInt8>, direction: Unicode.Scalar, at time: Duration) {
    pending += DialogueLog.line(bytes, direction: direction, at: time)
  }

  /// Formats bytes, their direction and their time as one text line of a capture.
  static func line(_ bytes: some Sequence<UInt8>, direction: Unicode.Scalar, at time: Duration) -> [UInt8] {
    let microseconds = Int((time / .microseconds(1)).rounded())
    let fraction = String(microseconds % 1_000_000 + 1_000_000).dropFirst()
    var line = Array("\(microseconds / 1_000_000).\(fraction) \(direction) ".utf8)
    for byte in bytes {
      switch byte {
      case 0x0D: line += Array("\\r".utf8)
      case 0x0A: line += Array("\\n".utf8)
      case 0x5C: line += Array("\\\\".utf8)
      case 0x20...0x7E: line.append(byte)
      default: line += Array("\\x".utf8) + [HexDigits.digit(byte >> 4), HexDigits.digit(byte & 15)]
      }
    }
    return line + [0x0A]
  }

  /// Writes the waiting lines to the file if they have 32 KiB or more, if 250 ms have passed since the last write, or
  /// if `isLast` is true.
  mutating func flush(at time: Duration, isLast: Bool = false) throws(SimulatorError) {
    guard isLast || pending.count >= 32_768 || time - flushed >= .milliseconds(250) else { return }
    flushed = time
    while !pending.isEmpty {
      guard let count = file.write(pending[...]) else { throw .system(.inputOutput, path) }
      pending.removeFirst(count)
    }
  }
}

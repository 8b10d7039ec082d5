import Glibc
import Telemetry

/// Contains the highest sequence number that a record in the process's memory may get in the next commit.
///
/// The mark is written to `spool.lock` before a record is appended, but without fsync(2). If the process is killed, the
/// kernel still has the mark, and the next start knows how many records may be lost. After a power cut, the mark may be
/// outdated, and is not used. The boot ID in it shows whether there was a power cut.
struct PendingMark: Equatable {
  /// The epoch of the spool's file.
  var epoch: UUIDv7
  var last: UInt64
  /// The kernel's boot ID at the time when the mark was written.
  var bootId: String

  init(epoch: UUIDv7, last: UInt64, bootId: String) {
    self.epoch = epoch
    self.last = last
    self.bootId = bootId
  }

  /// The mark as one text line: the epoch, the number with leading zeros, and the boot ID, separated by spaces.
  var text: [UInt8] {
    let number = String(last)
    let digits = String(repeating: "0", count: max(0, Self.digits - number.utf8.count)) + number
    return Array("\(epoch.string) \(digits) \(bootId)\n".utf8)
  }

  /// Number of digits with which the sequence number is written, including leading zeros. The largest number that
  /// SQLite can store has 19 digits.
  private static let digits = 19

  /// Parses the first text line of `bytes`; `nil` if it is not a mark.
  init?(parsing bytes: ArraySlice<UInt8>) {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let words = String(decoding: bytes[..<end], as: UTF8.self).split(
      separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count == 3, let epoch = UUIDv7(string: String(words[0])), let last = Int64(words[1]), last >= 0 else {
      return nil
    }
    self.init(epoch: epoch, last: UInt64(last), bootId: String(words[2]))
  }

  /// Reads the mark at the beginning of a file; `nil` if there is no valid mark.
  init?(readFrom descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    self.init(parsing: bytes[..<count])
  }
}

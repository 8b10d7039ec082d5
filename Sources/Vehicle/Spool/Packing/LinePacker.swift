import CCompression
import Telemetry

/// A base line: a stored line that ``LinePacker`` uses as the dictionary when it compresses similar lines.
@safe
final class PackingBase {
  /// Row number of the base line in the file.
  let number: Int64
  /// Length of the base line, bytes.
  let count: Int
  fileprivate let handle: UnsafeMutableRawPointer

  /// Prepares a line for use as a dictionary.
  ///
  /// - Returns: `nil` if libzstd is not installed or memory is exhausted.
  init?(number: Int64, _ line: Span<UInt8>) {
    guard LinePacker.isPossible else { return nil }
    let made = unsafe line.withUnsafeBytes { unsafe ccompression_base_make($0.baseAddress, $0.count) }
    guard let made = unsafe made else { return nil }
    self.number = number
    count = line.count
    unsafe handle = made
  }

  deinit { unsafe ccompression_base_free(handle) }
}

/// Compresses lines with zstd (RFC 8878), level 1. It uses a similar line as the dictionary: the base line. Only one
/// thread may use a packer.
///
/// The records of one vehicle share most of their text, especially the signal names. With the dictionary, this text is
/// stored only once for a few hundred records. A record of 1.9 KB then takes 0.3 KB.
@safe
final class LinePacker {
  private let handle: UnsafeMutableRawPointer
  /// Buffer for one compressed frame or one line.
  private var room: [UInt8] = []

  /// Whether libzstd is installed.
  static var isPossible: Bool { ccompression_load_zstd() == 0 }

  /// Creates a packer.
  ///
  /// - Returns: `nil` if libzstd is not installed or memory is exhausted.
  init?() {
    guard Self.isPossible, let made = unsafe ccompression_packer_make() else { return nil }
    unsafe handle = made
  }

  deinit { unsafe ccompression_packer_free(handle) }

  /// Compresses a line against a base line, and returns the Zstandard frame; `nil` if zstd fails.
  func pack(_ line: [UInt8], against base: PackingBase) -> [UInt8]? {
    makeRoom(ccompression_zstd_bound(line.count))
    let count = unsafe ccompression_pack(handle, base.handle, &room, room.count, line, line.count)
    return count > 0 ? Array(room[..<Int(count)]) : nil
  }

  /// Decompresses a Zstandard frame, and calls `body` with the line.
  ///
  /// - Returns: the result of `body`; `nil` if the frame cannot be decompressed with this base line.
  func withUnpacked<Result>(
    _ frame: Span<UInt8>, against base: PackingBase, _ body: (Span<UInt8>) -> Result
  ) -> Result? {
    makeRoom(JSONLineEncoder.recordCapacity)
    let count = unsafe frame.withUnsafeBytes { frame in
      unsafe ccompression_unpack(handle, base.handle, &room, room.count, frame.baseAddress, frame.count)
    }
    guard count >= 0 else { return nil }
    return unsafe room.withUnsafeBufferPointer { room in
      unsafe body(room.extracting(0..<Int(count)).span)
    }
  }

  private func makeRoom(_ count: Int) {
    if room.count < count { room = [UInt8](repeating: 0, count: count) }
  }
}

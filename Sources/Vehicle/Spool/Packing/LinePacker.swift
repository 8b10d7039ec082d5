import CCompression
import Telemetry

/// A line used as a compression dictionary by ``LinePacker``.
@safe
final class PackingBase {
  /// Row in the file.
  let number: Int64
  /// Length of the line, bytes.
  let count: Int
  fileprivate let handle: UnsafeMutableRawPointer

  /// Makes a line a compression dictionary.
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

/// Compresses lines with zstd (RFC 8878), level 1, using a similar line as the dictionary.
///
/// The records of one vehicle share most of their text, above all the signal names. The dictionary stores that text
/// once for a few hundred records: a record of 1.9 KB takes 0.3 KB. Used by one thread.
@safe
final class LinePacker {
  private let handle: UnsafeMutableRawPointer
  /// Buffer for a frame or a line.
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

  /// Compresses a line into a frame; `nil` if zstd fails.
  func pack(_ line: [UInt8], against base: PackingBase) -> [UInt8]? {
    makeRoom(ccompression_zstd_bound(line.count))
    let count = unsafe ccompression_pack(handle, base.handle, &room, room.count, line, line.count)
    return count > 0 ? Array(room[..<Int(count)]) : nil
  }

  /// Decompresses a frame and calls `body` with the line.
  ///
  /// - Returns: the result of `body`; `nil` if the frame does not decompress with this base.
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

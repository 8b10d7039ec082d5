import CCompression
import Telemetry

/// A line that others like it are packed against; see ``LinePacker``.
@safe
final class PackingBase {
  /// Its row in the file.
  let number: Int64
  /// Bytes of its line.
  let count: Int
  fileprivate let handle: UnsafeMutableRawPointer

  /// - Returns: nil without the library, or memory.
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

/// Packs lines with zstd (RFC 8878), level 1, against one that they are like, whose bytes are the dictionary: what a car's
/// records have in common, the names of all signals first, is kept once for some hundred of them. A record of 1.9 KB becomes
/// 0.3.
///
/// In one thread.
@safe
final class LinePacker {
  private let handle: UnsafeMutableRawPointer
  /// Room for a frame or a line, whichever is longer.
  private var room: [UInt8] = []

  /// Whether there is a library for it.
  static var isPossible: Bool { ccompression_load_zstd() == 0 }

  /// - Returns: nil without the library, or memory.
  init?() {
    guard Self.isPossible, let made = unsafe ccompression_packer_make() else { return nil }
    unsafe handle = made
  }

  deinit { unsafe ccompression_packer_free(handle) }

  /// A frame that holds this line; nil where zstd fails.
  func pack(_ line: [UInt8], against base: PackingBase) -> [UInt8]? {
    makeRoom(ccompression_zstd_bound(line.count))
    let count = unsafe ccompression_pack(handle, base.handle, &room, room.count, line, line.count)
    return count > 0 ? Array(room[..<Int(count)]) : nil
  }

  /// Calls `body` with the line that a frame holds.
  ///
  /// - Returns: nil, and `body` is not called: it is no frame that was packed against this base.
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

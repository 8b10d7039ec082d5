import CZlib
import CZstd
import NIOCore

/// Compresses the body of an answer in one step. The body must be complete in memory, and is at most as long as a page
/// of a list.
enum Packer {
  /// The minimum length of a body that is compressed, bytes.
  static let least = 1_024
  /// zstd's default level: about 300 MB/s for JSON. Higher levels make the body only slightly shorter, and need more
  /// time.
  private static let level: Int32 = 3
  /// zlib's fastest level, about 100 MB/s.
  private static let gzipLevel: Int32 = 1

  /// Returns the maximum number of bytes of memory that compression needs in addition to the body.
  ///
  /// - Parameter count: the length of the body in bytes.
  static func memory(_ count: Int) -> Int { count + count / 128 + (1 << 20) }

  /// Compresses a body; `nil` if it would not become shorter, or if there is not enough memory.
  static func pack(_ body: ByteBuffer, _ coding: ContentCoding) -> ByteBuffer? {
    unsafe body.withUnsafeReadableBytes { bytes in
      switch coding {
      case .identity: nil
      case .zstd: unsafe zstd(bytes)
      case .gzip: unsafe gzip(bytes)
      }
    }
  }

  private static func zstd(_ bytes: UnsafeRawBufferPointer) -> ByteBuffer? {
    // The output buffer is as long as the body, because longer output is not used.
    var packed = ByteBuffer()
    let count = unsafe packed.writeWithUnsafeMutableBytes(minimumWritableBytes: bytes.count) { room in
      let count = unsafe ZSTD_compress(room.baseAddress, bytes.count, bytes.baseAddress, bytes.count, level)
      return ZSTD_isError(count) != 0 ? 0 : count
    }
    return count > 0 && count < bytes.count ? packed : nil
  }

  private static func gzip(_ bytes: UnsafeRawBufferPointer) -> ByteBuffer? {
    var stream = unsafe z_stream()
    guard unsafe czlib_begin_gzip(&stream, gzipLevel) == Z_OK else { return nil }
    defer { unsafe deflateEnd(&stream) }
    var packed = ByteBuffer()
    // zlib does not write to this memory.
    unsafe stream.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    unsafe stream.avail_in = UInt32(bytes.count)
    let count = unsafe packed.writeWithUnsafeMutableBytes(minimumWritableBytes: bytes.count) { room in
      unsafe stream.next_out = room.bindMemory(to: UInt8.self).baseAddress
      unsafe stream.avail_out = UInt32(bytes.count)
      return unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END ? bytes.count - Int(stream.avail_out) : 0
    }
    return count > 0 && count < bytes.count ? packed : nil
  }
}

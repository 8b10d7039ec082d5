import CZlib
import CZstd
import NIOCore

/// Compresses the body of an answer in one step. A body is completely in memory, and not longer than a page.
enum Packer {
  /// The minimum length in bytes; shorter bodies are not compressed.
  static let least = 1_024
  /// Default level of zstd. It compresses JSON at about 300 MB/s. At higher levels, the additional time is not worth
  /// the saved bytes.
  private static let level: Int32 = 3
  /// zlib's fastest level, about 100 MB/s.
  private static let gzipLevel: Int32 = 1

  /// Returns the maximum number of bytes that compression needs besides the body.
  static func memory(_ count: Int) -> Int { count + count / 128 + (1 << 20) }

  /// - Returns: `nil` if the body would not become shorter, or if there is not enough memory.
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
    // A result that is not shorter is not used, so the buffer has only the length of the body.
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
    // zlib does not write through this pointer.
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

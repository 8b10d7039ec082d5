import CZlib
import CZstd
import NIOCore

/// Packs an answer's body at once. What is packed is whole in memory, and never longer than a page.
enum Packer {
  /// A shorter body is not worth it.
  static let least = 1_024
  /// zstd's own default packs JSON at some 300 MB/s; a higher level costs more time than it saves bytes.
  private static let level: Int32 = 3
  /// zlib's fastest: 100 MB/s.
  private static let gzipLevel: Int32 = 1

  /// Bytes of memory that packing a body takes at most, besides the body.
  static func memory(_ count: Int) -> Int { count + count / 128 + (1 << 20) }

  /// - Returns: `nil` if the body gets no shorter, or there is no memory for it.
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
    // Room for what is shorter alone: anything else is not wanted.
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
    // zlib only reads through it.
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

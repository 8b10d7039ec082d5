import CZlib
import CZstd
import NIOCore

/// Decompresses a body piece by piece. It stops as soon as the output exceeds the limit. Therefore a few kilobytes that
/// would expand to gigabytes need no more memory than the limit.
///
/// Call order: ``init(_:limit:)``; ``step(_:)`` for each piece until it returns `false`; ``finish()`` once.
@safe
struct Unpacker: ~Copyable {
  /// The maximum number of bytes that one step produces from a compressed body. From a body that is not compressed, a
  /// step produces the whole piece.
  static var step: Int { 64 << 10 }
  /// Binary logarithm of the maximum window size, 8 MiB, which RFC 8878 recommends (section 3.1.1.1.2). The sender of a
  /// frame can cause the decoder to allocate a buffer of up to this size.
  private static var windowLog: Int32 { 23 }

  private let coding: ContentCoding
  private let limit: Int
  private var out: [UInt8] = []
  private var zstd: OpaquePointer?
  /// The state of zlib; `nil` for other encodings. The state contains a pointer to itself, so it must not be moved in
  /// memory.
  private var zlib: UnsafeMutablePointer<z_stream>?
  /// The buffer for the output of one step.
  private let scratch: UnsafeMutableRawBufferPointer
  /// Whether a frame (zstd) or member (gzip) has begun but not ended.
  private var isInside = false
  /// Whether the last step consumed the whole piece, but could not write all of the decompressed bytes.
  private var hasMore = false

  /// Creates a decompressor.
  ///
  /// - Parameters:
  ///   - coding: the compression of the body.
  ///   - limit: the maximum length of the decompressed body in bytes.
  init(_ coding: ContentCoding, limit: Int) throws(APIError) {
    self.coding = coding
    self.limit = limit
    unsafe scratch = .allocate(byteCount: coding == .identity ? 0 : Self.step, alignment: 1)
    switch coding {
    case .identity: break
    case .zstd:
      guard let context = unsafe ZSTD_createDCtx() else { throw Self.noMemory }
      _ = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLog)
      unsafe zstd = context
      isInside = true
    case .gzip:
      let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
      unsafe stream.initialize(to: z_stream())
      guard unsafe czlib_begin_gunzip(stream) == Z_OK else {
        unsafe stream.deallocate()
        throw Self.noMemory
      }
      unsafe zlib = stream
      isInside = true
    }
  }

  deinit {
    unsafe scratch.deallocate()
    if let zstd = unsafe zstd { unsafe ZSTD_freeDCtx(zstd) }
    if let zlib = unsafe zlib {
      unsafe inflateEnd(zlib)
      unsafe zlib.deallocate()
    }
  }

  /// The number of bytes of decompressed output so far.
  var count: Int { out.count }

  /// Decompresses the beginning of a piece, and removes the consumed bytes from the piece.
  ///
  /// - Returns: whether another step is needed for the same piece.
  /// - Throws: 413 if the output exceeds the limit; 400 if the bytes are not in the announced coding.
  mutating func step(_ piece: inout ByteBuffer) throws -> Bool {
    guard piece.readableBytes > 0 || hasMore else { return false }
    // The pointer is valid during the call.
    let done = try unsafe piece.withUnsafeReadableBytes { bytes in unsafe try step(bytes) }
    piece.moveReaderIndex(forwardBy: done)
    return piece.readableBytes > 0 || hasMore
  }

  /// Decompresses the beginning of a piece.
  ///
  /// - Returns: the number of bytes consumed.
  private mutating func step(_ piece: UnsafeRawBufferPointer) throws(APIError) -> Int {
    switch coding {
    case .identity:
      guard out.count + piece.count <= limit else { throw tooLong }
      unsafe out.append(contentsOf: piece)
      return piece.count
    case .zstd: return unsafe try unpackZstd(piece)
    case .gzip: return unsafe try unpackGzip(piece)
    }
  }

  /// Returns the whole decompressed body.
  ///
  /// - Throws: 400 if the body ends inside a frame or member.
  mutating func finish() throws(APIError) -> [UInt8] {
    guard !isInside else { throw APIError.badRequest("the body ends inside its \(coding.rawValue) stream") }
    var result: [UInt8] = []
    swap(&result, &out)
    return result
  }

  private mutating func unpackZstd(_ piece: UnsafeRawBufferPointer) throws(APIError) -> Int {
    var input = unsafe ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
    var output = unsafe ZSTD_outBuffer(dst: scratch.baseAddress, size: scratch.count, pos: 0)
    let result = unsafe ZSTD_decompressStream(zstd, &output, &input)
    if ZSTD_isError(result) != 0 {
      throw APIError.badRequest("the body is no zstd stream: \(unsafe String(cString: ZSTD_getErrorName(result)))")
    }
    try append(unsafe output.pos)
    isInside = result != 0
    // After the end of a frame, zstd has written all output. Inside a frame, a full buffer means that more output may
    // follow.
    hasMore = unsafe isInside && output.pos == output.size
    return unsafe input.pos
  }

  private mutating func unpackGzip(_ piece: UnsafeRawBufferPointer) throws(APIError) -> Int {
    guard let zlib = unsafe zlib else { return piece.count }
    // After the end of a member, another member may follow (RFC 1952, section 2.2).
    if !isInside {
      unsafe inflateReset(zlib)
      isInside = true
    }
    // zlib does not write to this memory.
    unsafe zlib.pointee.next_in = UnsafeMutablePointer(mutating: piece.bindMemory(to: UInt8.self).baseAddress)
    unsafe zlib.pointee.avail_in = UInt32(piece.count)
    unsafe zlib.pointee.next_out = scratch.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe zlib.pointee.avail_out = UInt32(scratch.count)
    let code = unsafe inflate(zlib, Z_NO_FLUSH)
    try append(unsafe scratch.count - Int(zlib.pointee.avail_out))
    switch code {
    case Z_STREAM_END: isInside = false
    // zlib needs more bytes of the body, which is not an error.
    case Z_OK, Z_BUF_ERROR: break
    default: throw APIError.badRequest("the body is no gzip stream (zlib error \(code))")
    }
    hasMore = unsafe isInside && zlib.pointee.avail_out == 0
    return unsafe piece.count - Int(zlib.pointee.avail_in)
  }

  /// Appends the last step's output to the whole output.
  private mutating func append(_ count: Int) throws(APIError) {
    guard out.count + count <= limit else { throw tooLong }
    unsafe out.append(contentsOf: scratch[..<count])
  }

  private var tooLong: APIError {
    APIError.tooLarge("the body is longer than \(limit) bytes once unpacked; send fewer records at once")
  }

  private static var noMemory: APIError {
    APIError(.serviceUnavailable, "outOfMemory", "no memory to unpack the body with; try again", retryAfter: 1)
  }
}

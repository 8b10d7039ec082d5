import CZlib
import CZstd
import NIOCore

/// Unpacks one body piece by piece into memory and stops as soon as it would become longer than is allowed: a few
/// kilobytes that unpack to gigabytes cost no more than the limit.
///
/// Call order: ``init(_:limit:)``; ``step(_:)`` with each piece for as long as it says that there is more; ``finish()``
/// once.
@safe
struct Unpacker: ~Copyable {
  /// Bytes that one step makes at most; of a body that is not packed, those of the piece.
  static var step: Int { 64 << 10 }
  /// Windows up to 8 MiB: what RFC 8878, 3.1.1.1.2 recommends to support, and what a frame may make the reader allocate.
  private static var windowLog: Int32 { 23 }

  private let coding: ContentCoding
  private let limit: Int
  private var out: [UInt8] = []
  private var zstd: OpaquePointer?
  /// Its own state points back at it: it must not move.
  private var zlib: UnsafeMutablePointer<z_stream>?
  /// What was unpacked last, before it goes to the rest.
  private let scratch: UnsafeMutableRawBufferPointer
  /// Whether a frame or member has been begun and not ended.
  private var isInside = false
  /// There is more than the last step could take, though it took all of the piece.
  private var hasMore = false

  /// - Parameters:
  ///   - coding: how the body is packed.
  ///   - limit: bytes that it may have unpacked.
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

  /// Bytes that were unpacked so far.
  var count: Int { out.count }

  /// Unpacks some of a piece and takes it from it.
  ///
  /// - Returns: whether the same piece has more.
  /// - Throws: 413 past the limit, 400 where the bytes are not packed as they are said to be.
  mutating func step(_ piece: inout ByteBuffer) throws -> Bool {
    guard piece.readableBytes > 0 || hasMore else { return false }
    // The bytes live as long as the call.
    let done = try unsafe piece.withUnsafeReadableBytes { bytes in unsafe try step(bytes) }
    piece.moveReaderIndex(forwardBy: done)
    return piece.readableBytes > 0 || hasMore
  }

  /// - Returns: how many of the bytes were taken.
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

  /// The body, whole.
  ///
  /// - Throws: 400 where it ends inside what was packed.
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
    try take(unsafe output.pos)
    isInside = result != 0
    // A frame that is complete is also written out whole.
    hasMore = unsafe isInside && output.pos == output.size
    return unsafe input.pos
  }

  private mutating func unpackGzip(_ piece: UnsafeRawBufferPointer) throws(APIError) -> Int {
    guard let zlib = unsafe zlib else { return piece.count }
    // Behind the end of a member another may follow (RFC 1952, 2.2).
    if !isInside {
      unsafe inflateReset(zlib)
      isInside = true
    }
    // zlib only reads through it.
    unsafe zlib.pointee.next_in = UnsafeMutablePointer(mutating: piece.bindMemory(to: UInt8.self).baseAddress)
    unsafe zlib.pointee.avail_in = UInt32(piece.count)
    unsafe zlib.pointee.next_out = scratch.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe zlib.pointee.avail_out = UInt32(scratch.count)
    let code = unsafe inflate(zlib, Z_NO_FLUSH)
    try take(unsafe scratch.count - Int(zlib.pointee.avail_out))
    switch code {
    case Z_STREAM_END: isInside = false
    // No progress without more of the body: not an error.
    case Z_OK, Z_BUF_ERROR: break
    default: throw APIError.badRequest("the body is no gzip stream (zlib error \(code))")
    }
    hasMore = unsafe isInside && zlib.pointee.avail_out == 0
    return unsafe piece.count - Int(zlib.pointee.avail_in)
  }

  /// Adds what was unpacked last.
  private mutating func take(_ count: Int) throws(APIError) {
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

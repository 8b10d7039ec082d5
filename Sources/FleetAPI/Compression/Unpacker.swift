import CZlib
import CZstd

/// Unpacks one body piece by piece into memory and stops as soon as it would become longer than is allowed: a few
/// kilobytes that unpack to gigabytes cost no more than the limit.
///
/// Call order: ``init(_:limit:)``, ``feed(_:)`` for each piece, ``finish()`` once.
@safe
struct Unpacker: ~Copyable {
  /// Bytes that are made at a time.
  private static var step: Int { 64 << 10 }
  /// Windows up to 8 MiB: what RFC 8878, 3.1.1.1.2 recommends to support, and what a frame may make the reader allocate.
  private static var windowLog: Int32 { 23 }

  private let coding: ContentCoding
  private let limit: Int
  private var out: [UInt8] = []
  private var zstd: OpaquePointer?
  /// Its own state points back at it: it must not move.
  private var zlib: UnsafeMutablePointer<z_stream>?
  /// Whether a frame or member has been begun and not ended.
  private var isInside = false

  /// - Parameters:
  ///   - coding: how the body is packed.
  ///   - limit: bytes that it may have unpacked.
  init(_ coding: ContentCoding, limit: Int) throws(APIError) {
    self.coding = coding
    self.limit = limit
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
    if let zstd = unsafe zstd { unsafe ZSTD_freeDCtx(zstd) }
    if let zlib = unsafe zlib {
      unsafe inflateEnd(zlib)
      unsafe zlib.deallocate()
    }
  }

  /// - Throws: 413 past the limit, 400 where the bytes are not packed as they are said to be.
  mutating func feed(_ piece: UnsafeRawBufferPointer) throws(APIError) {
    guard unsafe !piece.isEmpty else { return }
    switch coding {
    case .identity:
      guard out.count + piece.count <= limit else { throw tooLong }
      unsafe out.append(contentsOf: piece)
    case .zstd: unsafe try unpackZstd(piece)
    case .gzip: unsafe try unpackGzip(piece)
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

  private mutating func unpackZstd(_ piece: UnsafeRawBufferPointer) throws(APIError) {
    var input = unsafe ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
    var hasMore = true
    while unsafe input.pos < input.size || hasMore {
      let before = out.count
      var result = 0
      let room = min(Self.step, limit - before + 1)
      out.append(contentsOf: repeatElement(0, count: room))
      let made = unsafe out.withUnsafeMutableBytes { bytes in
        var output = unsafe ZSTD_outBuffer(dst: bytes.baseAddress! + before, size: room, pos: 0)
        result = unsafe ZSTD_decompressStream(zstd, &output, &input)
        return unsafe output.pos
      }
      out.removeLast(room - made)
      if ZSTD_isError(result) != 0 {
        throw APIError.badRequest("the body is no zstd stream: \(unsafe String(cString: ZSTD_getErrorName(result)))")
      }
      guard out.count <= limit else { throw tooLong }
      isInside = result != 0
      hasMore = made == room
    }
  }

  private mutating func unpackGzip(_ piece: UnsafeRawBufferPointer) throws(APIError) {
    guard let zlib = unsafe zlib, let bytes = unsafe piece.bindMemory(to: UInt8.self).baseAddress else { return }
    // zlib only reads through it.
    unsafe zlib.pointee.next_in = UnsafeMutablePointer(mutating: bytes)
    unsafe zlib.pointee.avail_in = UInt32(piece.count)
    var hasMore = true
    while unsafe zlib.pointee.avail_in > 0 || hasMore {
      // Behind the end of a member another may follow (RFC 1952, 2.2).
      if !isInside {
        guard unsafe zlib.pointee.avail_in > 0 else { return }
        unsafe inflateReset(zlib)
        isInside = true
      }
      let before = out.count
      let room = min(Self.step, limit - before + 1)
      out.append(contentsOf: repeatElement(0, count: room))
      let code = unsafe out.withUnsafeMutableBufferPointer { bytes in
        unsafe zlib.pointee.next_out = bytes.baseAddress! + before
        unsafe zlib.pointee.avail_out = UInt32(room)
        return unsafe inflate(zlib, Z_NO_FLUSH)
      }
      let made = room - Int(unsafe zlib.pointee.avail_out)
      out.removeLast(room - made)
      guard out.count <= limit else { throw tooLong }
      switch code {
      case Z_STREAM_END: isInside = false
      // No progress without more of the body: not an error.
      case Z_OK, Z_BUF_ERROR: break
      default: throw APIError.badRequest("the body is no gzip stream (zlib error \(code))")
      }
      hasMore = made == room
    }
  }

  private var tooLong: APIError {
    APIError.tooLarge("the body is longer than \(limit) bytes once unpacked; send fewer records at once")
  }

  private static var noMemory: APIError {
    APIError(.serviceUnavailable, "outOfMemory", "no memory to unpack the body with; try again", retryAfter: 1)
  }
}

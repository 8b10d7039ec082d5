import CZstd
import FleetDomain

/// Compresses the bodies of a run to one zstd frame, which contains its decompressed size and a checksum (RFC 8878).
@safe
struct RunPacker: ~Copyable {
  private let context: OpaquePointer
  private var buffer: [UInt8] = []

  init() throws(StoreFailure) {
    guard let context = unsafe ZSTD_createCCtx() else { throw RunPacker.noMemory }
    unsafe self.context = context
    // Use level 1: the next levels reduce the size of telemetry by less than 5 % and take 1.5 times as long.
    for (parameter, value) in [(ZSTD_c_compressionLevel, Int32(1)), (ZSTD_c_checksumFlag, 1)] {
      _ = unsafe ZSTD_CCtx_setParameter(context, parameter, value)
    }
  }

  deinit { unsafe ZSTD_freeCCtx(context) }

  mutating func pack(_ bodies: [UInt8]) throws(StoreFailure) -> [UInt8] {
    let bound = ZSTD_compressBound(bodies.count)
    if buffer.count < bound { buffer = Array(repeating: 0, count: bound) }
    let count = unsafe ZSTD_compress2(context, &buffer, buffer.count, bodies, bodies.count)
    guard ZSTD_isError(count) == 0 else { throw Self.failure(count) }
    return Array(buffer[..<count])
  }

  fileprivate static var noMemory: StoreFailure { StoreFailure(.system, "zstd", "out of memory") }

  private static func failure(_ code: Int) -> StoreFailure {
    StoreFailure(.system, "zstd", unsafe String(cString: ZSTD_getErrorName(code)))
  }
}

/// Decompresses frames that ``RunPacker`` made.
@safe
struct RunUnpacker: ~Copyable {
  private let context: OpaquePointer

  init() throws(StoreFailure) {
    guard let context = unsafe ZSTD_createDCtx() else { throw RunPacker.noMemory }
    unsafe self.context = context
  }

  deinit { unsafe ZSTD_freeDCtx(context) }

  /// Decompresses a frame.
  ///
  /// - Throws: `damaged` unless the bytes are exactly one complete frame whose content has at most
  ///   ``RunSelection/largestBodies`` bytes.
  borrowing func unpack(_ packed: [UInt8]) throws(StoreFailure) -> [UInt8] {
    let length = unsafe ZSTD_getFrameContentSize(packed, packed.count)
    guard length <= UInt64(RunSelection.largestBodies) else {
      throw TelemetryRun.damaged("bodies of an unknown length")
    }
    var code = 0
    let bodies = unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
      code = unsafe ZSTD_decompressDCtx(context, buffer.baseAddress, buffer.count, packed, packed.count)
      count = ZSTD_isError(code) == 0 ? code : 0
    }
    guard ZSTD_isError(code) == 0, bodies.count == length else {
      throw TelemetryRun.damaged("bodies: \(unsafe String(cString: ZSTD_getErrorName(code)))")
    }
    return bodies
  }
}

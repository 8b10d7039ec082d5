import CCompression

/// Compresses the bodies of requests. It reuses its memory for each body.
@safe final class BatchCompressor {
  private var context: UnsafeMutableRawPointer?
  /// Memory for compressed bodies. The last body is in the first `count` bytes. The address stays valid until the next
  /// call.
  private(set) var body: [UInt8] = []
  /// Length of the last compressed body, bytes.
  private(set) var count = 0

  init() {}

  deinit { if let context = unsafe context { unsafe ccompression_zstd_free(context) } }

  /// Returns `wanted` if its library is installed. Otherwise, returns a weaker encoding whose library is installed, or
  /// `.none`.
  static func available(_ wanted: UploadPlan.Encoding) -> UploadPlan.Encoding {
    if wanted == .zstd, ccompression_load_zstd() == 0 { return .zstd }
    if wanted != .none, ccompression_load_gzip() == 0 { return .gzip }
    return .none
  }

  /// Compresses text lines into `body`.
  ///
  /// - Returns: the encoding that was used; `.none` if the library failed.
  func compress(_ lines: ArraySlice<UInt8>, _ wanted: UploadPlan.Encoding) -> UploadPlan.Encoding {
    let encoding = Self.available(wanted)
    let size: Int64 =
      switch encoding {
      case .zstd: frame(lines)
      case .gzip: member(lines)
      case .none: -1
      }
    guard size >= 0 else {
      body = Array(lines)
      count = body.count
      return .none
    }
    count = Int(size)
    return encoding
  }

  private func frame(_ lines: ArraySlice<UInt8>) -> Int64 {
    if unsafe context == nil { unsafe context = ccompression_zstd_make() }
    guard let context = unsafe context else { return -1 }
    makeRoom(ccompression_zstd_bound(lines.count))
    return unsafe lines.withUnsafeBytes { bytes in
      unsafe body.withUnsafeMutableBytes { room in
        unsafe ccompression_zstd_frame(context, room.baseAddress, room.count, bytes.baseAddress, bytes.count)
      }
    }
  }

  private func member(_ lines: ArraySlice<UInt8>) -> Int64 {
    makeRoom(ccompression_gzip_bound(lines.count))
    return unsafe lines.withUnsafeBytes { bytes in
      unsafe body.withUnsafeMutableBytes { room in
        unsafe ccompression_gzip_member(room.baseAddress, room.count, bytes.baseAddress, bytes.count)
      }
    }
  }

  private func makeRoom(_ size: Int) {
    if body.count < size { body = [UInt8](repeating: 0, count: size) }
  }
}

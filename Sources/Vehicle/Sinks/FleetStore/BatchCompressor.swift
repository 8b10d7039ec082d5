import CCompression

/// Compresses the bodies of requests. It uses the same memory for each.
@safe final class BatchCompressor {
  private var context: UnsafeMutableRawPointer?
  /// The last compressed body, in its first `count` bytes. Its address stays valid until the next call.
  private(set) var body: [UInt8] = []
  private(set) var count = 0

  init() {}

  deinit { if let context = unsafe context { unsafe ccompression_zstd_free(context) } }

  /// Returns the best encoding whose library is installed, but none better than the wanted one.
  static func available(_ wanted: UploadPlan.Encoding) -> UploadPlan.Encoding {
    if wanted == .zstd, ccompression_load_zstd() == 0 { return .zstd }
    if wanted != .none, ccompression_load_gzip() == 0 { return .gzip }
    return .none
  }

  /// Compresses lines into `body`.
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

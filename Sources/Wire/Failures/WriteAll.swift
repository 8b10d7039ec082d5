import Glibc

/// Writes all bytes to a blocking file descriptor.
///
/// - Returns: 0 on success; otherwise the `errno` of the failed write.
public func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32) -> Int32 {
  unsafe bytes.withUnsafeBufferPointer { bytes in
    var done = 0
    while done < bytes.count {
      let count = unsafe write(descriptor, bytes.baseAddress! + done, bytes.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      done += count
    }
    return 0
  }
}

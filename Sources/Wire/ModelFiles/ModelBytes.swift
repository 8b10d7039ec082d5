/// The bytes of a file, which are read piece by piece, so that the memory does not depend on the length of the file.
///
/// Numbers are little-endian.
public final class ModelBytes {
  /// The length of the file in bytes.
  public let count: Int
  /// Reads at most `count` bytes from `offset`; returns `nil` if the system reports an error.
  private let source: (_ offset: Int, _ count: Int) -> [UInt8]?
  private var window: [UInt8] = []
  private var start = 0
  /// Maximum number of bytes that one call of `source` reads into `window`.
  private static let windowBytes = 1 << 16

  /// Creates access to the bytes of a file.
  ///
  /// - Parameters:
  ///   - count: the length of the file in bytes.
  ///   - source: reads at most `count` bytes from `offset`; returns `nil` if the system reports an error.
  public init(count: Int, source: @escaping (_ offset: Int, _ count: Int) -> [UInt8]?) {
    (self.count, self.source) = (count, source)
  }

  public convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { offset, count in Array(bytes[offset..<min(offset + count, bytes.count)]) }
  }

  /// Ensures that `window`, the part of the file in memory, contains `count` bytes from an offset.
  ///
  /// - Parameter count: the number of bytes; at most ``windowBytes``.
  /// - Throws: `truncated` if the bytes are outside the file.
  @inline(__always)
  private func load(_ offset: Int, _ count: Int) throws(ModelError) {
    if offset >= start, offset + count <= start + window.count { return }
    try fill(offset, count)
  }

  @inline(never)
  private func fill(_ offset: Int, _ count: Int) throws(ModelError) {
    guard offset >= 0, offset <= self.count - count else {
      throw ModelError(.truncated, "byte \(offset)", "expected \(count) bytes, found the end of the file")
    }
    let wanted = min(Self.windowBytes, self.count - offset)
    guard let read = source(offset, wanted), read.count >= count else {
      throw ModelError(.unreadable, "byte \(offset)", "the file cannot be read")
    }
    (window, start) = (read, offset)
  }

  public func byte(at offset: Int) throws(ModelError) -> UInt8 {
    try load(offset, 1)
    return window[offset - start]
  }

  func uint16(at offset: Int) throws(ModelError) -> UInt16 {
    try load(offset, 2)
    return UInt16(window[offset - start]) | UInt16(window[offset - start + 1]) << 8
  }

  func uint32(at offset: Int) throws(ModelError) -> UInt32 {
    try load(offset, 4)
    let first = offset - start
    return UInt32(window[first]) | UInt32(window[first + 1]) << 8 | UInt32(window[first + 2]) << 16
      | UInt32(window[first + 3]) << 24
  }

  func uint64(at offset: Int) throws(ModelError) -> UInt64 {
    UInt64(try uint32(at: offset)) | UInt64(try uint32(at: offset + 4)) << 32
  }

  func float(at offset: Int) throws(ModelError) -> Float { Float(bitPattern: try uint32(at: offset)) }

  /// Returns a part of the file. The caller limits its length.
  func bytes(_ range: Range<Int>) throws(ModelError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      throw ModelError(
        .truncated, "byte \(range.lowerBound)", "expected \(range.count) bytes, found the end of the file")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    while bytes.count < range.count {
      let offset = range.lowerBound + bytes.count
      guard let piece = source(offset, min(Self.windowBytes, range.upperBound - offset)), !piece.isEmpty else {
        throw ModelError(.unreadable, "byte \(offset)", "the file cannot be read")
      }
      bytes += piece
    }
    return bytes
  }

  /// Whether the bytes at an offset are equal to a text.
  func matches(_ text: StaticString, at offset: Int) throws(ModelError) -> Bool {
    guard offset >= 0, offset <= count - text.utf8CodeUnitCount else { return false }
    for index in 0..<text.utf8CodeUnitCount where try byte(at: offset + index) != (unsafe text.utf8Start[index]) {
      return false
    }
    return true
  }
}

/// A first-in, first-out queue of bytes. Its capacity is fixed, and its storage is allocated by `init`.
struct ByteQueue: ~Copyable {
  private var storage: [UInt8]
  private var start = 0
  private(set) var count = 0

  init(capacity: Int) { storage = [UInt8](repeating: 0, count: capacity) }

  /// Number of bytes that can still be appended.
  var room: Int { storage.count - count }

  /// Appends all bytes of a span.
  ///
  /// - Returns: `false` if not all bytes fit; none is appended then.
  mutating func put(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= room else { return false }
    makeRoom(bytes.count)
    for index in bytes.indices { storage[start + count + index] = bytes[index] }
    count += bytes.count
    return true
  }

  /// Reads once from a descriptor, and appends the bytes that were read, at most `limit`. Returns the result of
  /// ``Descriptor/read(into:)``.
  mutating func fill(from descriptor: borrowing Descriptor, limit: Int) -> Int {
    makeRoom(limit)
    let place = start + count
    var whole = storage.mutableSpan
    let taken = unsafe whole.withUnsafeMutableBufferPointer { bytes in
      let free = unsafe UnsafeMutableBufferPointer(rebasing: bytes[place..<min(place + limit, bytes.count)])
      var span = unsafe MutableSpan(_unsafeElements: free)
      return descriptor.read(into: &span)
    }
    if taken > 0 { count += taken }
    return taken
  }

  /// Moves the first bytes to the beginning of `buffer`.
  ///
  /// - Returns: the number of bytes moved.
  mutating func move(into buffer: inout MutableSpan<UInt8>) -> Int {
    let taken = min(count, buffer.count)
    for index in 0..<taken { buffer[index] = storage[start + index] }
    start += taken
    count -= taken
    if count == 0 { start = 0 }
    return taken
  }

  private mutating func makeRoom(_ wanted: Int) {
    guard start + count + wanted > storage.count, start > 0 else { return }
    for index in 0..<count { storage[index] = storage[start + index] }
    start = 0
  }
}

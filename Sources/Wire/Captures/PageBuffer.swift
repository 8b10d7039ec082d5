import Glibc

/// Memory pages from the operating system, used as a buffer. Pages that were never used occupy no memory. When the
/// buffer is destroyed, all pages are returned.
@safe
struct PageBuffer: ~Copyable {
  private let base: UnsafeMutableRawPointer
  let capacity: Int

  /// Allocates a buffer; `nil` if the operating system has no memory.
  init?(capacity: Int) {
    let pages = unsafe mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else { return nil }
    unsafe base = pages
    self.capacity = capacity
  }

  deinit { unsafe munmap(base, capacity) }

  /// Reads at most `limit` bytes from a descriptor into the buffer at `offset`.
  ///
  /// - Returns: the number of bytes read, 0 at the end of the input; `nil` on failure, with the reason in `errno`.
  func read(_ descriptor: Int32, at offset: Int, limit: Int) -> Int? {
    let room = min(limit, capacity - offset)
    while true {
      let count = unsafe Glibc.read(descriptor, base + offset, room)
      if count >= 0 { return count }
      if errno != EINTR { return nil }
    }
  }

  /// Gives all pages back to the operating system. The content is lost, but the buffer can be used again.
  func discard() {
    // A failure can be ignored; the pages then merely occupy memory.
    _ = unsafe madvise(base, capacity, MADV_DONTNEED)
  }

  /// Calls `body` with the bytes of a range of the buffer.
  func withBytes<Result: ~Copyable, Failure: Error>(
    _ range: Range<Int>, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= capacity)
    let start = unsafe (base + range.lowerBound).assumingMemoryBound(to: UInt8.self)
    let buffer = unsafe UnsafeBufferPointer(start: start, count: range.count)
    return try body(unsafe Span(_unsafeElements: buffer))
  }
}

import Glibc

/// Memory straight from the system: pages that were never written to take no room, and all of it goes back at once.
@safe
struct PageBuffer: ~Copyable {
  private let base: UnsafeMutableRawPointer
  let capacity: Int

  /// Nil if the system has no such room.
  init?(capacity: Int) {
    let pages = unsafe mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else { return nil }
    unsafe base = pages
    self.capacity = capacity
  }

  deinit { unsafe munmap(base, capacity) }

  /// Reads from the descriptor into the buffer at `offset`, at most `limit` bytes.
  ///
  /// - Returns: how many were read, 0 at the end; nil with `errno` set.
  func read(_ descriptor: Int32, at offset: Int, limit: Int) -> Int? {
    let room = min(limit, capacity - offset)
    while true {
      let count = unsafe Glibc.read(descriptor, base + offset, room)
      if count >= 0 { return count }
      if errno != EINTR { return nil }
    }
  }

  /// Gives all of the memory back for now; what was in it is lost.
  func discard() {
    // Advice that is not taken costs room, nothing else.
    _ = unsafe madvise(base, capacity, MADV_DONTNEED)
  }

  /// Lends the bytes of that range.
  func withBytes<Result: ~Copyable, Failure: Error>(
    _ range: Range<Int>, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= capacity)
    let start = unsafe (base + range.lowerBound).assumingMemoryBound(to: UInt8.self)
    let buffer = unsafe UnsafeBufferPointer(start: start, count: range.count)
    return try body(unsafe Span(_unsafeElements: buffer))
  }
}

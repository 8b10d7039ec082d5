import FleetDomain

/// A page of a list that has neither more elements nor, by more than a piece of it, more bytes than it may.
///
/// It is asked of the storage in pieces; the cursor behind the last one goes on where the page ended.
struct BoundedPage<Element: Sendable> {
  /// Elements of the first piece at most, whose size nobody knows.
  private static var first: Int { 256 }
  /// Bytes of an element at most.
  private static var longest: Int { 16 << 10 }
  /// Elements of any other.
  private static var most: Int { 1_024 }

  private(set) var items: [Element] = []
  private(set) var next: String?

  /// - Parameters:
  ///   - limit: elements; at least 1.
  ///   - size: bytes of an element.
  ///   - fetch: a piece of the list behind a cursor, with at most so many elements.
  /// - Throws: what `fetch` throws; 503 where the server has no room for it.
  init(
    _ call: Call, limit: Int, cursor: String?, size: (Element) -> Int,
    fetch: (_ cursor: String?, _ limit: Int) async throws -> Page<Element>
  ) async throws {
    var (bytes, piece) = (0, min(limit, Self.first, max(call.limits.pageBytes / Self.longest, 1)))
    next = cursor
    repeat {
      // The elements, and the text that is made of them.
      try await call.memory.grow(to: 2 * (bytes + piece * max(bytes / max(items.count, 1), 1 << 10)))
      let page = try await fetch(next, piece)
      items += page.items
      next = page.next
      bytes += page.items.reduce(0) { $0 + size($1) }
      let average = max(bytes / max(items.count, 1), 1)
      piece = min(limit - items.count, Self.most, max((call.limits.pageBytes - bytes) / average, 1))
    } while next != nil && piece > 0 && bytes < call.limits.pageBytes
  }
}

import FleetDomain

/// A page of a list that is limited by its number of elements and by its length in bytes.
///
/// The page is read from the storage in pieces; the last piece may exceed the maximum length. The next page begins
/// after this piece.
struct BoundedPage<Element: Sendable> {
  /// The maximum number of elements in the first piece. It is small, because the usual length of elements is not known
  /// yet.
  private static var first: Int { 256 }
  /// The assumed length of an element in the first piece, in bytes.
  private static var longest: Int { 16 << 10 }
  /// The maximum number of elements in each later piece.
  private static var most: Int { 1_024 }
  /// The maximum number of pieces that have fewer elements than requested, although more elements follow. The storage
  /// returns such a piece if it has skipped many elements. After this number of such pieces, the page ends.
  private static var mostShort: Int { 16 }

  private(set) var items: [Element] = []
  private(set) var next: String?

  /// Reads a page.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of elements; at least 1.
  ///   - size: returns the length of an element in bytes.
  ///   - fetch: reads at most `limit` elements that follow a cursor.
  /// - Throws: errors of `fetch`; 503 if the server has not enough memory.
  init(
    _ call: Call, limit: Int, cursor: String?, size: (Element) -> Int,
    fetch: (_ cursor: String?, _ limit: Int) async throws -> Page<Element>
  ) async throws {
    var (bytes, piece) = (0, min(limit, Self.first, max(call.limits.pageBytes / Self.longest, 1)))
    var short = 0
    next = cursor
    repeat {
      // Reserve memory for the elements and also for their JSON text.
      try await call.memory.grow(to: 2 * (bytes + piece * max(bytes / max(items.count, 1), 1 << 10)))
      let page = try await fetch(next, piece)
      items += page.items
      if page.items.count < piece { short += 1 }
      next = page.next
      bytes += page.items.reduce(0) { $0 + size($1) }
      let average = max(bytes / max(items.count, 1), 1)
      piece = min(limit - items.count, Self.most, max((call.limits.pageBytes - bytes) / average, 1))
    } while next != nil && piece > 0 && bytes < call.limits.pageBytes && short < Self.mostShort
  }
}

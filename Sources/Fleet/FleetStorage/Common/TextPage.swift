import FleetDomain

/// A page of a list that is sorted by a text (by its UTF-8 bytes), such as the list of gateways.
struct TextPage {
  /// The text after which the page starts; empty for the first page.
  let last: String
  private let limit: Int
  private let scope: [UInt8]
  private let key: CursorKey

  init(_ list: String, _ cursor: String?, _ limit: Int, tenant: Int32, key: CursorKey) throws(StoreFailure) {
    guard (1...RecordQuery.maximumLimit).contains(limit) else {
      throw StoreFailure(.invalidQuery, list, "limit: expected 1 to \(RecordQuery.maximumLimit), found \(limit)")
    }
    self.limit = limit
    self.key = key
    scope = Array("\(list) \(tenant)".utf8)
    guard let cursor else {
      last = ""
      return
    }
    guard let text = PageCursor.last(of: cursor, scope: scope, key: key) else {
      throw StoreFailure(.invalidCursor, "cursor", "not valid for this query; repeat the query without it")
    }
    last = text
  }

  /// Returns the page that consists of these items.
  ///
  /// - Parameter items: the items that were read: one more than the limit if the list continues after the page.
  func page<Item>(_ items: [Item], _ text: (Item) -> String) -> Page<Item> {
    guard items.count > limit else { return Page(items: items, next: nil) }
    let kept = Array(items.prefix(limit))
    return Page(items: kept, next: kept.last.map { PageCursor.text(after: text($0), scope: scope, key: key) })
  }
}

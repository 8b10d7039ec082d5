extension FleetView {
  /// Calls a closure with every page of the things that match a query, in the query's order.
  ///
  ///     try view.forEachPage(of: ThingQuery<Driver>(limit: 1_000)) { page throws(ThingError) in
  ///       for driver in page.items { … }
  ///     }
  ///
  /// - Parameters:
  ///   - query: the query. Its limit is the maximum number of things of one page.
  ///   - body: receives each page before the next one is read.
  public func forEachPage<Value: Kind>(
    of query: ThingQuery<Value>, _ body: (Page<Stored<Value>>) throws(ThingError) -> Void
  ) throws(ThingError) {
    var query = query
    repeat {
      let page = try list(query)
      try body(page)
      query.cursor = page.next
    } while query.cursor != nil
  }

  /// Returns all things that match a query, in the query's order. The query's limit is ignored.
  public func listAll<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> [Stored<Value>] {
    var query = query
    query.limit = 1_000
    var items: [Stored<Value>] = []
    try forEachPage(of: query) { page throws(ThingError) in items += page.items }
    return items
  }
}

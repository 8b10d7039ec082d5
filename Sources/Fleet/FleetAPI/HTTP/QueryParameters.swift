import FleetDomain

/// The query of a request's target, `application/x-www-form-urlencoded`.
struct QueryParameters: Sendable {
  private let pairs: [(name: String, value: String)]

  /// Parses a query.
  ///
  /// - Parameters:
  ///   - text: the query without the question mark.
  ///   - known: the names of the route's parameters; `nil` if any name is accepted and may occur several times.
  /// - Throws: 400 for the first unknown parameter, for a parameter that occurs twice, for invalid percent-encoding,
  ///   and for bytes that are not UTF-8.
  init(_ text: Substring, known: [String]?) throws(APIError) {
    var pairs: [(name: String, value: String)] = []
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decode(Substring(parts[0]), plusIsSpace: true),
        let value = PercentCoding.decode(parts.count > 1 ? Substring(parts[1]) : "", plusIsSpace: true)
      else { throw APIError.badRequest("query: \(quoted(Substring(pair))) is not percent-encoded UTF-8") }
      guard let known else {
        pairs.append((name, value))
        continue
      }
      guard known.contains(name) else {
        throw APIError.badRequest(
          "query: unknown parameter \(quoted(name)); "
            + (known.isEmpty ? "this route has none" : "known here: \(known.joined(separator: ", "))"))
      }
      if pairs.contains(where: { $0.name == name }) {
        throw APIError.badRequest("query: \(quoted(name)) given twice")
      }
      pairs.append((name, value))
    }
    self.pairs = pairs
  }

  private init(_ pairs: [(name: String, value: String)]) { self.pairs = pairs }

  /// All parameters, in their order.
  var all: [(name: String, value: String)] { pairs }

  /// Returns these parameters, changed so that they request one page of the same list in JSON: the page that begins at
  /// `cursor`, or the first page if `cursor` is `nil`.
  func page(after cursor: String?) -> QueryParameters {
    QueryParameters(
      pairs.filter { $0.name != "format" && $0.name != "cursor" } + [cursor].compactMap { $0.map { ("cursor", $0) } })
  }

  /// The value of the parameter with this name; `nil` if it is absent.
  subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }
}

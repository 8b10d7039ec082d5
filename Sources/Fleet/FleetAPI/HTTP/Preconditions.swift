import HTTPTypes

/// The conditions in a request's headers `If-Match` and `If-None-Match` (RFC 9110, 13.1.1 and 13.1.2).
struct Preconditions: Sendable {
  /// The entity tags in `If-Match`; `nil` if the request has no such header.
  let oneOf: EntityTags?
  /// The entity tags in `If-None-Match`; `nil` if the request has no such header.
  let noneOf: EntityTags?

  /// Parses the headers of a request.
  ///
  /// - Throws: 400 if a header is not a list of entity tags.
  init(_ headers: HTTPFields) throws(APIError) {
    oneOf = try headers[.ifMatch].map { field throws(APIError) in try EntityTags("If-Match", field) }
    noneOf = try headers[.ifNoneMatch].map { field throws(APIError) in try EntityTags("If-None-Match", field) }
  }

  var isEmpty: Bool { oneOf == nil && noneOf == nil }
  /// Whether one of the two headers is `*`.
  var hasAny: Bool { oneOf?.isAny ?? false || noneOf?.isAny ?? false }

  /// Whether the conditions allow a change of a thing.
  ///
  /// - Parameter present: the current entity tag; `nil` if the thing does not exist.
  func allow(changeOf present: String?) -> Bool {
    if let oneOf {
      guard let present, oneOf.stronglyMatch(present) else { return false }
    }
    if let noneOf, let present, noneOf.weaklyMatch(present) { return false }
    return true
  }

  /// Returns the error with status 412 for a change that the conditions do not allow.
  ///
  /// - Parameter present: the current entity tag; `nil` if the thing does not exist.
  static func failed(_ present: String?) -> APIError {
    APIError(
      .preconditionFailed, "changedMeanwhile",
      present.map { "it is not what the request is about: its ETag is \($0)" } ?? "there is nothing yet")
  }
}

/// The value of a condition's header: `*`, or a list of entity tags (RFC 9110, 8.8.3 and 13.1).
struct EntityTags: Sendable {
  /// Whether the header is `*`.
  let isAny: Bool
  /// The tags, including their quotes.
  private var tags: [(isWeak: Bool, tag: Substring)] = []

  /// Parses the value of a condition's header.
  ///
  /// - Parameters:
  ///   - name: the name of the header, for the text of the error.
  ///   - field: the value of the header; the values of several headers with this name are joined by commas.
  /// - Throws: 400 if the value is invalid.
  init(_ name: String, _ field: String) throws(APIError) {
    var rest = field[...]
    func skipSpace() { rest = rest.drop { $0 == " " || $0 == "\t" } }
    skipSpace()
    isAny = rest.prefix { $0 != " " && $0 != "\t" } == "*"
    if isAny {
      rest = rest.dropFirst()
      skipSpace()
      guard rest.isEmpty else { throw Self.wrong(name, field) }
      return
    }
    while !rest.isEmpty {
      // Empty elements of a list are ignored (5.6.1.2).
      if rest.first != "," {
        let isWeak = rest.hasPrefix("W/")
        if isWeak { rest = rest.dropFirst(2) }
        // A tag may contain a comma but no quote.
        guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { throw Self.wrong(name, field) }
        tags.append((isWeak, rest[...end]))
        rest = rest[rest.index(after: end)...]
      }
      skipSpace()
      guard rest.isEmpty || rest.first == "," else { throw Self.wrong(name, field) }
      rest = rest.dropFirst()
      skipSpace()
    }
    guard !tags.isEmpty else { throw Self.wrong(name, field) }
  }

  /// Whether the header shows that the client has exactly the bytes to which `tag` belongs. A weak tag never guarantees
  /// this (8.8.3.2).
  func stronglyMatch(_ tag: String) -> Bool { isAny || tags.contains { !$0.isWeak && $0.tag == tag } }

  /// Whether the list contains `tag`, as a strong or a weak tag.
  func weaklyMatch(_ tag: String) -> Bool { isAny || tags.contains { $0.tag == tag } }

  private static func wrong(_ name: String, _ field: String) -> APIError {
    .badRequest("\(name): expected * or entity tags as \"1a2b\" with commas between, found \(quoted(field))")
  }
}

import HTTPTypes

/// What a request wants to be so before it is done: `If-Match` and `If-None-Match` (RFC 9110, 13.1.1 and 13.1.2).
struct Preconditions: Sendable {
  /// Of `If-Match`; nil: there is no such header.
  let oneOf: EntityTags?
  /// Of `If-None-Match`; nil: there is no such header.
  let noneOf: EntityTags?

  /// - Throws: 400 for what is no list of entity tags.
  init(_ headers: HTTPFields) throws(APIError) {
    oneOf = try headers[.ifMatch].map { field throws(APIError) in try EntityTags("If-Match", field) }
    noneOf = try headers[.ifNoneMatch].map { field throws(APIError) in try EntityTags("If-None-Match", field) }
  }

  var isEmpty: Bool { oneOf == nil && noneOf == nil }
  /// Whether one of them is `*`.
  var hasAny: Bool { oneOf?.isAny ?? false || noneOf?.isAny ?? false }

  /// Whether what is there may be changed.
  ///
  /// - Parameter present: the entity tag of what is there; nil: nothing is.
  func allow(changeOf present: String?) -> Bool {
    if let oneOf {
      guard let present, oneOf.stronglyMatch(present) else { return false }
    }
    if let noneOf, let present, noneOf.weaklyMatch(present) { return false }
    return true
  }

  /// 412
  ///
  /// - Parameter present: the entity tag of what is there; nil: nothing is.
  static func failed(_ present: String?) -> APIError {
    APIError(
      .preconditionFailed, "changedMeanwhile",
      present.map { "it is not what the request is about: its ETag is \($0)" } ?? "there is nothing yet")
  }
}

/// `*`, or a list of entity tags (RFC 9110, 8.8.3 and 13.1).
struct EntityTags: Sendable {
  /// `*`
  let isAny: Bool
  /// Each with its quotes.
  private var tags: [(isWeak: Bool, tag: Substring)] = []

  /// - Parameters:
  ///   - name: of the header, for the error.
  ///   - field: its value; of several headers with commas between.
  /// - Throws: 400.
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
      // Empty elements of a list count for nothing (5.6.1.2).
      if rest.first != "," {
        let isWeak = rest.hasPrefix("W/")
        if isWeak { rest = rest.dropFirst(2) }
        // A comma may stand in a tag, a quote may not.
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

  /// Whether one of them says that the bytes are the same: a weak one cannot (8.8.3.2).
  func stronglyMatch(_ tag: String) -> Bool { isAny || tags.contains { !$0.isWeak && $0.tag == tag } }

  /// Whether one of them is the tag, weak or not.
  func weaklyMatch(_ tag: String) -> Bool { isAny || tags.contains { $0.tag == tag } }

  private static func wrong(_ name: String, _ field: String) -> APIError {
    .badRequest("\(name): expected * or entity tags as \"1a2b\" with commas between, found \(quoted(field))")
  }
}

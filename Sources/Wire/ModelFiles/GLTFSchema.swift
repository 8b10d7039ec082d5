import JSONText

/// Checks a JSON document against the schema of glTF 2.0.
struct GLTFSchema {
  /// The length of each array in the root object. The keys are the names of the arrays, for example `meshes`.
  private var counts: [String: Int] = [:]
  private var extensionsUsed: Set<String> = []
  /// The first extension that the document uses but does not declare; `nil` if there is none.
  private var undeclared: (place: String, name: String)?

  /// Checks a document.
  ///
  /// - Throws: the first rule that the document violates.
  static func check(_ root: JSONValue) throws(ModelError) {
    var schema = GLTFSchema()
    for member in root.members where member.value.kind == .array { schema.counts[member.key] = member.value.count }
    for name in root["extensionsUsed"]?.elements ?? root.elements { schema.extensionsUsed.insert(name.string ?? "") }
    try schema.check(root, .root, "")
    if let (place, name) = schema.undeclared {
      throw ModelError(.malformed, place, "the extension \(JSONError.quoted(name)) is not in extensionsUsed")
    }
  }

  private func wrong(_ place: String, _ expected: String, _ value: JSONValue) -> ModelError {
    ModelError(.malformed, place, "expected \(expected), found \(value.summary)")
  }

  private mutating func check(_ value: JSONValue, _ rule: GLTFRule, _ place: String) throws(ModelError) {
    switch rule {
    case .any: break
    case .flag: guard value.kind == .bool else { throw wrong(place, "true or false", value) }
    case .text: guard value.kind == .string else { throw wrong(place, "text", value) }
    case .version:
      let parts = (value.string ?? "").split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2,
        parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
      else { throw wrong(place, "a version such as \"2.0\"", value) }
    case .link(let array):
      guard let index = value.int, index >= 0 else { throw wrong(place, "an index of \(array)", value) }
      guard index < counts[array] ?? 0 else {
        throw ModelError(
          .reference, place, "expected an index of \(array), of which there are \(counts[array] ?? 0), found \(index)")
      }
    case .integer(let range):
      guard let number = value.int, range.contains(number) else {
        throw wrong(
          place, range.lowerBound == .min ? "an integer" : "an integer of at least \(range.lowerBound)", value)
      }
    case .multiple(let factor, let range):
      guard let number = value.int, range.contains(number), number % factor == 0 else {
        throw wrong(place, "a multiple of \(factor) from \(range.lowerBound) to \(range.upperBound)", value)
      }
    case .number(let range):
      guard let number = value.double, range.contains(number) else {
        throw wrong(place, range == JSONValue.finite ? "a number" : "a number in the allowed range", value)
      }
    case .numberAbove(let limit):
      guard let number = value.double, number > limit, number.isFinite else {
        throw wrong(place, "a number above \(limit)", value)
      }
    case .list(let rule, let range, let isUnique):
      guard value.kind == .array else { throw wrong(place, "an array", value) }
      guard range.contains(value.count) else {
        throw ModelError(
          .malformed, place,
          "expected \(range.count == 1 ? "\(range.lowerBound)" : "at least \(range.lowerBound)") elements, found \(value.count)"
        )
      }
      try elements(value, rule, isUnique, place)
    case .map(let rule):
      guard value.kind == .object else { throw wrong(place, "an object", value) }
      guard value.count > 0 else { throw ModelError(.malformed, place, "expected at least one member") }
      for member in value.members { try check(member.value, rule, "\(place).\(member.key)") }
    case .object(let known): try object(value, known, place)
    }
  }

  private mutating func elements(
    _ value: JSONValue, _ rule: GLTFRule, _ isUnique: Bool, _ place: String
  ) throws(ModelError) {
    var seen: Set<String> = []
    for (index, element) in value.elements.enumerated() {
      let here = "\(place)[\(index)]"
      try check(element, rule, here)
      guard isUnique else { continue }
      guard seen.insert(element.string ?? element.numberText ?? "").inserted else {
        throw ModelError(.malformed, here, "\(element.summary) is in the array twice")
      }
    }
  }

  private mutating func object(_ value: JSONValue, _ known: [GLTFMember], _ place: String) throws(ModelError) {
    guard value.kind == .object else { throw wrong(place.isEmpty ? "the document" : place, "an object", value) }
    let prefix = place.isEmpty ? "" : place + "."
    var found = 0
    for member in value.members {
      let key = member.key
      // Unknown members are allowed, and ignored.
      if let rule = known.first(where: { $0.key == key }) {
        if rule.isRequired { found += 1 }
        try check(member.value, rule.rule, prefix + key)
      } else if key == "extensions" {
        guard member.value.kind == .object else { throw wrong(prefix + key, "an object", member.value) }
        for entry in member.value.members {
          guard entry.value.kind == .object else {
            throw wrong("\(prefix)extensions.\(entry.key)", "an object", entry.value)
          }
          if !extensionsUsed.contains(entry.key), undeclared == nil { undeclared = (prefix + key, entry.key) }
        }
      }
    }
    guard found < known.count(where: \.isRequired) else { return }
    for member in known where member.isRequired && value[member.key] == nil {
      throw ModelError(.malformed, place, "expected the member \(member.key)")
    }
  }
}

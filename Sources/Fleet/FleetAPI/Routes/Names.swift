import FleetDomain
import JSONText

/// Reads names and other texts that clients choose.
public enum Names {
  /// The maximum length of a token's label in bytes.
  public static let maximumLabelCount = 256

  /// Returns the description of the rule of ``isText(_:limit:)``, for messages.
  public static func textRule(_ limit: Int) -> String { "1 to \(limit) bytes \(NameRules.visibleRule)" }

  /// Whether a text has 1 to `limit` bytes of visible characters.
  public static func isText(_ text: String, limit: Int) -> Bool {
    (1...limit).contains(text.utf8.count) && NameRules.isVisible(text)
  }

  /// Reads a required name.
  static func required(_ reader: inout JSONObjectReader, _ key: String) throws(JSONError) -> String {
    try name(try reader.required(key))
  }

  /// Reads a list of names; `nil` if it is absent.
  static func list(_ reader: inout JSONObjectReader, _ key: String, most: Int) throws(JSONError) -> [String]? {
    guard let value = reader.optional(key) else { return nil }
    var names: [String] = []
    for element in try value.requireArray() { names.append(try name(element)) }
    guard names.count <= most else { throw value.invalid(expected: "at most \(most) names", found: "\(names.count)") }
    guard Set(names).count == names.count else { throw value.invalid(expected: "no name twice", found: "one") }
    return names
  }

  /// Skips a key that only the server sets. Thus a client can send an answer of the server back together with a change.
  ///
  /// - Parameters:
  ///   - id: the value that `id` must have if it is present; `nil` for any value.
  ///   - keys: other keys whose values are ignored.
  static func skipValue(_ reader: inout JSONObjectReader, id: String?, _ keys: [String]) throws(JSONError) {
    if let value = reader.optional("id"), let id {
      guard try name(value) == id else { throw value.invalid(expected: "\(quoted(id)), which cannot be changed") }
    }
    for key in keys { reader.ignore(key) }
  }

  /// Reads a text; `nil` if it is absent.
  static func text(_ reader: inout JSONObjectReader, _ key: String, limit: Int = 256) throws(JSONError) -> String? {
    guard let value = reader.optional(key) else { return nil }
    let text = try value.requireString()
    guard isText(text, limit: limit) else { throw value.invalid(expected: textRule(limit)) }
    return text
  }

  private static func name(_ value: JSONValue) throws(JSONError) -> String {
    let text = try value.requireString()
    guard NameRules.isName(text) else { throw value.invalid(expected: NameRules.expectedName) }
    return text
  }
}

import FleetDomain
import JSONText

/// Reads names and other texts from the bodies of requests.
public enum Names {
  /// The maximum length of a token's label in bytes.
  public static let maximumLabelCount = 256

  /// Returns a description of the texts that ``isText(_:limit:)`` accepts, for messages.
  public static func textRule(_ limit: Int) -> String { "1 to \(limit) bytes \(NameRules.visibleRule)" }

  /// Whether a text consists of visible characters and has 1 to `limit` bytes.
  public static func isText(_ text: String, limit: Int) -> Bool {
    (1...limit).contains(text.utf8.count) && NameRules.isVisible(text)
  }

  /// Reads the name of a new thing under a key that must be present.
  static func new(_ reader: inout JSONObjectReader, _ key: String) throws(JSONError) -> String {
    let value = try reader.required(key)
    let text = try value.requireString()
    guard NameRules.isNewName(text) else { throw value.invalid(expected: NameRules.expectedNewName) }
    return text
  }

  /// Reads the list of names under a key; `nil` if the key is absent.
  ///
  /// - Parameter most: the maximum number of names.
  static func list(_ reader: inout JSONObjectReader, _ key: String, most: Int) throws(JSONError) -> [String]? {
    guard let value = reader.optional(key) else { return nil }
    var names: [String] = []
    for element in try value.requireArray() { names.append(try name(element)) }
    guard names.count <= most else { throw value.invalid(expected: "at most \(most) names", found: "\(names.count)") }
    guard Set(names).count == names.count else { throw value.invalid(expected: "no name twice", found: "one") }
    return names
  }

  /// Skips keys that only the server sets. Therefore a client can change an object that the server has sent, and send
  /// it back.
  ///
  /// - Parameters:
  ///   - id: the value that the key `id` must have if it is present; `nil` for any value.
  ///   - keys: other keys whose values are ignored.
  static func skipValue(_ reader: inout JSONObjectReader, id: String?, _ keys: [String]) throws(JSONError) {
    if let value = reader.optional("id"), let id {
      guard try name(value) == id else { throw value.invalid(expected: "\(quoted(id)), which cannot be changed") }
    }
    for key in keys { reader.ignore(key) }
  }

  /// Reads the text under a key; `nil` if the key is absent.
  ///
  /// - Parameter limit: the maximum length in bytes.
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

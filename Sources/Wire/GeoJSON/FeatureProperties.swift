import Geofencing
import JSONText

/// The properties of a feature that describe a geofence, except its geometry.
struct FeatureProperties {
  let fence: Fence
  /// The JSON value of the ID. Error messages name its position in the file.
  let idValue: JSONValue
  /// The JSON value of the radius in m, which is not checked yet; `nil` if missing.
  let radius: JSONValue?
  /// The feature's properties, or the feature itself if it has none. If a required property is missing, the error
  /// message names the position of this JSON object.
  let place: JSONValue

  private static let known = [
    "id", "name", "notifyOnEntry", "notifyOnExit", "dwellSeconds", "speedLimit", "radius",
  ]

  init(_ feature: JSONValue) throws(JSONError) {
    let properties = feature["properties"]
    if let properties, !properties.isNull, properties.kind != .object {
      throw properties.invalid(expected: "an object")
    }
    place = properties?.kind == .object ? properties ?? feature : feature
    if let properties { try Self.refuseMisspelt(properties) }
    func value(_ key: String) -> JSONValue? {
      guard let value = properties?[key], !value.isNull else { return nil }
      return value
    }
    guard let idValue = value("id") ?? feature["id"] else { throw place.error(.missingKey("id")) }
    self.idValue = idValue
    radius = value("radius")
    var fence = Fence(id: try Self.id(idValue))
    if let name = value("name") { fence.name = try Self.text(name, limit: 1024) }
    fence.notifyOnEntry = try value("notifyOnEntry")?.requireBool() ?? true
    fence.notifyOnExit = try value("notifyOnExit")?.requireBool() ?? true
    if let dwell = value("dwellSeconds") {
      fence.dwell = Int64((try dwell.requireDouble(in: 0...31_536_000) * 1e9).rounded())
    }
    if let limit = value("speedLimit") {
      let speed = try limit.requireDouble(in: 0...1000)
      guard speed > 0 else { throw limit.invalid(expected: "km/h above 0") }
      fence.speedLimit = speed
    }
    self.fence = fence
  }

  /// Reads an ID, which may be a string or a number (RFC 7946, section 3.2).
  private static func id(_ value: JSONValue) throws(JSONError) -> String {
    if value.kind == .number { return value.numberText ?? "" }
    guard value.kind == .string else { throw value.invalid(expected: "a string or a number as id") }
    return try text(value, limit: 256)
  }

  private static func text(_ value: JSONValue, limit: Int) throws(JSONError) -> String {
    let text = try value.requireString()
    guard !text.isEmpty, text.utf8.count <= limit else {
      throw value.invalid(expected: "a text of 1 to \(limit) bytes")
    }
    return text
  }

  /// Rejects keys that differ from a known key only by case, `_` or `-`. If `notify_on_exit` were ignored, the fence
  /// would report more than intended.
  private static func refuseMisspelt(_ properties: JSONValue) throws(JSONError) {
    for member in properties.members where !known.contains(where: { member.hasKey($0) }) {
      let letters = plain(member.key)
      guard let meant = known.first(where: { plain($0) == letters }) else { continue }
      throw member.keyValue.invalid(
        expected: "the property as \(JSONError.quoted(meant))", found: JSONError.quoted(member.key))
    }
  }

  private static func plain(_ key: String) -> String { key.lowercased().filter { $0 != "_" && $0 != "-" } }
}

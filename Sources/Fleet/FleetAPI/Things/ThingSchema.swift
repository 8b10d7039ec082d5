import FleetDomain

/// Generates the schemas of a kind in `openapi.json` from the fields of the kind.
enum ThingSchema {
  /// Returns the schemas of a kind, as members of a JSON object: the thing (`Person`), the object that creates a thing
  /// (`NewPerson`), a change (`PersonChange`), and a page of a list (`PersonList`).
  ///
  /// - Parameters:
  ///   - derived: the derived fields of the kind's routes.
  ///   - added: further keys that the answers of these routes contain, with their schemas.
  static func members<Value: Kind>(
    of kind: Value.Type, derived: [DerivedField<Value>] = [], added: [(key: String, schema: String)] = []
  ) -> String {
    let name = name(of: kind)
    let shown = kind.fields.filter { $0.access != .hidden }
    let set = shown.filter { $0.access == .client || $0.access == .creation }
    let changed = shown.filter { $0.access == .client }
    func properties(_ fields: [Field<Value>], _ derived: [DerivedField<Value>]) -> [(key: String, schema: String)] {
      fields.flatMap { field in field.keys.map { ($0, field.schema) } }
        + derived.filter { part in !fields.contains { $0.key == part.key } }.map { ($0.key, $0.schema) }
    }
    let id = shown.contains { $0.key == "id" } ? "" : #""id":\#(UUIDv7Schema.text),"#
    let head = #"\#(id)"createdAt":\#(time),"updatedAt":\#(time)"#
    let required = ["createdAt", "updatedAt"] + shown.filter { !$0.isOptional }.map(\.key) + (id.isEmpty ? [] : ["id"])
    // Clients may also send keys that only the server sets, because they copy them from an answer. These keys are
    // ignored.
    let written = properties(set, []) + derived.map { ($0.key, $0.isSettable ? $0.schema : "{}") }
    let patched = properties(changed, []) + derived.map { ($0.key, $0.isSettable ? $0.schema : "{}") }
    return [
      object(name, required: required, head: head, properties(shown, derived) + added, isStrict: false),
      object("New" + name, required: set.filter(\.isRequired).map(\.key), head: nil, written, isStrict: true),
      object(name + "Change", required: [], head: nil, patched, isStrict: true),
      "\"\(name)List\":" + ##"{"type":"object","required":["data"],"additionalProperties":false,"properties":{"##
        + ##""data":{"type":"array","items":{"$ref":"#/components/schemas/\##(name)"}},"next":{"type":"string"},"##
        + ##""count":{"description":"The number of things on all pages; with the parameter `count`.","type":"integer"},"##
        + ##""unreadable":{"description":"Things that are left out because they cannot be read, and why.","##
        + ##""type":"array","items":{"type":"string"}}}}"##,
    ].joined(separator: ",")
  }

  /// Returns the schema of the object that replaces a thing (`VehicleDetails`). The object may also contain keys that
  /// only the server sets; these are ignored.
  static func details<Value: Kind>(of kind: Value.Type, derived: [DerivedField<Value>] = []) -> String {
    let shown = kind.fields.filter { $0.access != .hidden }
    let properties =
      shown.flatMap { field in field.keys.map { ($0, field.access == .client ? field.schema : "{}") } }
      + derived.filter { part in !shown.contains { $0.key == part.key } }.map { ($0.key, "{}") }
      + ["createdAt", "updatedAt"].map { ($0, "{}") }
    return object(name(of: kind) + "Details", required: [], head: nil, properties, isStrict: true)
  }

  /// Returns the name of the schema of a kind, for example `Person`.
  static func name<Value: Kind>(of kind: Value.Type) -> String {
    kind.names.one.prefix(1).uppercased() + kind.names.one.dropFirst()
  }

  private static let time = #"{"type":"string","format":"date-time"}"#

  private static func object(
    _ name: String, required: [String], head: String?, _ properties: [(key: String, schema: String)], isStrict: Bool
  ) -> String {
    let members = ([head].compactMap { $0 } + properties.map { "\"\($0.key)\":\($0.schema)" }).joined(separator: ",")
    let names = required.map { "\"\($0)\"" }.joined(separator: ",")
    return "\"\(name)\":{\"type\":\"object\"" + (required.isEmpty ? "" : ",\"required\":[\(names)]")
      + (isStrict ? ",\"additionalProperties\":false" : "") + ",\"properties\":{\(members)}}"
  }

  private enum UUIDv7Schema {
    static let text = #"{"type":"string","format":"uuid"}"#
  }
}

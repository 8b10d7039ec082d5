import FleetDomain

/// The schemas of a kind in `openapi.json`, from its fields.
enum ThingSchema {
  /// Members of the components: the thing (`Person`), what makes one (`NewPerson`), a change (`PersonChange`), and a page
  /// (`PersonList`).
  static func members<Value: Kind>(of kind: Value.Type) -> String {
    let name = name(of: kind)
    let shown = kind.fields.filter { $0.access != .hidden }
    let set = shown.filter { $0.access == .client || $0.access == .creation }
    let changed = shown.filter { $0.access == .client }
    let head = #""id":\#(UUIDv7Schema.text),"createdAt":\#(time),"updatedAt":\#(time)"#
    let required = ["id", "createdAt", "updatedAt"] + shown.filter { !$0.isOptional }.map(\.key)
    return [
      object(name, required: required, head: head, shown.map { ($0.key, $0.schema) }, isStrict: false),
      object(
        "New" + name, required: set.filter(\.isRequired).map(\.key), head: nil, set.map { ($0.key, $0.schema) },
        isStrict: true),
      object(name + "Change", required: [], head: nil, changed.map { ($0.key, $0.schema) }, isStrict: true),
      "\"\(name)List\":" + ##"{"type":"object","required":["data"],"additionalProperties":false,"properties":{"##
        + ##""data":{"type":"array","items":{"$ref":"#/components/schemas/\##(name)"}},"next":{"type":"string"}}}"##,
    ].joined(separator: ",")
  }

  /// `Person`
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

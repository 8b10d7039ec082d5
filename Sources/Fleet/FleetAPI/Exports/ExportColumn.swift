import FleetDomain
import JSONText

/// A column of a list that is exported as a file. It contains one value of each element of the list.
struct ExportColumn: Equatable, Sendable {
  /// The keys that lead to the value in an element of the list, from the outside in; for example `amount`, `currency`.
  let path: [String]

  /// The column's header, for example `amount.currency`.
  var name: String { path.joined(separator: ".") }

  /// The column that contains all members of an element for which there is no separate column.
  static let more = ExportColumn(path: ["more"])
}

/// The columns of lists, derived from the schemas of the lists' elements in `openapi.json`. Those schemas are generated
/// from the fields of the kinds. Therefore each field of a kind has a column.
struct ExportColumns: Sendable {
  /// The columns of the lists of `openapi.json`, which all servers of a process share.
  static let described = Result { () throws(JSONError) in try ExportColumns(schemas: OpenAPIDocument.schemas) }

  /// The columns of each list, by the name of the list's schema.
  private let lists: [String: [ExportColumn]]

  /// Creates the columns of all lists.
  ///
  /// - Parameter schemas: the components of `openapi.json`, as a JSON object.
  init(schemas text: [UInt8]) throws(JSONError) {
    let document = try JSONDocument(parsing: text)
    var lists: [String: [ExportColumn]] = [:]
    for member in document.root.members where member.key.hasSuffix("List") {
      guard let element = document.root[member.key]?["properties"]?["data"]?["items"] else { continue }
      var columns: [ExportColumn] = []
      Self.add(element, [], document.root, to: &columns)
      // Records may have keys that are not in their schema.
      if Self.isOfRecords(element) { columns.append(.more) }
      lists[member.key] = columns
    }
    self.lists = lists
  }

  /// Returns the columns of a list; `nil` if `openapi.json` has no schema of the list's elements.
  ///
  /// - Parameter fields: the record's keys to include in addition to `id` and `timestamp`, separated by commas; `nil`
  ///   for all keys.
  func columns(of schema: String, fields: String?) -> [ExportColumn]? {
    guard let columns = lists[schema] else { return nil }
    guard let fields else { return columns }
    let names = ["id", "timestamp"] + fields.split(separator: ",").map { String($0.drop { $0 == " " }) }
    var unique: [String] = []
    for name in names where !unique.contains(name) { unique.append(name) }
    return unique.map { ExportColumn(path: [$0]) }
  }

  private static let reference = "#/components/schemas/"

  private static func add(
    _ schema: JSONValue, _ path: [String], _ root: JSONValue, to columns: inout [ExportColumn]
  ) {
    if let name = schema["$ref"]?.string, name.hasPrefix(reference),
      let found = root[String(name.dropFirst(reference.count))]
    {
      add(found, path, root, to: &columns)
    } else if let choices = schema["oneOf"] ?? schema["anyOf"], path.isEmpty {
      for choice in choices.elements { add(choice, path, root, to: &columns) }
    } else if let object = optionalObject(schema, root), path.count < 2 {
      add(object, path, root, to: &columns)
    } else if let properties = schema["properties"], path.count < 2 {
      for member in properties.members {
        guard let property = properties[member.key] else { continue }
        add(property, path + [member.key], root, to: &columns)
      }
    } else if !path.isEmpty {
      let column = ExportColumn(path: path)
      if !columns.contains(column) { columns.append(column) }
    }
  }

  /// Returns the schema of an object that may be `null`; `nil` if the schema is not of this form.
  private static func optionalObject(_ schema: JSONValue, _ root: JSONValue) -> JSONValue? {
    guard let choices = (schema["anyOf"]?.elements).map(Array.init), choices.count == 2,
      let object = choices.first(where: { $0["type"]?.string != "null" }),
      choices.contains(where: { $0["type"]?.string == "null" })
    else { return nil }
    let name = object["$ref"]?.string.map { String($0.dropFirst(reference.count)) }
    return (name.flatMap { root[$0] } ?? object)["properties"] == nil ? nil : object
  }

  private static func isOfRecords(_ element: JSONValue) -> Bool {
    if let name = element["$ref"]?.string { return name.hasSuffix("Record") }
    guard let choices = element["oneOf"] ?? element["anyOf"] else { return false }
    for choice in choices.elements where choice["$ref"]?.string?.hasSuffix("Record") != true { return false }
    return true
  }
}

extension ExportCell {
  /// Creates a cell from a JSON value. An array that contains only texts becomes these texts, separated by `; `.
  /// Objects and all other arrays become JSON text.
  init(_ json: JSON) {
    switch json {
    case .null: self = .empty
    case .bool(let flag): self = .flag(flag)
    case .integer, .number: self = .number(json.canonicalText)
    case .text(let text): self = .text(text)
    case .array(let elements):
      let texts = elements.compactMap(\.textValue)
      self = .text(texts.count == elements.count ? texts.joined(separator: "; ") : json.canonicalText)
    case .object: self = .text(json.canonicalText)
    }
  }
}

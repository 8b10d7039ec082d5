/// A value that is part of a thing and has fields of its own, for example a line of a maintenance record.
///
///     struct Line: NestedValue {
///       var text = ""
///       var cost: Money?
///
///       static let fields = [
///         Field<Line>("text", \.text, TextRules.shown).required(),
///         Field<Line>("cost", \.cost),
///       ]
///     }
///
/// The value is stored as JSON in the column of the thing's field. Therefore, its own fields cannot be filtered, sorted
/// or text-searched.
public protocol NestedValue: Described, FieldValue {
  /// Checks rules that concern several fields of a value that a client sent.
  func check() throws(FieldError)
}

extension NestedValue {
  public static var type: FieldType { .json }
  public static var ignoredKeys: [String] { [] }

  public static var schema: String {
    let shown = fields.filter { $0.access != .hidden }
    let required = shown.filter { $0.isRequired && $0.alias == nil }.map { "\"\($0.key)\"" }.joined(separator: ",")
    let properties = shown.flatMap { field in field.keys.map { "\"\($0)\":\(field.schema)" } }.joined(separator: ",")
    return #"{"type":"object","# + (required.isEmpty ? "" : #""required":[\#(required)],"#)
      + #""additionalProperties":false,"properties":{\#(properties)}}"#
  }

  public func check() throws(FieldError) {}

  public init(json: JSON) throws(FieldError) {
    guard case .object(let members) = json else { throw FieldError("", "expected an object, found \(json.summary)") }
    self.init()
    for field in Self.fields {
      if let value = members[field.key] { try field.load(value, &self) }
    }
  }

  public var json: JSON {
    var members: [String: JSON] = [:]
    for field in Self.fields {
      let json = field.json(self)
      if json != .null { members[field.key] = json }
    }
    return .object(members)
  }

  public static func merged(patch: JSON, into old: JSON) -> JSON {
    guard enteredField != nil, case .object(var members) = patch else { return patch.merged(into: old) }
    // The errors are reported when the merged value is read.
    var errors: [FieldError] = []
    resolve(&members, old: old, &errors)
    return JSON.object(members).merged(into: old)
  }

  public static func parsed(client json: JSON) throws(FieldErrors) -> Self {
    let value = try Self(client: json)
    do throws(FieldError) {
      try value.check()
    } catch {
      throw FieldErrors([error])
    }
    return value
  }
}

import JSONText

/// The numbers and units that a person entered for some fields of a thing. The fields themselves have the converted
/// values.
///
///     {"odometer":74512.6,"entered":{"odometer":{"value":46300,"unit":"mi"}}}
///
/// A client may send the entered amount, the converted value, or both if they agree. If a client later changes the
/// field without an entered amount, the old entered amount is removed.
public struct EnteredAmounts: Equatable, Sendable {
  /// A number with its unit.
  public struct Amount: NestedValue, Hashable {
    public var value = 0.0
    public var unit = MeasureUnit.kilometer

    public init() {}

    public static let fields: [Field<Amount>] = [
      Field("value", \.value).required(), Field("unit", \.unit).required(),
    ]

    /// The number in the unit in which the quantity is stored, rounded to thousandths.
    public var converted: Double {
      unit.factor == 1 ? value : (value * unit.factor * 1_000).rounded() / 1_000
    }
  }

  /// The amounts. The keys are the keys of the fields.
  private var amounts: [String: Amount] = [:]

  public init() {}

  public subscript(key: String) -> Amount? {
    get { amounts[key] }
    set { amounts[key] = newValue }
  }

  /// Returns the JSON Schema of the amounts of some fields.
  public static func schema(of fields: [(key: String, measure: Measure)]) -> String {
    let properties = fields.map { field in
      let units = field.measure.units.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
      return "\"\(field.key)\":{\"anyOf\":[{\"type\":\"object\",\"required\":[\"value\",\"unit\"],"
        + "\"additionalProperties\":false,\"properties\":{\"value\":{\"type\":\"number\"},"
        + "\"unit\":{\"type\":\"string\",\"enum\":[\(units)]}}},{\"type\":\"null\"}]}"
    }.joined(separator: ",")
    return #"{"type":"object","additionalProperties":false,"properties":{\#(properties)}}"#
  }
}

extension EnteredAmounts: FieldValue {
  public static var type: FieldType { .json }
  public static var schema: String { #"{"type":"object"}"# }
  public static var isOptional: Bool { true }

  public init(json: JSON) throws(FieldError) {
    guard json != .null else { return }
    guard case .object(let members) = json else { throw FieldError("", "expected an object, found \(json.summary)") }
    for (key, value) in members where value != .null {
      do throws(FieldError) {
        amounts[key] = try Amount(json: value)
      } catch {
        throw error.inside(key)
      }
    }
  }

  public var json: JSON { amounts.isEmpty ? .null : .object(amounts.mapValues(\.json)) }

  /// Merges two versions that are both derived from `base`, key by key. If both versions changed the same key, the
  /// value of `theirs` is used. The conflict is still reported, because both versions have then also changed the field
  /// with this key.
  static func merged(base: JSON, mine: JSON, theirs: JSON) -> JSON {
    func members(_ json: JSON) -> [String: JSON] { if case .object(let members) = json { members } else { [:] } }
    let (base, mine, theirs) = (members(base), members(mine), members(theirs))
    var merged = theirs
    for key in Set(base.keys).union(mine.keys) where mine[key] != base[key] && theirs[key] == base[key] {
      merged[key] = mine[key]
    }
    return merged.isEmpty ? .null : .object(merged)
  }
}

extension Described {
  /// The field with the amounts as people entered them; `nil` if the type has none.
  static var enteredField: Field<Self>? { fields.first { $0.isEntered } }

  /// Completes the members of an object that a client sent: converts each entered amount to the value of its field. If
  /// a field gets a new value without an entered amount, marks its old entered amount for removal.
  ///
  /// - Parameters:
  ///   - old: the values before the change; `null` if the thing is new.
  ///   - errors: receives an error for each amount that is invalid, or disagrees with the value of its field.
  static func resolve(_ members: inout [String: JSON], old: JSON, _ errors: inout [FieldError]) {
    guard let entered = enteredField else { return }
    let measured = fields.filter { $0.measure != nil }
    var given: [String: JSON] = [:]
    switch members[entered.key] {
    case .object(let amounts)?: given = amounts
    case .null?, nil: break
    // The error is reported when the field is read.
    case _?: return
    }
    for key in given.keys.sorted() where !measured.contains(where: { $0.key == key }) {
      errors.append(
        FieldError("\(entered.key).\(key)", JSONError.unknownKeyReason(key, among: measured.map(\.key))))
    }
    for field in measured {
      guard let json = given[field.key], json != .null else {
        if given[field.key] == nil, let value = members[field.key], value != old[field.key] ?? .null {
          given[field.key] = .null
        }
        continue
      }
      do throws(FieldErrors) {
        let amount = try EnteredAmounts.Amount.parsed(client: json)
        guard let measure = field.measure, amount.unit.measure == measure else {
          let units = field.measure?.units.map { "\"\($0.rawValue)\"" }.joined(separator: ", ") ?? ""
          throw FieldErrors([FieldError("unit", "expected \(units), found \"\(amount.unit.rawValue)\"")])
        }
        if let value = members[field.key]?.numberValue, abs(value - amount.converted) > 0.0006 {
          throw FieldErrors([
            FieldError("value", "expected the amount of \(field.key), \(JSON.number(value).canonicalText), in its unit")
          ])
        }
        members[field.key] = amount.converted.json
      } catch {
        errors += error.inside(field.key).inside(entered.key).all
      }
    }
    if !given.isEmpty { members[entered.key] = .object(given) }
  }
}

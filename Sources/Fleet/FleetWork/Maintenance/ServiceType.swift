import FleetDomain
import Telemetry

/// A type of service or repair: a built-in one, or a tenant's own.
public struct ServiceType: Kind {
  /// The types that every tenant has.
  public static let builtIn: [(code: String, name: String)] = [
    ("oilChange", "Oil change"), ("tireRotation", "Tire rotation"), ("brakeService", "Brake service"),
    ("inspection", "Inspection"), ("repair", "Repair"), ("other", "Other"),
  ]

  /// The name of the type in schedules and records, unique within the tenant.
  public var code = ""
  public var name = ""
  public var isBuiltIn = false
  public var notes: String?

  public init() {}

  public static let names = KindNames(one: "serviceType", many: "service-types")
  public static let fields: [Field<ServiceType>] = [
    Field("code", \.code) { code throws(FieldError) in
      let isCode = code.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
      guard (1...64).contains(code.utf8.count), isCode else {
        throw FieldError("", "expected 1 to 64 of A-Z, a-z, 0-9, - and _")
      }
    }.required().settable(by: .creation).filterable().sortable().textSearched(),
    Field("name", \.name, TextRules.shown).required().sortable().textSearched(),
    Field("builtIn", \.isBuiltIn).settable(by: .server).filterable(),
    Field("notes", \.notes, TextRules.long),
  ]
}

extension FleetView {
  /// Checks that a type of service exists.
  ///
  /// - Throws: `invalid` with the field `serviceType`.
  public func require(serviceType code: String) throws(ThingError) {
    guard !ServiceType.builtIn.contains(where: { $0.code == code }) else { return }
    guard try first(ThingQuery<ServiceType>(.oneOf(key: "code", [.text(code)]))) != nil else {
      throw .invalid(
        FieldErrors([FieldError("serviceType", "no service type \(JSON.text(code).canonicalText); see service-types")]))
    }
  }
}

extension FleetTransaction {
  /// Adds the built-in types of service that the tenant does not have yet.
  public func addServiceTypes() throws(ThingError) {
    let known = try values(["code"], ThingQuery<ServiceType>()).map { $0[0].textValue }
    for (code, name) in ServiceType.builtIn where !known.contains(code) {
      var type = ServiceType()
      (type.code, type.name, type.isBuiltIn) = (code, name, true)
      try insert(type)
    }
  }
}

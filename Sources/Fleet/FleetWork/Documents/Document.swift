import FleetDomain
import Telemetry

/// A document about a thing, such as a registration, an insurance policy, a licence or a receipt.
public struct Document: WorkThing {
  public enum Category: String, FieldChoice, Sendable {
    case registration, insurance, licence, permit, invoice, receipt, photo, model, other
  }

  /// The thing to which a document belongs.
  public struct Subject: NestedValue {
    public enum Kind: String, FieldChoice, Sendable {
      case vehicle, driver, expense, fuelEntry, inspection, journey
    }

    public var kind = Kind.vehicle
    /// The id of the thing.
    public var id = ""

    public init() {}

    public init(_ kind: Kind, _ id: String) { (self.kind, self.id) = (kind, id) }

    public static let fields: [Field<Subject>] = [
      Field("kind", \.kind).required(),
      Field("id", \.id) { id throws(FieldError) in
        guard NameRules.isName(id) else { throw FieldError("", "expected \(NameRules.expectedName)") }
      }.required(),
    ]
  }

  public var subject = Subject()
  /// The vehicle of the thing to which the document belongs; `nil` if the thing has none.
  public var vehicleID: String?
  /// The driver of the thing to which the document belongs; `nil` if the thing has none.
  public var driverID: UUIDv7?
  public var category = Category.other
  public var title: String?
  /// The number of the document, for example of an insurance policy.
  public var number: String?
  public var issuedOn: CalendarDate?
  /// The last day on which the document is valid.
  public var expiresOn: CalendarDate?
  public var files = FileIDs()
  public var notes: String?

  public init() {}

  public var usedFiles: [UUIDv7] { files.ids }

  public static let names = KindNames(one: "document", many: "documents")
  public static let fields: [Field<Document>] = [
    Field("of", \.subject).required().settable(by: .creation),
    Field("vehicleId", \.vehicleID).settable(by: .server).filterable(as: "vehicle"),
    Field("driverId", \.driverID).settable(by: .server).filterable(as: "driver"),
    Field("kind", \.category).required().filterable().sortable(),
    Field("title", \.title, TextRules.short(200)).sortable().textSearched(),
    Field("number", \.number, TextRules.short(100)).textSearched(),
    Field("issuedOn", \.issuedOn).sortable(),
    Field("expiresOn", \.expiresOn).sortable(),
    Field("fileIds", \.files),
    Field("notes", \.notes, TextRules.long).textSearched(),
  ]
}

extension FleetTransaction {
  /// Checks a new or changed document. For a new one, sets the vehicle and the driver to those of the thing to which it
  /// belongs.
  ///
  /// - Throws: `invalid`.
  public func check(_ new: inout Document, old: Stored<Document>?) throws(ThingError) {
    if old == nil { (new.vehicleID, new.driverID) = try references(of: new.subject) }
    if let issued = new.issuedOn, let expires = new.expiresOn, expires < issued {
      throw .invalid(FieldErrors([FieldError("expiresOn", "expected a day not before issuedOn")]))
    }
  }

  private func references(of subject: Document.Subject) throws(ThingError) -> (vehicle: String?, driver: UUIDv7?) {
    switch subject.kind {
    case .vehicle:
      if let vehicle = try vehicle(named: subject.id), vehicle.value.id == subject.id { return (subject.id, nil) }
    case .driver:
      if let id = UUIDv7(subject.id.utf8.span), try find(id, Driver.self) != nil { return (nil, id) }
    case .expense: if let found = try references(of: subject.id, Expense.self) { return found }
    case .fuelEntry: if let found = try references(of: subject.id, FuelEntry.self) { return found }
    case .inspection: if let found = try references(of: subject.id, Inspection.self) { return found }
    case .journey: if let found = try references(of: subject.id, Journey.self) { return found }
    }
    throw .invalid(
      FieldErrors([FieldError("of.id", "no \(subject.kind.rawValue) \(JSON.text(subject.id).canonicalText)")]))
  }

  private func references<Value: WorkThing>(
    of text: String, _ kind: Value.Type
  ) throws(ThingError) -> (vehicle: String?, driver: UUIDv7?)? {
    guard let id = UUIDv7(text.utf8.span), let thing = try find(id, kind) else { return nil }
    return (thing.value.vehicleID, thing.value.driverID)
  }
}

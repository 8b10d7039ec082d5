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
      case vehicle, driver, fleet, assignment, journey, expense, fuelEntry, inspection, defect, maintenanceRecord
      case serviceSchedule
    }

    public var kind = Kind.vehicle
    /// The id of the thing.
    public var id = ""

    public init() {}

    public init(_ kind: Kind, _ id: String) { (self.kind, self.id) = (kind, id) }

    /// Returns the subjects that match a filter: `vehicle:VAN-1`, or `VAN-1` for a thing of any kind with this id.
    /// Returns `nil` if the filter is invalid.
    @Sendable static func filter(_ text: String) -> [JSON]? {
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      if parts.count == 2, let kind = Kind(rawValue: parts[0]) {
        return NameRules.isName(parts[1]) ? [Subject(kind, parts[1]).json] : nil
      }
      return NameRules.isName(text) ? Kind.allCases.map { Subject($0, text).json } : nil
    }

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
  /// The number of the document, for example of an insurance policy; `nil` if unknown.
  public var number: String?
  public var issuedOn: CalendarDate?
  /// The last day on which the document is valid; `nil` if unknown.
  public var expiresOn: CalendarDate?
  public var files = FileIDs()
  public var notes: String?

  public init() {}

  public var usedFiles: [UUIDv7] { files.ids }

  /// The first file. Setting it replaces the first file; setting it to `nil` changes nothing.
  var firstFile: FirstFile {
    get { FirstFile(id: files.ids.first) }
    set {
      guard let id = newValue.id, id != files.ids.first else { return }
      files.ids = [id] + files.ids.dropFirst().filter { $0 != id }
    }
  }

  public static let names = KindNames(one: "document", many: "documents")
  public static let fields: [Field<Document>] = [
    Field("of", \.subject).refers(to: .subject).required().settable(by: .creation).filterable(parsing: Subject.filter),
    Field("vehicleId", \.vehicleID).settable(by: .server).filterable(as: "vehicle"),
    Field("driverId", \.driverID).settable(by: .server).filterable(as: "driver"),
    Field("kind", \.category).required().filterable().sortable(),
    Field("title", \.title, TextRules.short(200)).sortable().textSearched(),
    Field("number", \.number, TextRules.short(100)).textSearched(),
    Field("issuedOn", \.issuedOn).sortable(),
    Field("expiresOn", \.expiresOn).sortable(),
    Field("fileIds", \.files).refers(to: .file),
    Field("fileId", \.firstFile).refers(to: .file),
    Field("notes", \.notes, TextRules.long).textSearched(),
  ]
}

extension FleetTransaction {
  /// Checks a new or changed document. If the document is new, its vehicle and its driver are copied from the thing to
  /// which it belongs.
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
    case .assignment: if let found = try references(of: subject.id, Assignment.self) { return found }
    case .defect: if let found = try references(of: subject.id, Defect.self) { return found }
    case .maintenanceRecord:
      if let found = try thing(subject.id, MaintenanceRecord.self) { return (found.value.vehicleID, nil) }
    case .serviceSchedule:
      if let found = try thing(subject.id, ServiceSchedule.self) { return (found.value.vehicleID, nil) }
    case .fleet: if try thing(subject.id, Fleet.self) != nil { return (nil, nil) }
    }
    throw .invalid(
      FieldErrors([FieldError("of.id", "no \(subject.kind.rawValue) \(JSON.text(subject.id).canonicalText)")]))
  }

  private func references<Value: WorkThing>(
    of text: String, _ kind: Value.Type
  ) throws(ThingError) -> (vehicle: String?, driver: UUIDv7?)? {
    try thing(text, kind).map { ($0.value.vehicleID, $0.value.driverID) }
  }

  private func thing<Value: Kind>(_ id: String, _ kind: Value.Type) throws(ThingError) -> Stored<Value>? {
    guard let id = UUIDv7(id.utf8.span) else { return nil }
    return try find(id, kind)
  }
}

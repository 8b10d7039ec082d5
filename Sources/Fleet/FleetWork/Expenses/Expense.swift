import FleetDomain
import Telemetry

/// Money that was spent on a vehicle or by a driver, except for fuel and maintenance.
public struct Expense: WorkThing {
  public enum Category: String, FieldChoice, Sendable {
    case toll, parking, fine, insurance, tax, lease, wash, other
  }

  public var vehicleID: String?
  public var driverID: UUIDv7?
  public var at = Timestamp(nanoseconds: 0)
  public var category = Category.other
  public var amount: Money?
  /// Whether the entry is wrong. A wrong entry remains visible, but no sum includes it.
  public var isVoid = false
  public var vendorName: String?
  public var notes: String?
  public var documentID: UUIDv7?
  public var files = FileIDs()

  public init() {}

  public var statedTime: Timestamp? { at }

  public var usedFiles: [UUIDv7] { files.ids }

  public static let names = KindNames(one: "expense", many: "expenses")
  public static let fields: [Field<Expense>] = [
    Field("vehicleId", \.vehicleID).refers(to: .vehicle).filterable(as: "vehicle"),
    Field("driverId", \.driverID).refers(to: .driver).filledIn().filterable(as: "driver"),
    Field("at", \.at).required().sortable(),
    Field("category", \.category).required().filterable().sortable(),
    Field("amount", price: \.amount, isRequired: true),
    Field("void", \.isVoid).filterable(),
    Field("vendorName", \.vendorName, TextRules.short(200)).sortable().textSearched(),
    Field("notes", \.notes, TextRules.long).textSearched(),
    Field("documentId", \.documentID).refers(to: .document),
    Field("fileIds", \.files).refers(to: .file),
  ]
}

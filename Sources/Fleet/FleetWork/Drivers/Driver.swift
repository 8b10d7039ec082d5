import FleetDomain
import Telemetry

/// A driver of the fleet. A driver may also have an account (``personID``) to sign in.
public struct Driver: Kind {
  public enum Status: String, FieldChoice, Sendable {
    case available
    /// The driver is on a journey.
    case onTrip
    case offDuty
    /// The driver is not allowed to drive.
    case suspended
  }

  /// The account of the driver; `nil` if the driver has none.
  public var personID: UUIDv7?
  /// The fleet to which the driver belongs; `nil` for none.
  public var fleetID: UUIDv7?
  public var name = ""
  public var phone: String?
  public var licenceNumber: String?
  /// Classes of the driving licence, for example `B` or `CE`.
  public var licenceClasses: [String] = []
  /// The last day on which the licence is valid; `nil` if unknown.
  public var licenceExpiry: CalendarDate?
  public var status = Status.available

  public init() {}

  public static let names = KindNames(one: "driver", many: "drivers")
  public static let fields: [Field<Driver>] = [
    Field("personId", \.personID).refers(to: .account).filterable(),
    Field("fleetId", \.fleetID).refers(to: .fleet).filterable(),
    Field("name", \.name, TextRules.shown).required().sortable().textSearched().personal(),
    Field("phone", \.phone, TextRules.short(40)).personal(),
    Field("licenceNumber", \.licenceNumber, TextRules.short(40)).personal(),
    Field("licenceClasses", \.licenceClasses) { classes throws(FieldError) in
      guard classes.count <= 20, Set(classes).count == classes.count,
        classes.allSatisfy({ (1...8).contains($0.utf8.count) && NameRules.isVisible($0) })
      else { throw FieldError("", "expected at most 20 classes of 1 to 8 bytes, each once") }
    },
    Field("licenceExpiry", \.licenceExpiry).sortable(),
    Field("status", \.status).filterable().sortable(),
  ]

  /// Fields that only people with the right to read licences see.
  public static let licenceFields: Set<String> = ["licenceNumber", "licenceClasses", "licenceExpiry"]

  public func subject(id: UUIDv7) -> UUIDv7 { personID ?? id }
}

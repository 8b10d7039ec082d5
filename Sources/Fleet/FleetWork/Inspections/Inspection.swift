import FleetDomain
import Telemetry

/// A driver's vehicle inspection report (49 CFR 396.11), or another inspection of a vehicle.
///
/// The content of a signed report never changes: a hash protects it. A correction is a new report that supersedes the
/// old one.
public struct Inspection: WorkThing {
  public enum Status: String, FieldChoice, Sendable {
    case draft
    case signed
    /// The defects are repaired, or need no repair.
    case certified
    /// The next driver of the vehicle has read the report (49 CFR 396.13).
    case reviewed
  }

  public enum Occasion: String, FieldChoice, Sendable {
    case preTrip, postTrip, annual
  }

  /// The result of the inspection of one item.
  public struct Item: NestedValue {
    public enum Result: String, FieldChoice, Sendable {
      case ok, defect, notApplicable
    }

    /// The name of an item of a ``Checklist``, or any other name, without white space at its ends.
    public var item = ""
    public var result = Result.ok
    public var note: String?
    public var photos: [UUIDv7] = []

    public init() {}

    public static let fields: [Field<Item>] = [
      Field("item", \.item, TextRules.shown).required(),
      Field("result", \.result).required(),
      Field("note", \.note, TextRules.long),
      Field("photos", \.photos) { photos throws(FieldError) in
        guard photos.count <= 20 else { throw FieldError("", "expected at most 20 photos") }
      },
    ]

    public static func parsed(client json: JSON) throws(FieldErrors) -> Item {
      var item = try Item(client: json)
      item.item = item.item.trimmed
      guard !item.item.isEmpty else { throw FieldErrors([FieldError("item", "expected a name, found white space")]) }
      return item
    }

    /// The key that is equal for names that differ only in upper and lower case, or in white space at their ends.
    static func key(of name: String) -> String { name.trimmed.lowercased() }
  }

  public struct Signature: NestedValue {
    /// The signature as the person entered it, for example a typed name.
    public var text = ""
    public var by: UUIDv7?
    public var at = Timestamp(nanoseconds: 0)

    public init() {}

    public static let fields: [Field<Signature>] = [
      Field("text", \.text).required(), Field("by", \.by), Field("at", \.at).required(),
    ]
  }

  /// The statement that defects were repaired, or need no repair.
  public struct Certification: NestedValue {
    public enum Result: String, FieldChoice, Sendable {
      case repaired, repairUnnecessary
    }

    public var result = Result.repaired
    public var notes: String?
    public var by: UUIDv7?
    public var at = Timestamp(nanoseconds: 0)

    public init() {}

    public static let fields: [Field<Certification>] = [
      Field("result", \.result).required(), Field("notes", \.notes), Field("by", \.by), Field("at", \.at).required(),
    ]
  }

  /// The statement of the vehicle's next driver that they have read the report.
  public struct Review: NestedValue {
    public var by: UUIDv7?
    public var at = Timestamp(nanoseconds: 0)

    public init() {}

    public static let fields: [Field<Review>] = [Field("by", \.by), Field("at", \.at).required()]
  }

  public var driverID: UUIDv7?
  public var vehicle = ""
  public var occasion = Occasion.preTrip
  public var at = Timestamp(nanoseconds: 0)
  /// Reading of the odometer, km; `nil` if it was not read.
  public var odometer: Double?
  public var entered = EnteredAmounts()
  public var place: String?
  public var items: [Item] = []
  public var notes: String?
  /// The report that this report corrects; `nil` for none.
  public var supersedes: UUIDv7?
  public var status = Status.draft
  public var signature: Signature?
  public var certification: Certification?
  public var review: Review?
  /// The report that corrects this report; `nil` for none.
  public var supersededBy: UUIDv7?
  /// SHA-256 of the signed content, as hexadecimal digits; `nil` for a draft.
  public var contentHash: String?
  /// Whether an item has a defect.
  public var hasDefects = false

  public init() {}

  public var vehicleID: String? { vehicle }

  public var statedTime: Timestamp? { at == Inspection().at ? nil : at }

  public static var filesKey: String { "items" }
  public var usedFiles: [UUIDv7] { items.flatMap(\.photos) }

  public static let names = KindNames(one: "inspection", many: "inspections")
  public static let fields: [Field<Inspection>] = [
    Field("driverId", \.driverID).refers(to: .driver).settable(by: .creation).filledIn().filterable(as: "driver"),
    Field("vehicleId", \.vehicle).refers(to: .vehicle).required().settable(by: .creation).filterable(as: "vehicle"),
    Field("kind", \.occasion).required().filterable().sortable(),
    Field("at", \.at).filledIn().sortable(),
    Field("odometer", \.odometer, in: .odometer).measured(.distance),
    .entered(\.entered, of: ("odometer", .distance)),
    Field("place", \.place, TextRules.short(200)).textSearched(),
    Field("items", \.items) { items throws(FieldError) in
      guard items.count <= 200 else { throw FieldError("", "expected at most 200 items") }
      guard Set(items.map { Item.key(of: $0.item) }).count == items.count else {
        throw FieldError("", "expected each item once")
      }
      guard items.reduce(0, { $0 + $1.photos.count }) <= Self.mostPhotos else {
        throw FieldError("", "expected at most \(Self.mostPhotos) photos of all items together")
      }
    }.refers(to: .file),
    Field("notes", \.notes, TextRules.long).textSearched(),
    Field("supersedes", \.supersedes).refers(to: .inspection).settable(by: .creation).filterable(),
    Field("status", \.status).settable(by: .server).filterable().sortable(),
    Field("signature", \.signature).settable(by: .server),
    Field("certification", \.certification).settable(by: .server),
    Field("review", \.review).settable(by: .server),
    Field("supersededBy", \.supersededBy).settable(by: .server).filterable(),
    Field("contentHash", \.contentHash).settable(by: .server),
    Field("hasDefects", \.hasDefects).settable(by: .server).filterable(),
  ]

  /// The maximum number of photos of all items together. The limit is needed because one transaction adds all photos,
  /// with one row for each photo.
  static let mostPhotos = 200

  /// The keys of the fields that a signature covers.
  private static let signedKeys: Set<String> = [
    "driverId", "vehicleId", "kind", "at", "odometer", "place", "items", "notes", "supersedes", "signature",
  ]

  /// Returns the signed content: all values that a signature covers, except absent ones, and the ID.
  ///
  /// - Parameter id: the ID of the report.
  public func signedContent(id: UUIDv7) -> JSON {
    var members: [String: JSON] = ["id": id.json]
    for field in Self.fields where Self.signedKeys.contains(field.key) {
      let json = field.json(self)
      if json != .null { members[field.key] = json }
    }
    return .object(members)
  }

  /// Whether the content is unchanged since the signature; `nil` for a draft.
  public func isIntact(id: UUIDv7) -> Bool? { contentHash.map { $0 == signedContent(id: id).canonicalHash } }

  /// The state that the report must have before the next driver can review it.
  var reviewableFrom: Status { hasDefects ? .certified : .signed }
}

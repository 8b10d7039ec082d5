import FleetDomain
import Telemetry

/// A list of the items to inspect on vehicles of some types. The list is built in, or was made by the tenant.
public struct Checklist: Kind {
  public struct Item: NestedValue {
    /// The name of the item in reports (``Inspection/Item/item``).
    public var name = ""
    /// A description for people.
    public var text = ""

    public init() {}

    init(name: String, text: String) { (self.name, self.text) = (name, text) }

    public static let fields: [Field<Item>] = [
      Field("item", \.name, TextRules.shown).required(), Field("text", \.text, TextRules.shown).required(),
    ]
  }

  /// The name. A tenant's own list replaces the built-in one with the same name.
  public var name = ""
  /// A description for people.
  public var text = ""
  public var types: [Vehicle.Category] = []
  public var items: [Item] = []
  /// Whether the list is used.
  public var isActive = true

  public init() {}

  private init(name: String, text: String, types: [Vehicle.Category], items: [Item]) {
    (self.name, self.text, self.types, self.items) = (name, text, types, items)
  }

  public static let names = KindNames(one: "checklist", many: "checklists")
  public static let fields: [Field<Checklist>] = [
    Field("name", \.name, TextRules.shown).required().filterable().sortable().textSearched(),
    Field("text", \.text, TextRules.shown).required().textSearched(),
    Field("vehicleTypes", \.types) { types throws(FieldError) in
      guard Set(types).count == types.count else { throw FieldError("", "expected each type once") }
    },
    Field("items", \.items) { items throws(FieldError) in
      guard (1...200).contains(items.count) else { throw FieldError("", "expected 1 to 200 items") }
      guard Set(items.map(\.name)).count == items.count else { throw FieldError("", "expected each item once") }
    }.required(),
    Field("isActive", \.isActive).filterable(),
  ]

  /// Maximum number of a tenant's own lists.
  public static let most = 100

  /// The lists that every tenant has.
  public static let builtIn = [commercial, car]

  /// The parts of a commercial vehicle that a report must cover (49 CFR 396.11(a)(1)).
  private static let commercial = Checklist(
    name: "commercialVehicle", text: "Driver vehicle inspection report (49 CFR 396.11)",
    types: [.truck, .bus, .trailer],
    items: [
      Item(name: "serviceBrakes", text: "Service brakes, including connections to the trailer"),
      Item(name: "parkingBrake", text: "Parking brake"),
      Item(name: "steering", text: "Steering mechanism"),
      Item(name: "lights", text: "Lighting devices and reflectors"),
      Item(name: "tyres", text: "Tyres"),
      Item(name: "horn", text: "Horn"),
      Item(name: "wipers", text: "Windscreen wipers"),
      Item(name: "mirrors", text: "Rear-vision mirrors"),
      Item(name: "coupling", text: "Coupling devices"),
      Item(name: "wheels", text: "Wheels and rims"),
      Item(name: "emergencyEquipment", text: "Emergency equipment"),
    ])

  private static let car = Checklist(
    name: "car", text: "Walk around the vehicle", types: [.car, .van, .motorcycle],
    items: [
      Item(name: "tyres", text: "Tyres: pressure, tread, damage"),
      Item(name: "lights", text: "Lights and indicators"),
      Item(name: "brakes", text: "Brakes"),
      Item(name: "windows", text: "Windscreen, wipers and mirrors"),
      Item(name: "fluids", text: "Leaks, oil and warning lamps"),
      Item(name: "damage", text: "Damage to the body"),
      Item(name: "equipment", text: "Warning triangle, vest, first-aid kit"),
    ])
}

extension FleetView {
  /// Returns the built-in lists, then the tenant's own. A built-in list that the tenant has replaced is not active.
  ///
  /// - Parameter areAllReturned: whether lists that are not active are returned, too.
  public func checklists(all areAllReturned: Bool = false) throws(ThingError) -> [(id: UUIDv7?, list: Checklist)] {
    let own = try list(ThingQuery<Checklist>(order: [.init("name")], limit: 1_000)).items
    let names = Set(own.map(\.value.name))
    let builtIn = Checklist.builtIn.map { list in
      var list = list
      list.isActive = !names.contains(list.name)
      return (id: UUIDv7?.none, list: list)
    }
    return (builtIn + own.map { (id: $0.id, list: $0.value) }).filter { areAllReturned || $0.list.isActive }
  }
}

extension FleetTransaction {
  /// Checks a new or changed list.
  ///
  /// - Throws: `rule` with `tooManyChecklists`.
  public func check(_ new: Checklist, old: Stored<Checklist>?) throws(ThingError) {
    guard old == nil else { return }
    guard try list(ThingQuery<Checklist>(limit: Checklist.most)).items.count < Checklist.most else {
      throw .rule(code: "tooManyChecklists", message: "expected at most \(Checklist.most) lists")
    }
  }
}

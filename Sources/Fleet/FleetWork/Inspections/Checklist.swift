import FleetDomain

/// The items of an inspection of one type of vehicle.
public struct Checklist: Sendable {
  public struct Item: Sendable {
    /// The name of the item in reports (``Inspection/Item/item``).
    public let name: String
    /// A description for people.
    public let text: String
  }

  public let name: String
  /// A description for people.
  public let text: String
  public let types: [Vehicle.Category]
  public let items: [Item]

  /// The checklists, which are the same for all tenants.
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

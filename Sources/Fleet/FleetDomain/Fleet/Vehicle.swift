import Telemetry

/// A vehicle of the fleet, created by a person or by its first record.
public struct Vehicle: Kind {
  /// The type of a vehicle.
  public enum Category: String, FieldChoice, Sendable {
    case car, motorcycle, van, truck, bus, trailer, equipment, other
  }

  /// The fuel or energy that drives a vehicle.
  public enum Fuel: String, FieldChoice, Sendable {
    case petrol, diesel, cng, lpg, electric, hybrid, pluginHybrid, hydrogen, other
  }

  public enum Transmission: String, FieldChoice, Sendable { case manual, automatic, other }

  public enum Status: String, FieldChoice, Sendable {
    /// Ready for use by a driver.
    case available
    /// Assigned to a driver now.
    case assigned
    /// In a workshop.
    case inService
    /// Not in use for now.
    case inactive
    /// No longer part of the fleet.
    case retired
  }

  /// The id of the vehicle. Its records contain this id or its VIN as their `vehicleId`.
  public var id = ""
  /// The vehicle identification number: 17 characters (ISO 3779), unique within the tenant; `nil` if unknown.
  public var vin: String?
  /// A name that people have given to the vehicle; `nil` for none.
  public var name: String?
  public var make: String?
  public var model: String?
  /// The model year, 1900 to 2100; `nil` if unknown.
  public var modelYear: Int64?
  public var licencePlate: String?
  public var category: Category?
  public var fuel: Fuel?
  /// The volume of the fuel tank, L; `nil` if unknown.
  public var tankCapacity: Double?
  /// The capacity of the traction battery, kWh; `nil` if unknown.
  public var batteryCapacity: Double?
  /// The number of seats, including the driver's; `nil` if unknown.
  public var capacity: Int64?
  /// The payload, kg; `nil` if unknown.
  public var payload: Double?
  public var entered = EnteredAmounts()
  /// The swept volume of the engine, L; `nil` if unknown.
  public var engineSize: Double?
  public var transmission: Transmission?
  public var notes: String?
  public var acquiredOn: CalendarDate?
  public var acquisitionCost: Money?
  public var residualValue: Money?
  public var disposedOn: CalendarDate?
  /// The day until which the vehicle is expected to be owned; `nil` if unknown.
  public var plannedDisposalOn: CalendarDate?
  /// A photo of the vehicle; `nil` if there is none.
  public var photoID: UUIDv7?
  /// The fleet to which the vehicle belongs; `nil` for none.
  public var fleetID: UUIDv7?
  public var status = Status.available
  /// The gateway that sent the vehicle's first record; `nil` if it has no records.
  public var registeredBy: String?
  /// Latest time of all records of the vehicle; `nil` if no record has a time.
  public var lastRecordAt: Timestamp?
  /// Reading of the vehicle's odometer at ``odometerAt``, km; `nil` if unknown.
  public var odometer: Double?
  public var odometerAt: Timestamp?
  /// Whether ``odometer`` was computed as the last reading plus the distance of later trips; `nil` if `odometer` is
  /// `nil`.
  public var isOdometerEstimated: Bool?
  /// The total distance that the current and all earlier odometers have counted, km; `nil` if unknown.
  public var lifetimeKilometers: Double?
  /// The average distance per day in the last months, km; `nil` if unknown.
  public var dailyKilometers: Double?
  /// Reading of the vehicle's hour meter at ``engineHoursAt``, h; `nil` if unknown.
  public var engineHours: Double?
  public var engineHoursAt: Timestamp?
  /// Whether ``engineHours`` was computed as the last reading plus the time of later trips; `nil` if `engineHours` is
  /// `nil`.
  public var areEngineHoursEstimated: Bool?
  /// The total time that the current and all earlier hour meters have counted, h; `nil` if unknown.
  public var lifetimeEngineHours: Double?
  /// The average engine hours per day in the last months; `nil` if unknown.
  public var dailyEngineHours: Double?

  public init() {}

  public init(
    id: String = "", vin: String? = nil, name: String? = nil, make: String? = nil, model: String? = nil,
    modelYear: Int64? = nil, licencePlate: String? = nil, registeredBy: String? = nil
  ) {
    self.id = id
    self.vin = vin
    self.name = name
    self.make = make
    self.model = model
    self.modelYear = modelYear
    self.licencePlate = licencePlate
    self.registeredBy = registeredBy
  }

  public static var filesKey: String { "photoId" }
  public var usedFiles: [UUIDv7] { [photoID].compactMap { $0 } }

  public static let names = KindNames(
    one: "vehicle", many: "vehicles", idColumn: "thing", createdColumn: "added", condition: "is_gateway = 0")

  public static let fields: [Field<Vehicle>] = [
    Field("id", \.id) { id throws(FieldError) in
      guard NameRules.isName(id) else { throw FieldError("", "expected \(NameRules.expectedName)") }
    }.settable(by: .creation).required().sortable().filterable().textSearched()
      .schema(##"{"$ref":"#/components/schemas/Name"}"##),
    Field("vin", \.vin) { vin throws(FieldError) in
      guard vin.map(NameRules.isVIN) ?? true else {
        throw FieldError("", "expected 17 of A-H, J-N, P, R-Z and 0-9 (ISO 3779)")
      }
    }.filterable().textSearched().schema(##"{"$ref":"#/components/schemas/VIN"}"##),
    Field("name", \.name, TextRules.short(256)).sortable().textSearched().schema(Schemas.text),
    Field("make", \.make, TextRules.short(256)).filterable().sortable().textSearched().schema(Schemas.text),
    Field("model", \.model, TextRules.short(256)).filterable().sortable().textSearched().schema(Schemas.text),
    Field("modelYear", \.modelYear) { year throws(FieldError) in
      guard (1_900...2_100).contains(year ?? 2_000) else { throw FieldError("", "expected 1900 to 2100") }
    }.filterable().sortable().schema(#"{"type":"integer","minimum":1900,"maximum":2100}"#),
    Field("licencePlate", \.licencePlate, TextRules.short(32)).alias("registrationNumber").filterable().sortable()
      .textSearched().schema(##"{"$ref":"#/components/schemas/LicencePlate"}"##),
    Field("type", \.category).filterable().sortable(),
    Field("fuelType", \.fuel).filterable().sortable(),
    Field("tankCapacity", \.tankCapacity, in: .above(0, most: 100_000)).measured(.volume),
    Field("batteryCapacity", \.batteryCapacity, in: .above(0, most: 100_000)),
    Field("capacity", \.capacity) { count throws(FieldError) in
      guard (1...1_000).contains(count ?? 1) else { throw FieldError("", "expected 1 to 1000 persons") }
    }.schema(#"{"type":"integer","minimum":1,"maximum":1000}"#),
    Field("payload", \.payload, in: .above(0, most: 1_000_000)).measured(.mass),
    .entered(\.entered, of: ("tankCapacity", .volume), ("payload", .mass)),
    Field("engineSize", \.engineSize, in: .above(0, most: 1_000)),
    Field("transmission", \.transmission).filterable(),
    Field("notes", \.notes, TextRules.long).textSearched(),
    Field("acquiredOn", \.acquiredOn).sortable(),
    Field("acquisitionCost", price: \.acquisitionCost),
    Field("residualValue", price: \.residualValue),
    Field("disposedOn", \.disposedOn).sortable(),
    Field("plannedDisposalOn", \.plannedDisposalOn).sortable(),
    Field("photoId", \.photoID).refers(to: .file),
    Field("fleetId", \.fleetID).refers(to: .fleet).filterable(),
    Field("status", \.status).settable(by: .server).filterable().sortable(),
    Field("registeredBy", \.registeredBy).settable(by: .server).filterable(),
    Field("lastRecordAt", \.lastRecordAt).settable(by: .live).sortable(),
    Field("odometer", \.odometer).settable(by: .live).sortable(),
    Field("odometerAt", \.odometerAt).settable(by: .live),
    Field("odometerEstimated", \.isOdometerEstimated).settable(by: .live),
    Field("lifetimeKilometers", \.lifetimeKilometers).settable(by: .live),
    Field("dailyKilometers", \.dailyKilometers).settable(by: .live).sortable(),
    Field("engineHours", \.engineHours).settable(by: .live).sortable(),
    Field("engineHoursAt", \.engineHoursAt).settable(by: .live),
    Field("engineHoursEstimated", \.areEngineHoursEstimated).settable(by: .live),
    Field("lifetimeEngineHours", \.lifetimeEngineHours).settable(by: .live),
    Field("dailyEngineHours", \.dailyEngineHours).settable(by: .live).sortable(),
  ]

  private enum Schemas {
    static let text = ##"{"$ref":"#/components/schemas/Text"}"##
  }
}

extension FleetView {
  /// Finds a vehicle by its id or VIN; `nil` if there is none. If the text is the id of one vehicle and the VIN of
  /// another, the id takes precedence.
  public func vehicle(named name: String) throws(ThingError) -> Stored<Vehicle>? {
    if let found = try first(ThingQuery<Vehicle>(.oneOf(key: "id", [.text(name)]))) { return found }
    return try first(ThingQuery<Vehicle>(.oneOf(key: "vin", [.text(name)])))
  }
}

extension FleetTransaction {
  /// Checks that no other vehicle uses the vehicle's ID or VIN, neither as its ID nor as its VIN. Otherwise a record
  /// with this ID or VIN would belong to two vehicles.
  ///
  /// - Parameter id: the ID of the stored vehicle, which is not compared with itself; `nil` for a new vehicle.
  /// - Throws: `duplicate`.
  public func requireUniqueNames(of vehicle: Vehicle, except id: UUIDv7? = nil) throws(ThingError) {
    for (field, name) in [("id", vehicle.id), ("vin", vehicle.vin)] {
      guard let name else { continue }
      for key in ["id", "vin"] {
        let others = try list(ThingQuery<Vehicle>(.oneOf(key: key, [.text(name)]), limit: 2)).items
        if others.contains(where: { $0.id != id }) { throw .duplicate(field: field) }
      }
    }
  }
}

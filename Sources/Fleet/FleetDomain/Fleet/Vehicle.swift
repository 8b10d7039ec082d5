import Telemetry

/// What an operator says of a vehicle.
public struct VehicleDetails: Equatable, Sendable {
  /// 17 characters; no two vehicles of a tenant have the same.
  public var vin: String?
  /// What people call it.
  public var name: String?
  public var make: String?
  public var model: String?
  public var modelYear: Int?
  public var licencePlate: String?

  public init(
    vin: String? = nil, name: String? = nil, make: String? = nil, model: String? = nil, modelYear: Int? = nil,
    licencePlate: String? = nil
  ) {
    self.vin = vin
    self.name = name
    self.make = make
    self.model = model
    self.modelYear = modelYear
    self.licencePlate = licencePlate
  }
}

/// A vehicle of the fleet: made by an operator, or by its first record.
public struct Vehicle: Equatable, Sendable {
  /// `vehicleId` of its records; those that have its VIN there are its own, too.
  public var id: String
  public var details: VehicleDetails
  /// The gateway whose record came first; nil while none has.
  public var registeredBy: String?
  public var addedAt: Timestamp
  /// The latest time of its records; nil while it has none with a time.
  public var lastRecordAt: Timestamp?

  public init(
    id: String, details: VehicleDetails, registeredBy: String? = nil, addedAt: Timestamp,
    lastRecordAt: Timestamp? = nil
  ) {
    self.id = id
    self.details = details
    self.registeredBy = registeredBy
    self.addedAt = addedAt
    self.lastRecordAt = lastRecordAt
  }
}

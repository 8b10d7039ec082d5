import Telemetry

/// The properties of a vehicle that operators set.
public struct VehicleDetails: Equatable, Sendable {
  /// 17 characters, unique within the tenant.
  public var vin: String?
  /// A name for people.
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

/// A vehicle of the fleet, created by an operator or by its first record.
public struct Vehicle: Equatable, Sendable {
  /// The `vehicleId` of its records. Records with its VIN as their `vehicleId` also belong to it.
  public var id: String
  public var details: VehicleDetails
  /// The gateway of its first record; `nil` if it has none.
  public var registeredBy: String?
  public var addedAt: Timestamp
  /// The latest time of its records; `nil` if none has a time.
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

/// A record that identifies the vehicle and its ECUs.
public struct VehicleRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.vehicle

  /// One ECU of the vehicle.
  public struct ECU: Equatable, Sendable, JSONLineValue {
    /// Address of the ECU: `7E8`, `18DAF110`, or on buses older than CAN the source byte `10`; `nil` if the adapter
    /// sends no headers.
    public var address: String?
    /// Name of the ECU, from service 09, such as `ECM-EngineControl`; `nil` if unknown.
    public var name: String?
    /// Calibrations of the ECU, in the order in which the ECU lists them.
    public var calibrations: [Calibration] = []
    /// Service and PID of each supported parameter: `010C`, `22F40C`.
    public var supportedPids: [String] = []

    /// Creates an ECU of which only the address is known.
    public init(address: String?) { self.address = address }

    public func write(to line: inout JSONLineEncoder) -> Bool {
      guard line.beginObject() else { return false }
      var complete = line.field("address", address)
      complete = line.field("name", name) && complete
      complete = line.field("calibrations", calibrations) && complete
      complete = line.field("supportedPids", supportedPids) && complete
      line.end()
      return complete
    }
  }

  /// A calibration: the identification of an ECU's software, and its checksum.
  public struct Calibration: Equatable, Sendable, JSONLineValue {
    /// Calibration identification; `nil` if unknown.
    public var id: String?
    /// Calibration verification number, a checksum of 8 upper-case hexadecimal digits; `nil` if unknown.
    public var cvn: String?

    /// Creates a calibration.
    public init(id: String?, cvn: String?) {
      self.id = id
      self.cvn = cvn
    }

    public func write(to line: inout JSONLineEncoder) -> Bool {
      guard line.beginObject() else { return false }
      var complete = line.field("id", id)
      complete = line.field("cvn", cvn) && complete
      line.end()
      return complete
    }
  }

  /// The VIN as the vehicle sent it, even if it is invalid.
  public var vin: String
  /// Whether the VIN has 17 allowed characters and, where the law requires one, a correct check digit.
  public var vinValid: Bool
  /// Make of the vehicle, from the world manufacturer identifier in the VIN; `nil` if it is ambiguous or unknown.
  public var make: String?
  /// Model year, from a North American VIN; `nil` if unknown.
  public var modelYear: Int?
  /// The bus, as the adapter reports it, such as `ISO 15765-4 (CAN 11/500)`; `nil` if unknown.
  public var protocolName: String?
  /// The ECUs that have answered, in ascending order of address.
  public var ecus: [ECU] = []
  /// Fuel type, the text of PID 51; `nil` if unknown.
  public var fuelType: RecordValue?
  /// OBD standard, the text of PID 1C; `nil` if unknown.
  public var obdStandard: RecordValue?

  /// Creates a record in which all other values are unknown.
  public init(vin: String, vinValid: Bool) {
    self.vin = vin
    self.vinValid = vinValid
  }

  public func write(to line: inout JSONLineEncoder) {
    line.field("vin", vin)
    line.field("vinValid", vinValid)
    line.field("make", make)
    line.field("modelYear", modelYear)
    line.field("protocol", protocolName)
    line.field("ecus", ecus)
    line.field("fuelType", fuelType)
    line.field("obdStandard", obdStandard)
  }
}

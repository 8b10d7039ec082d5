/// Which vehicle this is, and what its control units say of themselves.
public struct VehicleRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.vehicle

  /// One control unit.
  public struct ECU: Equatable, Sendable, JSONLineValue {
    /// `7E8`, `18DAF110` or the legacy source byte `10`; nil without headers.
    public var address: String?
    /// Its name as service 09 gives it (`ECM-EngineControl`).
    public var name: String?
    /// In the order in which the control unit lists them.
    public var calibrations: [Calibration] = []
    /// Service and PID of each parameter it says it supports: `010C`, `22F40C`.
    public var supportedPids: [String] = []

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

  /// One calibration: the software's identification, and the checksum over it.
  public struct Calibration: Equatable, Sendable, JSONLineValue {
    /// Calibration identification.
    public var id: String?
    /// Calibration verification number: 8 upper-case hexadecimal digits.
    public var cvn: String?

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

  /// The characters as the vehicle sent them, also where they are no valid VIN.
  public var vin: String
  /// 17 allowed characters, and a right check digit where it is law.
  public var vinValid: Bool
  /// From the world manufacturer identifier, where it names one make.
  public var make: String?
  /// Only for North American VINs.
  public var modelYear: Int?
  /// The bus, as the adapter names it: `ISO 15765-4 (CAN 11/500)`.
  public var protocolName: String?
  /// Those that have answered, lowest address first.
  public var ecus: [ECU] = []
  /// The text of PID 51.
  public var fuelType: RecordValue?
  /// The text of PID 1C.
  public var obdStandard: RecordValue?

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

import JSONText

/// Parses scenario files. The README.md of this module lists all their keys.
extension Scenario {
  /// Parses a scenario file. Unknown keys are errors.
  ///
  /// - Throws: ``JSONFaults`` with the positions of all unknown, missing and invalid values.
  public init(parsing text: [UInt8]) throws(JSONFaults) {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: text)
    } catch {
      throw JSONFaults(all: [error])
    }
    self = try document.readReportingAllFaults { root throws(JSONError) in try Scenario(root) }
  }

  private init(_ root: JSONValue) throws(JSONError) {
    var top = try JSONObjectReader(root)
    let adapter = try top.optional("adapter").map { value throws(JSONError) in try AdapterModel(parsing: value) }
    let seed = try top.optionalInt("seed", in: 0...Int.max) ?? 1
    var cars: [CarEntry] = []
    if let list = try top.optionalArray("cars") {
      for value in list {
        let entry = try CarEntry(parsing: value, seed: UInt64(seed) &+ UInt64(cars.count))
        if let last = cars.last, entry.from <= last.from {
          throw value.invalid(expected: "a car with a later \"from\" than the previous one", found: "an earlier one")
        }
        cars.append(entry)
      }
      if cars.isEmpty, let value = top.object["cars"] { throw value.invalid(expected: "at least one car") }
    }
    self = .standard
    if !cars.isEmpty { self.cars = cars }
    if let adapter { self.adapter = adapter }
    self.seed = UInt64(seed)
    if let value = top.optional("faults") {
      do {
        guard let text = value.string else { throw value.invalid(expected: Self.faultList) }
        faults = try Fault.list(text)
      } catch let error as FaultError {
        throw value.invalid(expected: Self.faultList, found: error.description)
      } catch let error as JSONError {
        throw error
      } catch {
        throw value.invalid(expected: Self.faultList)
      }
    }
    try top.finish()
  }

  /// The expected value of `faults`, for error messages.
  private static let faultList = "faults in one string, such as \"nul=0.01,silent@30s..60s\""
}

extension AdapterModel {
  fileprivate init(parsing value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    let kind = try reader.optionalString("kind", oneOf: Kind.allCases.map(\.rawValue)).flatMap(Kind.init(rawValue:))
    self.init(kind ?? .elm327)
    identity = try reader.optionalString("identity") ?? identity
    title = try reader.optionalString("title") ?? title
    baud = try reader.optionalInt("baud", in: 300...4_000_000) ?? baud
    linefeeds = try reader.optionalBool("linefeeds") ?? linefeeds
    processing = try reader.optionalTime("processing", unit: 0.001, upTo: 1000) ?? processing
    resetTime = try reader.optionalTime("resetTime", unit: 0.001, upTo: 60_000) ?? resetTime
    chunkTime = try reader.optionalTime("chunkTime", unit: 0.001, upTo: 1000) ?? chunkTime
    chunkSize = try reader.optionalInt("chunkSize", in: 1...4096) ?? chunkSize
    isStrictAboutBaud = try reader.optionalBool("strictBaud") ?? false
    try reader.finish()
  }
}

extension JSONObjectReader {
  /// Reads an optional time in units of `unit` seconds; `nil` if it is absent.
  fileprivate mutating func optionalTime(
    _ key: String, unit: Double = 1, upTo limit: Double = 1e7
  ) throws(JSONError) -> Duration? {
    try optionalDouble(key, in: 0...limit).map { .nanoseconds(Int(($0 * unit * 1e9).rounded())) }
  }
}

extension Scenario.CarEntry {
  fileprivate init(parsing value: JSONValue, seed: UInt64) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    from = try reader.optionalTime("from") ?? .zero
    let bus = try reader.optionalString("bus", oneOf: Bus.allCases.map(\.name))
    let found = Bus.allCases.first { $0.name == bus } ?? .can11at500
    var model = DriveModel(cycle: .standard)
    model.seed = seed
    model.ambient = try reader.optionalDouble("ambient", in: -40...60) ?? model.ambient
    model.displacement = try reader.optionalDouble("displacement", in: 0.1...30) ?? model.displacement
    model.fuelLevel = try reader.optionalDouble("fuelLevel", in: 0...100) ?? model.fuelLevel
    model.tank = try reader.optionalDouble("tank", in: 1...2000) ?? model.tank
    model.odometer = try reader.optionalDouble("odometer", in: 0...4_000_000) ?? model.odometer
    model.battery = try reader.optionalDouble("battery", in: 0...32) ?? model.battery
    model.noise = try reader.optionalDouble("noise", in: 0...1) ?? model.noise
    if let drive = reader.optional("drive") { model.cycle = try DriveCycle(parsing: drive) }
    let isDiesel = try reader.optionalString("fuel", oneOf: ["gasoline", "diesel"]) == "diesel"
    var ecus: [ECU] = []
    if reader.object.leavesOut("bus") {
      // ECU addresses depend on the bus. If the bus is invalid, they cannot be checked.
      _ = reader.optional("ecus")
    } else if let list = try reader.optionalArray("ecus") {
      for value in list { ecus.append(try ECU(parsing: value, on: found, isDiesel: isDiesel)) }
      guard (1...16).contains(ecus.count) else {
        throw reader.object.invalid(expected: "1 to 16 \"ecus\"", found: "\(ecus.count)")
      }
    } else {
      let address: UInt32 = found.isExtended ? 0x18DA_F110 : found.isCAN ? 0x7E8 : 0x10
      ecus = [.preset(isDiesel ? .diesel : .engine, address: address, on: found)]
    }
    car = Car(bus: found, vin: "", ecus: ecus, model: model)
    car.isDiesel = isDiesel
    car.vin = try reader.optionalString("vin") ?? "1D4GP00RX5B123456"
    guard car.vin.utf8.count <= 17 else { throw reader.object.invalid(expected: "a \"vin\" of up to 17 characters") }
    car.speaksUDS = try reader.optionalString("dialect", oneOf: ["obd2", "obdOnUDS"]) == "obdOnUDS"
    if car.speaksUDS, !found.isCAN, !reader.object.leavesOut("bus") {
      throw reader.object.invalid(expected: "a CAN bus for the dialect obdOnUDS")
    }
    car.latency = try reader.optionalTime("latency", unit: 0.001, upTo: 60_000) ?? car.latency
    car.frameGap = try reader.optionalTime("frameGap", unit: 0.001, upTo: 1000) ?? car.frameGap
    if let padding = reader.optional("padding") { car.padding = try padding.requireBytes(1...1)[0] }
    try reader.finish()
  }
}

extension JSONValue {
  /// Parses pairs of hexadecimal digits, optionally separated by spaces. The number of bytes must be in the range.
  func requireBytes(_ count: ClosedRange<Int>) throws(JSONError) -> [UInt8] {
    let text = try requireString()
    guard let bytes = HexDigits.bytes(text), count.contains(bytes.count) else {
      let most = count.upperBound
      throw invalid(
        expected: count.lowerBound == most
          ? "\(most) byte\(most == 1 ? "" : "s") in hexadecimal digits"
          : "\(count.lowerBound) to \(most) bytes in hexadecimal digits")
    }
    return bytes
  }
}

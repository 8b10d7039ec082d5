import JSONText

extension ECU {
  /// Reads an element of a car's `ecus`.
  init(parsing value: JSONValue, on bus: Bus, isDiesel: Bool) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    let address = try reader.required("address").requireAddress(on: bus)
    let roles = ECURole.allCases.map(\.rawValue)
    let role = try reader.optionalString("role", oneOf: roles).flatMap(ECURole.init(rawValue:))
    self = .preset(role ?? (isDiesel ? .diesel : .engine), address: address, on: bus)
    if let request = reader.optional("request") { requestAddress = try request.requireAddress(on: bus) }
    if let byte = reader.optional("extended") {
      guard bus.isCAN else { throw byte.invalid(expected: "no extended address: the bus is not CAN") }
      extendedAddress = try byte.requireBytes(1...1)[0]
    }
    name = try reader.optionalString("name") ?? name
    answersFunctional = try reader.optionalBool("functional") ?? (extendedAddress == nil)
    knowsVIN = try reader.optionalBool("vin") ?? knowsVIN
    latency = try reader.optionalDouble("latency", in: 0...60_000).map { .microseconds(Int(($0 * 1000).rounded())) }
    if let list = try reader.optionalArray("pids") {
      pids = []
      for pid in list {
        let byte = try pid.requireBytes(1...1)[0]
        guard byte == 0x01 || byte == 0x41 || Parameter.row(byte) != nil else {
          throw pid.invalid(
            expected: "a PID that the simulator computes; for another one write its bytes in \"values\"")
        }
        pids.insert(byte)
      }
    }
    if let value = reader.optional("values") { try readValues(value, on: bus) }
    if let value = reader.optional("replies") { try readReplies(value, on: bus) }
    if let list = try reader.optionalArray("calibrations") {
      for value in list { calibrations.append(try Calibration(parsing: value)) }
    }
    if let list = try reader.optionalArray("troubleCodes") {
      for value in list { troubleCodes.append(try TroubleCode(parsing: value)) }
    }
    if let list = try reader.optionalArray("tests") {
      for value in list { tests.append(try MonitorTest(parsing: value)) }
    }
    try reader.finish()
  }

  private mutating func readValues(_ value: JSONValue, on bus: Bus) throws(JSONError) {
    _ = try JSONObjectReader(value)
    for member in value.members {
      guard let pid = HexDigits.bytes(member.key), pid.count == 1, pid[0] & 0x1F != 0 else {
        throw member.keyValue.invalid(expected: "a PID of two hexadecimal digits, not one of the bitmaps")
      }
      values[pid[0]] = try member.value.requireBytes(1...(bus.isCAN ? 60 : LegacyFrame.longest(on: bus) - 2))
    }
  }

  private mutating func readReplies(_ value: JSONValue, on bus: Bus) throws(JSONError) {
    _ = try JSONObjectReader(value)
    for member in value.members {
      guard let request = HexDigits.bytes(member.key), (1...7).contains(request.count) else {
        throw member.keyValue.invalid(expected: "a request of 1 to 7 bytes in hexadecimal digits")
      }
      replies[request] = try member.value.requireBytes(1...(bus.isCAN ? 4095 : LegacyFrame.longest(on: bus)))
    }
  }
}

extension JSONValue {
  /// Parses an ECU address: `7E8` or `18DAF110` on CAN, `10` on buses before CAN.
  fileprivate func requireAddress(on bus: Bus) throws(JSONError) -> UInt32 {
    let text = try requireString()
    let digits = bus.isExtended ? 8 : bus.isCAN ? 3 : 2
    guard text.utf8.count == digits, let number = HexDigits.number(text),
      number < (bus.isExtended ? 0x2000_0000 : bus.isCAN ? 0x800 : 0x100)
    else {
      throw invalid(expected: "an address of \(digits) hexadecimal digits for the bus \(bus.name)")
    }
    return number
  }
}

extension ECU.Calibration {
  fileprivate init(parsing value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    id = try reader.requiredString("id")
    guard id.utf8.count <= 16 else { throw value.invalid(expected: "an \"id\" of up to 16 characters") }
    cvn = try reader.required("cvn").requireBytes(4...4).reduce(0) { $0 << 8 | UInt32($1) }
    try reader.finish()
  }
}

extension ECU.MonitorTest {
  fileprivate init(parsing value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    monitor = try reader.required("mid").requireBytes(1...1)[0]
    test = try reader.required("tid").requireBytes(1...1)[0]
    unit = try reader.required("uasid").requireBytes(1...1)[0]
    self.value = try UInt16(reader.requiredInt("value", in: 0...65_535))
    minimum = try UInt16(reader.requiredInt("min", in: 0...65_535))
    maximum = try UInt16(reader.requiredInt("max", in: 0...65_535))
    try reader.finish()
  }
}

extension TroubleCode {
  fileprivate init(parsing value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    let text = try reader.required("code")
    guard let code = TroubleCode(try text.requireString()) else {
      throw text.invalid(expected: "a trouble code such as P0420 or P0420-11")
    }
    self = code
    func time(_ key: String) throws(JSONError) -> Duration? {
      try reader.optionalDouble(key, in: 0...1e7).map { .milliseconds(Int(($0 * 1000).rounded())) }
    }
    storedAt = try time("at")
    pendingAt = try time("pending")
    if storedAt == nil, pendingAt == nil { throw value.invalid(expected: "\"at\" or \"pending\", in seconds") }
    isPermanent = try reader.optionalBool("permanent") ?? false
    lightsLamp = try reader.optionalBool("mil") ?? true
    try reader.finish()
  }
}

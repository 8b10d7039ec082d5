import JSONText

extension GatewayConfiguration {
  /// Parses a configuration.
  ///
  /// - Parameters:
  ///   - text: the bytes of the configuration file.
  ///   - file: path of the configuration file, for messages. Relative paths in the configuration begin at its folder.
  /// - Throws: ``ConfigurationError`` with all faults and their positions.
  public init(parsing text: [UInt8], file: String) throws(ConfigurationError) {
    let folder = Self.folder(of: file)
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: text)
    } catch {
      throw ConfigurationError(file: file, errors: [error])
    }
    do throws(JSONFaults) {
      self = try document.readReportingAllFaults { root throws(JSONError) in
        var reader = try JSONObjectReader(root)
        let configuration = try GatewayConfiguration(&reader, folder: folder)
        if let sinks = root["sinks"] { try configuration.refuseOwnFiles(sinks, file) }
        return configuration
      }
    } catch {
      throw ConfigurationError(file: file, errors: error.all)
    }
  }

  private init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    self.init()
    // `$schema` is for editors. The daemon checks only that it is a string.
    _ = try reader.optionalString("$schema")
    gatewayId = try Self.identifier(&reader, "gatewayId")
    if var object = try reader.optionalObject("vehicle") { vehicle = try Vehicle(&object) }
    adapters = try Self.list(&reader, "adapters", atMost: 32) { value throws(JSONError) in
      try Adapter(value, folder: folder)
    }
    try Self.refuseTwice(reader.object["adapters"], adapters.map(\.link))
    if var object = try reader.optionalObject("discovery") { discovery = try Discovery(&object) }
    if var object = try reader.optionalObject("poll") {
      // A signal of a signal set (OBDb) has a name that begins with a capital letter. Whether the signal exists is
      // checked when the signal sets are read.
      let hasSets = reader.object["signalSets"].map { $0.count > 0 } ?? reader.object.leavesOut("signalSets")
      poll = try Poll(&object, mayNameSignalSets: hasSets)
    }
    if var object = try reader.optionalObject("power") { power = try Power(&object) }
    if var object = try reader.optionalObject("record") { record = try Record(&object) }
    if var object = try reader.optionalObject("trips") { trips = try Trips(&object) }
    if var object = try reader.optionalObject("driving") { driving = try Driving(&object) }
    gps = try Self.list(&reader, "gps", atMost: 32) { value throws(JSONError) in
      try GPSSource(value, folder: folder)
    }
    try Self.refuseTwice(reader.object["gps"], gps, besides: adapters.map(\.link))
    if let value = reader.optional("geofences") {
      geofences = try Geofences(value, folder: folder)
      places.geofences = FilePlace(value["file"] ?? value)
    }
    if var object = try reader.optionalObject("privacy") { privacy = try Privacy(&object) }
    signalSets = try Self.list(&reader, "signalSets", atMost: 64) { value throws(JSONError) in
      Self.resolved(try Self.notEmpty(value, value.requireString()), folder)
    }
    places.signalSets = reader.object["signalSets"]?.elements.map { FilePlace($0) } ?? []
    stateDirectory = try Self.path(&reader, "stateDirectory", folder)
    if let value = reader.optional("sinks") {
      sinks = try Self.sinks(value, folder)
      try refuseSharedClientIds(value)
    }
    if var object = try reader.optionalObject("spool") { spool = try SpoolBounds(&object) }
    if var object = try reader.optionalObject("status") { status = try Status(&object, folder: folder) }
    try reader.finish()
  }

  // MARK: Values

  /// Reads an array with at most `most` elements; empty if the key is missing.
  private static func list<Element>(
    _ reader: inout JSONObjectReader, _ key: String, atMost most: Int, _ read: (JSONValue) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var out: [Element] = []
    guard let value = reader.optional(key) else { return out }
    let elements = try value.requireArray()
    try value.refuseMore(than: most)
    for element in elements { out.append(try read(element)) }
    return out
  }

  /// Whether a text is valid as the ID of a gateway or a vehicle: 1 to 64 letters, digits and `._:-`. The texts `.` and
  /// `..` are invalid, because the fleet store rejects them. The characters are limited because IDs are part of records
  /// and of MQTT topics.
  public static func isIdentifier(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isIdentifierByte) && text != "." && text != ".."
  }

  /// The rule that ``isIdentifier(_:)`` checks, as text for messages.
  public static let identifierRule = #"1 to 64 letters, digits or . _ : -, and not "." or "..""#

  private static func identifier(_ reader: inout JSONObjectReader, _ key: String) throws(JSONError) -> String? {
    guard let value = reader.optional(key) else { return nil }
    let text = try value.requireString()
    guard isIdentifier(text) else { throw value.invalid(expected: identifierRule) }
    return text
  }

  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
    default: false
    }
  }

  static func path(
    _ reader: inout JSONObjectReader, _ key: String, _ folder: String
  ) throws(JSONError) -> String? {
    guard let value = reader.optional(key) else { return nil }
    return resolved(try notEmpty(value, value.requireString()), folder)
  }

  static func notEmpty(_ value: JSONValue, _ text: String) throws(JSONError) -> String {
    guard (1..<4_096).contains(text.utf8.count), !text.utf8.contains(0) else {
      throw value.invalid(expected: "a path")
    }
    return text
  }

  static func resolved(_ path: String, _ folder: String) -> String {
    path.utf8.first == UInt8(ascii: "/") ? path : folder + path
  }

  /// Returns the folder part of a path, with a slash at the end; empty if the path contains no slash.
  static func folder(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "" }
    return String(file[...slash])
  }
}

extension JSONValue {
  /// Rejects an array or object with more elements than any gateway needs, because reading it could take too much time
  /// and memory.
  func refuseMore(than most: Int) throws(JSONError) {
    guard count <= most else { throw invalid(expected: "at most \(most)", found: "\(count)") }
  }
}

extension GatewayConfiguration.Vehicle {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    id = try GatewayConfiguration.vehicleId(&reader)
    displacement = try reader.optionalDouble("displacement", in: 0.1...30)
    if let name = try reader.optionalString("fuel", oneOf: Fuel.allCases.map(\.rawValue)) {
      fuel = Fuel(rawValue: name)
    }
    volumetricEfficiency = try reader.optionalDouble("volumetricEfficiency", in: 0.3...1.5)
    cylinders = try reader.optionalInt("cylinders", in: 1...16)
    try reader.finish()
  }
}

extension GatewayConfiguration {
  fileprivate static func vehicleId(_ reader: inout JSONObjectReader) throws(JSONError) -> String? {
    try identifier(&reader, "id")
  }
}

extension GatewayConfiguration.Discovery {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    serial = try reader.optionalBool("serial") ?? serial
    bluetooth = try reader.optionalBool("bluetooth") ?? bluetooth
    probe = try reader.optionalBool("probe") ?? probe
    try reader.finish()
  }
}

extension GatewayConfiguration.Poll {
  init(_ reader: inout JSONObjectReader, mayNameSignalSets: Bool) throws(JSONError) {
    self.init()
    defaultPeriod = try reader.optionalDouble("defaultPeriod", in: 0...86_400) ?? defaultPeriod
    if let object = try reader.optionalObject("signals") {
      try object.object.refuseMore(than: 4_096)
      for member in object.object.members {
        guard SignalNames.isKnown(member.key) || mayNameSignalSets && (member.key.first?.isUppercase ?? false) else {
          throw member.value.invalid(
            expected: "a signal of service 01 as obdgate signals lists them",
            found: JSONError.quoted(member.key) + SignalNames.hint(for: member.key))
        }
        var period = Period(signal: member.key, seconds: try member.value.requireDouble(in: 0...86_400))
        period.refusal = member.value.invalid(
          expected: "a signal that the standard or a signal set has; see obdgate signals",
          found: JSONError.quoted(member.key))
        signals.append(period)
      }
    }
    dtcPeriod = try reader.optionalDouble("dtcPeriod", in: 1...86_400) ?? dtcPeriod
    try reader.finish()
  }
}

extension GatewayConfiguration.Power {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    isEnabled = try reader.optionalBool("enabled") ?? isEnabled
    cutOffVoltage = try reader.optionalDouble("cutOffVoltage", in: 6...16)
    cutOffTime = try reader.optionalDouble("cutOffTime", in: 1...86_400)
    electricCutOffTime = try reader.optionalDouble("electricCutOffTime", in: 1...86_400)
    restingVoltage = try reader.optionalDouble("restingVoltage", in: 6...16)
    silentTime = try reader.optionalDouble("silentTime", in: 1...86_400)
    asleepPeriod = try reader.optionalDouble("asleepPeriod", in: 1...3_600)
    wakeRise = try reader.optionalDouble("wakeRise", in: 0.1...5)
    wakeInterval = try reader.optionalDouble("wakeInterval", in: 30...604_800)
    heavySystemVoltage = try reader.optionalDouble("heavySystemVoltage", in: 15...24)
    calibrationLimit = try reader.optionalDouble("calibrationLimit", in: 0...3)
    usesLowPower = try reader.optionalBool("lowPower") ?? usesLowPower
    try reader.finish()
  }
}

extension GatewayConfiguration.Record {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    period = try reader.optionalDouble("period", in: 0.05...3600) ?? period
    if let name = try reader.optionalString("on", oneOf: Trigger.allCases.map(\.rawValue)) {
      trigger = Trigger(rawValue: name) ?? trigger
    }
    try reader.finish()
  }
}

extension GatewayConfiguration.Geofences {
  /// Reads `geofences`: the path of a file, or an object whose `file` is the path.
  init(_ value: JSONValue, folder: String) throws(JSONError) {
    if let text = value.string {
      self.init(file: GatewayConfiguration.resolved(try GatewayConfiguration.notEmpty(value, text), folder))
      return
    }
    var reader = try JSONObjectReader(value)
    self.init(file: "")
    announcesFirstFix = try reader.optionalBool("announceFirstFix") ?? announcesFirstFix
    leastErrorRadius = try reader.optionalDouble("leastErrorRadius", in: 1...1_000)
    errorPerHDOP = try reader.optionalDouble("errorPerHDOP", in: 0...100)
    hold = try reader.optionalDouble("hold", in: 0...3_600)
    carriedDistance = try reader.optionalDouble("carriedDistance", in: 10...10_000)
    carriedTime = try reader.optionalDouble("carriedTime", in: 1...3_600)
    let path = try reader.requiredLast("file")
    file = GatewayConfiguration.resolved(try GatewayConfiguration.notEmpty(path, path.requireString()), folder)
  }
}

extension GatewayConfiguration.Privacy {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    let names = Level.allCases.map(\.rawValue)
    if let name = try reader.optionalString("position", oneOf: names) { position = Level(rawValue: name) ?? position }
    decimals = try reader.optionalInt("decimals", in: 0...5) ?? decimals
    if let object = try reader.optionalObject("fences") {
      try object.object.refuseMore(than: 1_024)
      for member in object.object.members {
        guard let level = Level(rawValue: try member.value.requireString()) else {
          throw member.value.invalid(expected: "\"full\", \"coarse\" or \"off\"")
        }
        var zone = Zone(fence: member.key, level: level)
        zone.refusal = member.keyValue.invalid(expected: "the id of a fence")
        zones.append(zone)
      }
    }
    try reader.finish()
  }
}

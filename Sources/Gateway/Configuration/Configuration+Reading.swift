import JSONText

extension Configuration {
  /// - Parameters:
  ///   - text: the file's bytes.
  ///   - file: its path, for messages and for relative paths in it.
  /// - Throws: the first error, with its place.
  public init(parsing text: [UInt8], file: String) throws(ConfigurationError) {
    let folder = Self.folder(of: file)
    do throws(JSONError) {
      let document = try JSONDocument(parsing: text)
      var reader = try JSONObjectReader(document.root)
      try self.init(&reader, folder: folder)
      try reader.finish()
    } catch {
      throw ConfigurationError(file: file, error: error)
    }
  }

  private init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    self.init()
    gatewayId = try Self.identifier(&reader, "gatewayId")
    if var object = try reader.optionalObject("vehicle") { vehicle = try Vehicle(&object) }
    adapters = try Self.list(&reader, "adapters") { value throws(JSONError) in try Adapter(value, folder: folder) }
    try Self.refuseTwice(reader.object["adapters"], adapters.map(\.link))
    if var object = try reader.optionalObject("discovery") { discovery = try Discovery(&object) }
    if var object = try reader.optionalObject("poll") {
      // An OBDb id begins with a capital; whether a set has it shows when the sets are read.
      let hasSets = reader.object["signalSets"]?[0] != nil
      poll = try Poll(&object, mayNameSignalSets: hasSets)
    }
    if var object = try reader.optionalObject("power") { power = try Power(&object) }
    if var object = try reader.optionalObject("record") { record = try Record(&object) }
    if var object = try reader.optionalObject("trips") { trips = try Trips(&object) }
    if var object = try reader.optionalObject("driving") { driving = try Driving(&object) }
    gps = try Self.list(&reader, "gps") { value throws(JSONError) in try GPSSource(value, folder: folder) }
    if let value = reader.optional("geofences") { geofences = try Geofences(value, folder: folder) }
    if var object = try reader.optionalObject("privacy") { privacy = try Privacy(&object) }
    signalSets = try Self.list(&reader, "signalSets") { value throws(JSONError) in
      Self.resolved(try Self.notEmpty(value, value.requireString()), folder)
    }
    stateDirectory = try Self.path(&reader, "stateDirectory", folder)
    if reader.object["sinks"] != nil { sinks = try Self.sinks(&reader, folder) }
    if var object = try reader.optionalObject("spool") { spool = try SpoolBounds(&object) }
  }

  // MARK: Values

  /// The elements of an array that may be absent.
  private static func list<Element>(
    _ reader: inout JSONObjectReader, _ key: String, _ read: (JSONValue) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var out: [Element] = []
    guard let elements = try reader.optionalArray(key) else { return out }
    for element in elements { out.append(try read(element)) }
    return out
  }

  /// A name that stands in records and topics: 1 to 64 letters, digits and `._:-`.
  private static func identifier(_ reader: inout JSONObjectReader, _ key: String) throws(JSONError) -> String? {
    guard let value = reader.optional(key) else { return nil }
    let text = try value.requireString()
    let isGood = (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isIdentifierByte)
    guard isGood else { throw value.invalid(expected: "1 to 64 letters, digits or . _ : -") }
    return text
  }

  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
    default: false
    }
  }

  private static func path(
    _ reader: inout JSONObjectReader, _ key: String, _ folder: String
  ) throws(JSONError) -> String? {
    guard let value = reader.optional(key) else { return nil }
    return resolved(try notEmpty(value, value.requireString()), folder)
  }

  fileprivate static func notEmpty(_ value: JSONValue, _ text: String) throws(JSONError) -> String {
    guard !text.isEmpty, !text.utf8.contains(0) else { throw value.invalid(expected: "a path") }
    return text
  }

  fileprivate static func resolved(_ path: String, _ folder: String) -> String {
    path.utf8.first == UInt8(ascii: "/") ? path : folder + path
  }

  /// The folder of a file with its slash; empty for a bare name.
  private static func folder(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "" }
    return String(file[...slash])
  }

  private static func refuseTwice(_ array: JSONValue?, _ links: [Adapter.Link]) throws(JSONError) {
    guard let array else { return }
    for (index, link) in links.enumerated() where links[..<index].contains(link) {
      guard let value = array[index] else { continue }
      throw value.invalid(expected: "another adapter", found: "one that the list has already")
    }
  }

  /// `HOST`, `HOST:PORT` or `[IPv6]:PORT`.
  fileprivate static func endpoint(
    _ value: JSONValue, defaultPort: UInt16
  ) throws(JSONError) -> (host: String, port: UInt16) {
    let text = try value.requireString()
    var host = Substring(text)
    var port = Substring()
    if text.utf8.first == UInt8(ascii: "["), let end = text.lastIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { throw value.invalid(expected: "HOST:PORT or [IPv6]:PORT") }
      port = rest.dropFirst()
    } else if let colon = text.lastIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
      guard !port.isEmpty else { throw value.invalid(expected: "a port behind the colon") }
    }
    let isBare = text.utf8.first != UInt8(ascii: "[")
    guard !host.isEmpty, !host.contains(" "), !(isBare && host.contains(":")) else {
      throw value.invalid(expected: "HOST:PORT or [IPv6]:PORT")
    }
    guard !port.isEmpty else { return (String(host), defaultPort) }
    guard let number = UInt16(port), number > 0 else { throw value.invalid(expected: "a port from 1 to 65535") }
    return (String(host), number)
  }

  /// A baud rate, or `auto`.
  fileprivate static func baud(_ reader: inout JSONObjectReader) throws(JSONError) -> Int? {
    guard let value = reader.optional("baud") else { return nil }
    if value.isString("auto") { return nil }
    guard value.kind == .number else { throw value.invalid(expected: "\"auto\" or a number") }
    return try value.requireInt(in: 1200...4_000_000)
  }
}

extension Configuration.Vehicle {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    id = try Configuration.vehicleId(&reader)
    displacement = try reader.optionalDouble("displacement", in: 0.1...30)
    if let name = try reader.optionalString("fuel", oneOf: Fuel.allCases.map(\.rawValue)) {
      fuel = Fuel(rawValue: name)
    }
    volumetricEfficiency = try reader.optionalDouble("volumetricEfficiency", in: 0.3...1.5)
    cylinders = try reader.optionalInt("cylinders", in: 1...16)
    try reader.finish()
  }
}

extension Configuration {
  fileprivate static func vehicleId(_ reader: inout JSONObjectReader) throws(JSONError) -> String? {
    try identifier(&reader, "id")
  }
}

extension Configuration.Adapter {
  init(_ value: JSONValue, folder: String) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    let links = ["device", "rfcomm", "tcp"].filter { value[$0] != nil }
    guard links.count == 1 else {
      throw value.invalid(
        expected: "exactly one of \"device\", \"rfcomm\" and \"tcp\"",
        found: links.isEmpty ? "none" : links.joined(separator: " and "))
    }
    var baud: Int?
    var preferredBaud: Int?
    let link: Link
    if let device = reader.optional("device") {
      let path = try Configuration.notEmpty(device, device.requireString())
      link = .serial(device: Configuration.resolved(path, folder))
      baud = try Configuration.baud(&reader)
      preferredBaud = try reader.optionalInt("preferredBaud", in: 9_600...2_000_000)
    } else if let address = reader.optional("rfcomm") {
      link = .rfcomm(address: try Self.bluetoothAddress(address))
    } else {
      let endpoint = try Configuration.endpoint(reader.required("tcp"), defaultPort: 35_000)
      link = .tcp(host: endpoint.host, port: endpoint.port)
    }
    let digit = try Self.protocolDigit(&reader)
    try reader.finish()
    self.init(link: link, baud: baud, protocolDigit: digit)
    self.preferredBaud = preferredBaud
  }

  /// `00:1D:A5:68:98:8A`, either case.
  private static func bluetoothAddress(_ value: JSONValue) throws(JSONError) -> String {
    let text = try value.requireString().uppercased()
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let isGood = parts.count == 6 && parts.allSatisfy { $0.utf8.count == 2 && UInt8($0, radix: 16) != nil }
    guard isGood else { throw value.invalid(expected: "a Bluetooth address such as \"00:1D:A5:68:98:8A\"") }
    return text
  }

  /// `auto`, or the digit that ATSP takes.
  private static func protocolDigit(_ reader: inout JSONObjectReader) throws(JSONError) -> Character? {
    guard let value = reader.optional("protocol") else { return nil }
    if value.isString("auto") { return nil }
    guard let text = value.string, text.count == 1, let digit = text.first, "123456789Aa".contains(digit) else {
      throw value.invalid(expected: "\"auto\", \"1\" to \"9\" or \"A\"")
    }
    return digit == "a" ? "A" : digit
  }
}

extension Configuration.Discovery {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    serial = try reader.optionalBool("serial") ?? serial
    bluetooth = try reader.optionalBool("bluetooth") ?? bluetooth
    probe = try reader.optionalBool("probe") ?? probe
    try reader.finish()
  }
}

extension Configuration.Poll {
  init(_ reader: inout JSONObjectReader, mayNameSignalSets: Bool) throws(JSONError) {
    self.init()
    defaultPeriod = try reader.optionalDouble("defaultPeriod", in: 0...86_400) ?? defaultPeriod
    if let object = try reader.optionalObject("signals") {
      for member in object.object.members {
        guard SignalNames.isKnown(member.key) || mayNameSignalSets && (member.key.first?.isUppercase ?? false) else {
          throw member.value.invalid(
            expected: "a signal of service 01 as obdgate signals lists them", found: JSONError.quoted(member.key))
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

extension Configuration.Power {
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

extension Configuration.Record {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    period = try reader.optionalDouble("period", in: 0.05...3600) ?? period
    if let name = try reader.optionalString("on", oneOf: Trigger.allCases.map(\.rawValue)) {
      trigger = Trigger(rawValue: name) ?? trigger
    }
    try reader.finish()
  }
}

extension Configuration.Geofences {
  /// A path, or an object that has one as its `file`.
  init(_ value: JSONValue, folder: String) throws(JSONError) {
    if let text = value.string {
      self.init(file: Configuration.resolved(try Configuration.notEmpty(value, text), folder))
      return
    }
    var reader = try JSONObjectReader(value)
    let file = try reader.required("file")
    self.init(file: Configuration.resolved(try Configuration.notEmpty(file, file.requireString()), folder))
    announcesFirstFix = try reader.optionalBool("announceFirstFix") ?? announcesFirstFix
    leastErrorRadius = try reader.optionalDouble("leastErrorRadius", in: 1...1_000)
    errorPerHDOP = try reader.optionalDouble("errorPerHDOP", in: 0...100)
    hold = try reader.optionalDouble("hold", in: 0...3_600)
    carriedDistance = try reader.optionalDouble("carriedDistance", in: 10...10_000)
    carriedTime = try reader.optionalDouble("carriedTime", in: 1...3_600)
    try reader.finish()
  }
}

extension Configuration.Privacy {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    let names = Level.allCases.map(\.rawValue)
    if let name = try reader.optionalString("position", oneOf: names) { position = Level(rawValue: name) ?? position }
    decimals = try reader.optionalInt("decimals", in: 0...5) ?? decimals
    if let object = try reader.optionalObject("fences") {
      for member in object.object.members {
        guard let level = Level(rawValue: try member.value.requireString()) else {
          throw member.value.invalid(expected: "\"full\", \"coarse\" or \"off\"")
        }
        zones.append(Zone(fence: member.key, level: level))
      }
    }
    try reader.finish()
  }
}

extension Configuration.GPSSource {
  init(_ value: JSONValue, folder: String) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    if let device = reader.optional("device"), value["gpsd"] == nil {
      let path = Configuration.resolved(try Configuration.notEmpty(device, device.requireString()), folder)
      self = .serial(device: path, baud: try Configuration.baud(&reader))
    } else if let gpsd = reader.optional("gpsd"), value["device"] == nil {
      let endpoint = try Configuration.endpoint(gpsd, defaultPort: 2947)
      self = .gpsd(host: endpoint.host, port: endpoint.port)
    } else {
      throw value.invalid(expected: "either \"device\" or \"gpsd\"")
    }
    try reader.finish()
  }
}

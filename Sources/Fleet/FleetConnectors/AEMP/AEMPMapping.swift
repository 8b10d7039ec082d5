import FleetDomain
import Telemetry

/// Converts answers of ISO 15143-3 servers (AEMP 2.0 and 1.2), in XML or JSON, to assets and records.
///
/// Each section of a machine has its own time, as an attribute or an element. The unit of a value is a separate text. A
/// value with an unknown unit is ignored.
struct AEMPMapping {
  /// Whether fields that the standard defines in hours contain minutes. One maker does so at the path
  /// `/Fleet/minutes/1`.
  var hasMinutes = false
  var page = PulledPage()

  // MARK: Documents

  /// Converts a page of a fleet. Also returns the address of the next page; `nil` for the last page.
  static func fleet(_ body: [UInt8], hasMinutes: Bool = false) throws(ConnectorError) -> (PulledPage, next: String?) {
    let document = try document(body)
    var mapping = AEMPMapping(hasMinutes: hasMinutes)
    guard document["equipment"] != nil || document["links"] != nil || document["snapshottime"] != nil else {
      throw ConnectorError(.malformed, "expected a Fleet with Equipment")
    }
    for machine in XMLReader.elements(document["equipment"]) { mapping.add(machine) }
    return (mapping.page, link("next", in: document))
  }

  /// Converts a time series of one machine: sections of one kind, or faults.
  ///
  /// - Parameter asset: the ID of the machine. It is used if the answer has no header.
  static func series(_ body: [UInt8], of asset: String) throws(ConnectorError) -> (PulledPage, next: String?) {
    let document = try document(body)
    var mapping = AEMPMapping()
    let header = document["equipmentheader"] ?? .null
    let machine = mapping.asset(header) ?? PulledAsset(asset)
    mapping.page.assets.append(machine)
    for (key, value) in document.members.sorted(by: { $0.key < $1.key })
    where !["links", "equipmentheader", "version", "snapshottime"].contains(key) {
      mapping.add(section: key, value, of: machine.id, at: nil)
    }
    return (mapping.page, link("next", in: document))
  }

  /// Parses XML or JSON. All keys become lower case, and the result is the object of the fleet.
  private static func document(_ body: [UInt8]) throws(ConnectorError) -> JSON {
    guard let first = body.first(where: { $0 > 0x20 && $0 < 0x80 }) else {
      throw ConnectorError(.malformed, "the answer is empty")
    }
    if first == UInt8(ascii: "<") {
      do throws(XMLError) {
        return try XMLReader.parse(body).content
      } catch {
        throw ConnectorError(.malformed, "the answer is not XML of a fleet: byte \(error.offset): \(error.message)")
      }
    }
    do throws(FieldError) {
      let json = lowered(try JSON(parsing: body))
      if case .object? = json["fleet"] { return json["fleet"] ?? .null }
      guard case .object = json else { throw FieldError("", "expected an object, found \(json.summary)") }
      return json
    } catch {
      throw ConnectorError(.malformed, "the answer is not JSON of a fleet: \(error.message)")
    }
  }

  private static func lowered(_ json: JSON) -> JSON {
    switch json {
    case .array(let elements): .array(elements.map(lowered))
    case .object(let members):
      .object(Dictionary(members.map { ($0.key.lowercased(), lowered($0.value)) }) { first, _ in first })
    default: json
    }
  }

  private static func link(_ relation: String, in document: JSON) -> String? {
    for link in XMLReader.elements(document["links"]) + XMLReader.elements(document["links"]?["link"]) {
      if link["rel"]?.filledText?.lowercased() == relation, let address = link["href"]?.filledText { return address }
      // Some servers write a link as `{"Next": "…"}`.
      if link["rel"] == nil, let address = link[relation]?.filledText { return address }
    }
    return nil
  }

  // MARK: Machines

  private mutating func add(_ machine: JSON) {
    guard let asset = asset(machine["equipmentheader"] ?? machine) else {
      return page.ignore("machine without serial number, PIN and id")
    }
    page.assets.append(asset)
    let time = machine["telemetrydate"]?.time
    var own: [String: JSON] = [:]
    for (key, value) in machine.members.sorted(by: { $0.key < $1.key }) where key != "equipmentheader" {
      switch value {
      case .object, .array: add(section: key, value, of: asset.id, at: nil)
      default: own[key] = value
      }
    }
    add(attributes: own, of: asset.id, at: time)
  }

  private func asset(_ header: JSON) -> PulledAsset? {
    func named(_ keys: String...) -> String? {
      keys.lazy.compactMap { header[$0]?.identifier }.first { !Self.isPlaceholder($0) }
    }
    let (serial, pin, id) = (named("serialnumber"), named("pin", "vin"), named("equipmentid"))
    guard let identity = pin ?? serial ?? id else { return nil }
    let make = named("oemname", "make")
    var asset = PulledAsset([make, identity].compactMap { $0 }.joined(separator: " "))
    asset.setVIN(pin)
    asset.serial = serial
    asset.name = id
    asset.make = make
    asset.model = named("model")
    return asset
  }

  /// Whether a text is a placeholder for a missing value.
  private static func isPlaceholder(_ text: String) -> Bool {
    ["missing", "n/a", "na", "none", "null", "nil", "unknown", "undefined", "not available", "-", "--", "0", "string"]
      .contains(text.lowercased())
  }

  /// Adds the values that a machine's XML element contains as attributes.
  private mutating func add(attributes own: [String: JSON], of asset: String, at time: Timestamp?) {
    func object(_ pairs: (String, String)...) -> JSON? {
      let members = pairs.compactMap { key, source in own[source].map { (key, $0) } }
      return members.isEmpty ? nil : .object(Dictionary(members) { first, _ in first })
    }
    let sections: [(String, JSON?)] = [
      (
        "location",
        own["latitude"].flatMap { _ in
          object(
            ("latitude", "latitude"), ("longitude", "longitude"), ("altitude", "altitude"),
            ("altitudeunits", "altitudeunits"))
        }
      ),
      ("cumulativeoperatinghours", object(("hour", "operatinghours"))),
      ("cumulativeidlehours", object(("hour", "idlehours"))),
      ("cumulativeloadcount", object(("count", "loadcount"))),
      (
        "cumulativepayloadtotals",
        own["payload"].flatMap { _ in
          object(("payload", "payload"), ("payloadunits", "payloadunits"))
        }
      ),
      ("fuelremaining", object(("percent", "fuelremainingpercent"))),
      ("defremaining", object(("percent", "defremainingpercent"))),
      ("enginestatus", object(("running", "enginerunning"))),
      (
        "distance",
        own["odometer"].flatMap { _ in object(("odometer", "odometer"), ("odometerunits", "odometerunits")) }
      ),
      (
        "fuelused",
        own["fuelconsumed"].flatMap { _ in object(("fuelconsumed", "fuelconsumed"), ("fuelunits", "fuelunits")) }
      ),
    ]
    for (name, section) in sections {
      if let section { add(section: name, section, of: asset, at: time) }
    }
  }

  // MARK: Sections

  /// Adds the record of a section.
  ///
  /// - Parameter time: the time to use if the section has none.
  private mutating func add(section name: String, _ json: JSON, of asset: String, at time: Timestamp?) {
    if case .array(let elements) = json {
      for element in elements { add(section: name, element, of: asset, at: time) }
      return
    }
    guard case .object = json else { return page.ignore("field \(name.prefix(40))") }
    if name == "faultcode" || name == "faultcodes" { return add(fault: json, of: asset) }
    guard let own = json["datetime"]?.time ?? time else {
      return page.ignore(json["datetime"] == nil ? "\(name) without a time" : "\(name) with a time that cannot be true")
    }
    guard let values = values(of: name, json) else { return page.ignore("section \(name.prefix(40))") }
    guard !values.isEmpty else { return page.ignore("\(name) that cannot be true") }
    let engine = name == "enginestatus" ? json["enginenumber"]?.identifier : nil
    page.records.append(
      PulledRecord(asset: asset, time: own, series: engine.map { "\(name) \($0)" } ?? name, values: values))
    if let odometer = values["odometer"]?.numberValue {
      page.readings.append(PulledReading(asset: asset, at: own, meter: .odometer, value: odometer))
    }
    if let seconds = values["totalEngineRunTime"]?.numberValue {
      page.readings.append(
        PulledReading(asset: asset, at: own, meter: .engineHours, value: Units.rounded(seconds / 3_600)))
    }
  }

  /// Returns the members of the record for a section; empty if the section's value is impossible, and `nil` if the
  /// section is unknown.
  private func values(of section: String, _ json: JSON) -> [String: JSON]? {
    func one(_ key: String, _ value: Double?) -> [String: JSON] {
      guard let value, value >= 0, value.isFinite else { return [:] }
      return [key: Units.rounded(value).json]
    }
    func percent(_ key: String) -> [String: JSON] {
      one(key, json["percent"]?.looseNumber.flatMap { $0 <= 100 ? $0 : nil })
    }
    switch section {
    case "location": return Self.position(json)
    case "cumulativeoperatinghours", "operatinghours":
      return one("totalEngineRunTime", hours(json).map { $0 * 3_600 }.flatMap { $0 <= 4_294_967_295 ? $0 : nil })
    case "cumulativeidlehours", "idlehours": return one("idleHours", hours(json))
    case "cumulativeidlenonoperatinghours": return one("idleNonOperatingHours", hours(json))
    case "cumulativepowertakeoffhours": return one("powerTakeOffHours", hours(json))
    case "cumulativeactiveregenerationhours": return one("activeRegenerationHours", hours(json))
    case "fuelused": return one("totalFuelUsed", volume(json))
    case "fuelusedlast24", "fuelusedlast24hours", "fuelusedinthepreceding24hours":
      return one("fuelUsedLast24Hours", volume(json))
    case "fuelremaining", "fuelremainingratio": return percent("fuelLevel")
    case "defremaining", "defremainingratio": return percent("defLevel")
    case "distance", "odometer", "cumulativedistance": return one("odometer", distance(json))
    case "enginestatus", "enginecondition":
      return json["running"].flatMap(Self.flag).map { ["engineState": .text($0 ? "on" : "off")] } ?? [:]
    case "cumulativeloadcount", "loadcount": return one("loadCount", json["count"]?.looseNumber)
    case "cumulativepayloadtotals", "cumulativepayloadtotal": return one("payloadTotal", mass(json))
    case "averageloadfactorlast24hours", "averageloadfactorlast24": return percent("averageLoadLast24Hours")
    case "maximumspeedlast24hours", "maximumspeedlast24": return [:]
    default: return nil
    }
  }

  private static func position(_ json: JSON) -> [String: JSON] {
    guard
      var values = SourcePosition.values(
        latitude: json["latitude"]?.looseNumber, longitude: json["longitude"]?.looseNumber)
    else { return [:] }
    // Machines that do not measure the altitude report 0.
    if let altitude = json["altitude"]?.looseNumber, altitude != 0, let unit = json["altitudeunits"]?.filledText,
      let meters = NamedUnit.meters(altitude, unit), (-1_000...20_000).contains(meters)
    {
      values["altitude"] = Units.rounded(meters).json
    }
    return values
  }

  private static func flag(_ json: JSON) -> Bool? {
    if let flag = json.boolValue { return flag }
    switch json.identifier?.lowercased() {
    case "true", "1": return true
    case "false", "0": return false
    default: return nil
    }
  }

  /// Returns the hours that a value contains as a number, or as a duration of ISO 8601 (AEMP 1.2); `nil` if it contains
  /// none.
  private func hours(_ json: JSON) -> Double? {
    guard let hour = json["hour"] ?? json["hours"] else { return nil }
    if let number = hour.looseNumber { return hasMinutes ? number / 60 : number }
    return hour.filledText.flatMap(Self.hours(duration:))
  }

  /// Converts a duration of weeks, days, hours, minutes and seconds, such as `P13DT0H25M59.999S`, to hours. Returns
  /// `nil` for years and months, because their length varies.
  static func hours(duration text: String) -> Double? {
    guard text.first == "P", text.utf8.count <= 64 else { return nil }
    var (total, number, isTime, count) = (0.0, "", false, 0)
    for character in text.dropFirst() {
      switch character {
      case "0"..."9", ".": number.append(character)
      case "T" where number.isEmpty && !isTime: isTime = true
      default:
        guard let value = Double(number) else { return nil }
        switch (character, isTime) {
        case ("W", false): total += value * 168
        case ("D", false): total += value * 24
        case ("H", true): total += value
        case ("M", true): total += value / 60
        case ("S", true): total += value / 3_600
        default: return nil
        }
        (number, count) = ("", count + 1)
      }
    }
    return number.isEmpty && count > 0 ? total : nil
  }

  /// Returns the number of a value, converted from its unit; `nil` if absent or invalid. The unit is a separate text,
  /// or the end of the value's name.
  ///
  /// - Parameters:
  ///   - name: the name of the value, without the unit.
  ///   - unit: the name of the member that contains the unit.
  private func value(
    _ json: JSON, _ name: String, unit: String, _ convert: (Double, String) -> Double?
  ) -> Double? {
    if let number = json[name]?.looseNumber { return json[unit]?.filledText.flatMap { convert(number, $0) } }
    for (key, value) in json.members.sorted(by: { $0.key < $1.key }) where key.hasPrefix(name) && key != unit {
      if let number = value.looseNumber, let converted = convert(number, String(key.dropFirst(name.count))) {
        return converted
      }
    }
    return nil
  }

  private func volume(_ json: JSON) -> Double? {
    value(json, "fuelconsumed", unit: "fuelunits", NamedUnit.liters)
  }

  private func distance(_ json: JSON) -> Double? {
    value(json, "odometer", unit: "odometerunits", NamedUnit.kilometers).flatMap { $0 <= 9_999_999 ? $0 : nil }
  }

  private func mass(_ json: JSON) -> Double? { value(json, "payload", unit: "payloadunits", NamedUnit.kilograms) }

  // MARK: Faults

  /// Adds a fault. A list of faults contains when each fault occurred, but not which faults have ended. Therefore, each
  /// code is reported with its own ECU name, so that a report of one code does not end other codes.
  private mutating func add(fault json: JSON, of asset: String) {
    guard let time = json["datetime"]?.time else { return page.ignore("fault without a time") }
    guard let identifier = json["codeidentifier"]?.identifier else { return page.ignore("fault without a code") }
    let fault = HeavyFault(parsing: identifier)
    let code = fault?.code ?? identifier
    guard (1...32).contains(code.utf8.count), NameRules.isVisible(code) else {
      return page.ignore("fault with a code that is too long")
    }
    var report = FaultReport()
    report.add(code, json["codedescription"]?.filledText ?? fault?.text, to: \.stored)
    var values = report.values(ecu: code)
    values["source"] = json["codesource"]?.filledText.map { .text(String($0.prefix(100))) }
    values["severity"] = json["codeseverity"]?.filledText.map { .text(String($0.prefix(32)).lowercased()) }
    page.records.append(
      PulledRecord(asset: asset, time: time, type: "dtc", series: "fault \(code)", values: values))
  }
}

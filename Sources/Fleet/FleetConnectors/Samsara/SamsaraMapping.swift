import FleetDomain
import Telemetry

/// Converts Samsara's answers to assets and records.
///
/// A snapshot (`/stats`) contains objects with names in the singular. The feed contains arrays, some of them with names
/// in the plural:
///
///     {"id":"281474977075805","name":"Little Red","externalIds":{"samsara.vin":"1FUJA6CV77LSYNTH1"},
///      "engineStates":[{"time":"2020-07-03T02:11:51Z","value":"Off"}]}
enum SamsaraMapping {
  // MARK: Pages

  /// Converts a page of `/fleet/vehicles`. After the last page, the next round begins with the first one.
  static func vehicles(_ json: JSON) throws(ConnectorError) -> PulledPage {
    var page = try start(json)
    page.assets = rows(json, &page).map { asset($0, id: $1) }
    if page.isLast { page.cursor = .null }
    return page
  }

  /// Converts a page of `/fleet/vehicles/stats` or `/fleet/vehicles/stats/feed`.
  ///
  /// - Parameter cursor: the cursor with which the page was requested. It is used again if the page contains none.
  static func feed(_ json: JSON, after cursor: JSON = .null) throws(ConnectorError) -> PulledPage {
    var page = try start(json)
    if page.cursor == .null { page.cursor = cursor }
    for (row, id) in rows(json, &page) {
      page.assets.append(asset(row, id: id))
      for (key, value) in row.members.sorted(by: { $0.key < $1.key }) {
        guard let stat = SamsaraStat.named[key] else {
          if !known.contains(key) { page.ignore("field \(key)") }
          continue
        }
        if case .array(let readings) = value {
          for reading in readings { add(reading, stat, of: id, &page) }
        } else {
          add(value, stat, of: id, &page)
        }
      }
    }
    return page
  }

  /// Members of a vehicle that are not statistics.
  private static let known: Set<String> = ["id", "name", "externalIds"]

  /// Reads the end of a page: its cursor, and whether another page follows.
  static func start(_ json: JSON) throws(ConnectorError) -> PulledPage {
    guard case .array? = json["data"], let pagination = json["pagination"] else {
      throw ConnectorError(.malformed, "expected an object with data and pagination")
    }
    var page = PulledPage()
    page.isLast = pagination["hasNextPage"]?.boolValue != true
    // The last page of a list has an empty cursor.
    page.cursor = pagination["endCursor"]?.filledText.map { .text($0) } ?? .null
    guard page.isLast || page.cursor != .null else {
      throw ConnectorError(.malformed, "another page follows, but endCursor is missing")
    }
    return page
  }

  private static func rows(_ json: JSON, _ page: inout PulledPage) -> [(JSON, String)] {
    var rows: [(JSON, String)] = []
    for row in json["data"]?.elements ?? [] {
      if let id = row["id"]?.identifier { rows.append((row, id)) } else { page.ignore("vehicle without id") }
    }
    return rows
  }

  /// Reads a vehicle that is part of another object; `nil` if the vehicle has no ID.
  static func asset(_ json: JSON) -> PulledAsset? { json["id"]?.identifier.map { asset(json, id: $0) } }

  private static func asset(_ row: JSON, id: String) -> PulledAsset {
    var asset = PulledAsset(id)
    asset.setVIN(
      row["vin"]?.filledText ?? row["vehicleVin"]?.filledText ?? row["externalIds"]?["samsara.vin"]?.filledText)
    asset.serial = row["serial"]?.filledText ?? row["externalIds"]?["samsara.serial"]?.filledText
    asset.name = row["name"]?.filledText
    asset.make = row["make"]?.filledText
    asset.model = row["model"]?.filledText
    asset.modelYear = row["year"]?.looseNumber.flatMap { Int64(exactly: $0) }
    asset.licencePlate = row["licensePlate"]?.filledText
    return asset
  }

  // MARK: Values

  /// Adds one record for a reading. The record also contains the values that Samsara adds to the reading (decorations).
  private static func add(_ json: JSON, _ stat: SamsaraStat, of asset: String, _ page: inout PulledPage) {
    guard let time = json["time"]?.time else { return page.ignore("value without a time") }
    if stat == .faultCodes { return faults(json, of: asset, at: time, &page) }
    guard var values = stat.values(json) else { return page.ignore("\(stat.rawValue) that cannot be true") }
    for (key, decoration) in json["decorations"]?.members ?? [:] {
      guard let other = SamsaraStat.named[key], other != .faultCodes, let more = other.values(decoration) else {
        page.ignore("decoration \(key)")
        continue
      }
      values.merge(more) { own, _ in own }
      addReadings(more, at: time, of: asset, &page)
    }
    guard !values.isEmpty else { return }
    page.records.append(PulledRecord(asset: asset, time: time, series: stat.rawValue, values: values))
    addReadings(values, at: time, of: asset, &page)
  }

  /// Adds meter readings for the values of a record.
  private static func addReadings(
    _ values: [String: JSON], at time: Timestamp, of asset: String, _ page: inout PulledPage
  ) {
    if let odometer = values["odometer"]?.numberValue {
      page.readings.append(PulledReading(asset: asset, at: time, meter: .odometer, value: odometer))
    }
    if let seconds = values["totalEngineRunTime"]?.numberValue {
      page.readings.append(
        PulledReading(asset: asset, at: time, meter: .engineHours, value: Units.rounded(seconds / 3_600)))
    }
  }

  private static func faults(_ json: JSON, of asset: String, at time: Timestamp, _ page: inout PulledPage) {
    var reports: [String: FaultReport] = [:]
    if let obd = json["obdii"] {
      let isLampOn = obd["checkEngineLightIsOn"]?.boolValue
      for ecu in obd["diagnosticTroubleCodes"]?.elements ?? [] {
        let name = ecu["txId"]?.integerValue.map { String($0, radix: 16, uppercase: true) } ?? ""
        reports[name, default: FaultReport()].isLampOn = isLampOn ?? ecu["milStatus"]?.boolValue
        for (key, path) in [
          ("confirmedDtcs", \FaultReport.stored), ("pendingDtcs", \.pending), ("permanentDtcs", \.permanent),
        ] as [(String, WritableKeyPath<FaultReport, [String]>)] {
          for code in ecu[key]?.elements ?? [] {
            guard let text = code["dtcShortCode"]?.filledText else {
              page.ignore("trouble code without dtcShortCode")
              continue
            }
            reports[name, default: FaultReport()].add(text, code["dtcDescription"]?.filledText, to: path)
          }
        }
      }
      if obd["diagnosticTroubleCodes"] == nil { reports["", default: FaultReport()].isLampOn = isLampOn }
    }
    if let truck = json["j1939"] {
      let isLampOn = truck["checkEngineLights"].map { lights in
        ["emissionsIsOn", "protectIsOn", "stopIsOn", "warningIsOn"].contains { lights[$0]?.boolValue == true }
      }
      for code in truck["diagnosticTroubleCodes"]?.elements ?? [] {
        let name = code["txId"]?.integerValue.map { String($0, radix: 16, uppercase: true) } ?? ""
        guard let spn = code["spnId"]?.integerValue, let fmi = code["fmiId"]?.integerValue else {
          page.ignore("trouble code without SPN and FMI")
          continue
        }
        let fault = HeavyFault(spn: spn, fmi: fmi)
        let words = [code["spnDescription"]?.filledText, code["fmiDescription"]?.filledText].compactMap { $0 }
        reports[name, default: FaultReport()].isLampOn = isLampOn
        reports[name, default: FaultReport()].add(
          fault.code, words.isEmpty ? fault.text : words.joined(separator: ": "), to: \.stored)
      }
    }
    for (ecu, report) in reports.sorted(by: { $0.key < $1.key }) {
      page.records.append(
        PulledRecord(
          asset: asset, time: time, type: "dtc", series: "faultCodes \(ecu)", values: report.values(ecu: ecu)))
    }
  }
}

import FleetDomain
import Telemetry

/// Converts three lists of Samsara: drivers, drivers' hours of service, and inspection reports (DVIR).
enum SamsaraDrivers {
  /// Converts a page of `/fleet/drivers`.
  static func drivers(_ json: JSON) throws(ConnectorError) -> PulledPage {
    var page = try SamsaraMapping.start(json)
    for row in json["data"]?.elements ?? [] {
      guard let driver = driver(row) else {
        page.ignore("driver without id and name")
        continue
      }
      page.drivers.append(driver)
    }
    if page.isLast { page.cursor = .null }
    return page
  }

  private static func driver(_ json: JSON?) -> PulledDriver? {
    guard let json, let id = json["id"]?.identifier, let name = json["name"]?.filledText else { return nil }
    return PulledDriver(
      id: id, name: name, phone: json["phone"]?.filledText, licenceNumber: json["licenseNumber"]?.filledText)
  }

  /// Converts a page of `/fleet/hos/logs`.
  ///
  ///     {"driver":{"id":"88668","name":"Susan Bob"},"hosLogs":[{"hosStatusType":"driving",
  ///      "logStartTime":"2020-01-27T07:06:25Z","logEndTime":"2020-01-27T09:00:00Z","vehicle":{"id":"281474"}}]}
  ///
  /// - Parameter now: the current time. A period that ends later is still in progress.
  static func logs(_ json: JSON, at now: Timestamp) throws(ConnectorError) -> PulledPage {
    var page = try SamsaraMapping.start(json)
    for row in json["data"]?.elements ?? [] {
      guard let driver = driver(row["driver"]) else {
        page.ignore("log without driver")
        continue
      }
      for log in row["hosLogs"]?.elements ?? [] {
        guard let text = log["hosStatusType"]?.filledText, let status = statuses[text] else {
          page.ignore(log["hosStatusType"] == nil ? "log without status" : "log with an unknown status")
          continue
        }
        guard let from = log["logStartTime"]?.time else {
          page.ignore("log without a time")
          continue
        }
        let end = log["logEndTime"]?.time
        if let end, end < from {
          page.ignore("log that ends before it begins")
          continue
        }
        let vehicle = log["vehicle"].flatMap(SamsaraMapping.asset)
        if let vehicle { page.assets.append(vehicle) }
        page.duties.append(
          PulledDuty(
            driver: driver, status: status, from: from, to: end.flatMap { $0 >= now ? nil : $0 }, asset: vehicle?.id))
      }
    }
    return page
  }

  private static let statuses: [String: DutyPeriod.Status] = [
    "offDuty": .offDuty, "sleeperBed": .sleeperBerth, "sleeperBerth": .sleeperBerth, "driving": .driving,
    "onDuty": .onDuty, "yardMove": .yardMove, "personalConveyance": .personalConveyance, "waitingTime": .waitingTime,
  ]

  // MARK: Inspection reports

  /// Converts a page of `/fleet/dvirs/history`: the defects of vehicles, and the readings of odometers.
  static func reports(_ json: JSON) throws(ConnectorError) -> PulledPage {
    var page = try SamsaraMapping.start(json)
    for row in json["data"]?.elements ?? [] { add(report: row, &page) }
    return page
  }

  /// Adds the content of an inspection report, from a page or from a webhook.
  static func add(report json: JSON, _ page: inout PulledPage) {
    guard let asset = json["vehicle"].flatMap(SamsaraMapping.asset) else {
      return page.ignore("inspection report without a vehicle")
    }
    guard let time = json["endTime"]?.time ?? json["startTime"]?.time else {
      return page.ignore("inspection report without a time")
    }
    page.assets.append(asset)
    if let meters = json["odometerMeters"]?.numberValue, (1...9_999_999_000).contains(meters) {
      page.readings.append(
        PulledReading(asset: asset.id, at: time, meter: .odometer, value: Units.kilometers(meters: meters)))
    }
    for defect in json["vehicleDefects"]?.elements ?? [] {
      let words = [defect["defectType"]?.filledText, defect["comment"]?.filledText].compactMap { $0 }
      guard let id = defect["id"]?.identifier, !words.isEmpty else {
        page.ignore("defect without id and text")
        continue
      }
      page.defects.append(
        PulledDefect(
          id: id, asset: asset.id, at: defect["createdAtTime"]?.time ?? time, text: words.joined(separator: ": "),
          isUnsafe: json["safetyStatus"]?.textValue == "unsafe",
          isResolved: defect["isResolved"]?.boolValue == true))
    }
  }
}

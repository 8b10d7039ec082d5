import Crypto
import FleetAccess
import FleetDomain
import Telemetry

/// Checks the signatures of Samsara's webhooks, and converts their events.
enum SamsaraWebhook {
  /// Maximum difference between the time of a signature and the time of reception, s.
  private static let tolerance: Int64 = 300

  /// Whether a body has a valid signature that is at most 300 s old.
  ///
  /// The signature is HMAC-SHA-256 of `v1:TIMESTAMP:BODY`, with the decoded secret as the key.
  ///
  /// - Parameters:
  ///   - secret: the secret in Base64, as Samsara shows it.
  ///   - signature: the header `X-Samsara-Signature`, `v1=…`.
  ///   - timestamp: the header `X-Samsara-Timestamp`, seconds since 1970.
  static func isSigned(
    _ body: [UInt8], secret: String, signature: String, timestamp: String, at now: Timestamp
  ) -> Bool {
    guard let key = Base64.bytes(secret), !key.isEmpty, signature.hasPrefix("v1="),
      let code = Hexadecimal.bytes(signature.dropFirst(3)), timestamp.utf8.count <= 16, let seconds = Int64(timestamp),
      abs(seconds - now.milliseconds / 1_000) <= tolerance
    else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(
      code, authenticating: Array("v1:\(timestamp):".utf8) + body, using: SymmetricKey(data: key))
  }

  /// Converts an event to assets and records. Unknown events are counted.
  static func page(_ json: JSON) -> PulledPage {
    var page = PulledPage()
    guard let type = json["eventType"]?.filledText else {
      page.ignore("event without a type")
      return page
    }
    let data = json["data"] ?? json
    switch type {
    case "VehicleCreated", "VehicleUpdated":
      if let asset = asset(data["vehicle"]) { page.assets = [asset] } else { page.ignore("\(type) without a vehicle") }
    case "GeofenceEntry", "GeofenceExit", "geofenceEntry", "geofenceExit":
      let isEntry = type.lowercased().hasSuffix("entry")
      add("geofence", json, data["vehicle"], &page) {
        var values: [String: JSON] = ["event": .text(isEntry ? "enter" : "exit")]
        values["fenceId"] = data["address"]?["id"]?.identifier.map { .text(String($0.prefix(128))) }
        values["fenceName"] = data["address"]?["name"]?.filledText.map { .text(String($0.prefix(256))) }
        return values
      }
    case "DvirSubmitted", "dvirSubmitted":
      SamsaraDrivers.add(report: data["dvir"] ?? data, &page)
    case "Alert":
      // The first version of webhooks.
      let alert = json["event"] ?? .null
      guard var asset = alert["device"].flatMap(asset), let time = SourceTime.milliseconds(json["eventMs"]?.numberValue)
      else { return ignoring("event without a vehicle and a time", page) }
      asset.setVIN(alert["device"]?["vin"]?.filledText)
      asset.serial = alert["device"]?["serial"]?.filledText ?? asset.serial
      page.assets.append(asset)
      let words = [alert["summary"]?.filledText, alert["details"]?.filledText].compactMap { $0 }
      var values: [String: JSON] = [:]
      values["text"] = words.isEmpty ? nil : .text(String(words.joined(separator: ": ").prefix(500)))
      values["url"] = alert["alertEventUrl"]?.filledText.map { .text(String($0.prefix(500))) }
      values["resolved"] = alert["resolved"]?.boolValue.map { .bool($0) }
      page.records.append(
        PulledRecord(
          asset: asset.id, time: SourceTime.milliseconds(alert["startMs"]?.numberValue) ?? time, type: "alert",
          series: "event \(json["eventId"]?.filledText ?? "") 0", values: values))
    case "AlertIncident":
      for condition in data["conditions"]?.elements ?? [] {
        let vehicles = condition["details"]?.members.values.compactMap { $0["vehicle"] } ?? []
        add("alert", json, vehicles.first, &page) {
          var values: [String: JSON] = [:]
          values["text"] = condition["description"]?.filledText.map { .text(String($0.prefix(500))) }
          values["url"] = data["incidentUrl"]?.filledText.map { .text(String($0.prefix(500))) }
          return values
        }
      }
    default: page.ignore("event \(type.prefix(40))")
    }
    return page
  }

  private static func ignoring(_ reason: String, _ page: PulledPage) -> PulledPage {
    var page = page
    page.ignore(reason)
    return page
  }

  /// Adds a record for an event of a vehicle.
  private static func add(
    _ type: String, _ event: JSON, _ vehicle: JSON?, _ page: inout PulledPage, _ values: () -> [String: JSON]
  ) {
    guard let asset = asset(vehicle) else { return page.ignore("event without a vehicle") }
    guard let time = event["data"]?["happenedAtTime"]?.time ?? event["eventTime"]?.time else {
      return page.ignore("event without a time")
    }
    page.assets.append(asset)
    // An event that Samsara sends again has the same ID.
    let id = event["eventId"]?.filledText ?? ""
    page.records.append(
      PulledRecord(
        asset: asset.id, time: time, type: type, series: "event \(id) \(page.records.count)", values: values()))
  }

  private static func asset(_ json: JSON?) -> PulledAsset? {
    guard let json, let id = json["id"]?.identifier else { return nil }
    var asset = PulledAsset(id)
    asset.setVIN(json["vehicleVin"]?.filledText ?? json["externalIds"]?["samsara.vin"]?.filledText)
    asset.serial = json["externalIds"]?["samsara.serial"]?.filledText
    asset.name = json["name"]?.filledText
    asset.licencePlate = json["licensePlate"]?.filledText
    return asset
  }
}

import FleetDomain
import Telemetry

/// A client of Samsara's REST API: vehicles, the feed of their values, and the drivers' logs.
///
/// A page of a list has a cursor in `pagination.endCursor`, which the next request sends as `after`. The cursor of the
/// feed is stored and never reset.
struct SamsaraClient: ConnectorClient {
  let session: ConnectorSession

  /// The API allows at most three types in one feed.
  private static let feeds: [String: String] = [
    "stats1": "gps,engineStates,obdOdometerMeters",
    "stats2": "fuelPercents,obdEngineSeconds,faultCodes",
    "stats3": "engineRpm,ecuSpeedMph,engineCoolantTemperatureMilliC",
    "stats4": "defLevelMilliPercent,batteryMilliVolts,ambientAirTemperatureMilliC",
  ]

  var streams: [ConnectorStream] {
    [ConnectorStream(name: "vehicles", pause: 3_600)] + Self.feeds.keys.sorted().map { ConnectorStream(name: $0) }
  }

  func pull(_ stream: ConnectorStream, after cursor: JSON) async throws(ConnectorError) -> PulledPage {
    let base = session.settings.address ?? session.settings.service.address ?? ""
    var parameters: [(String, String?)]
    var path = "/fleet/vehicles"
    if let types = Self.feeds[stream.name] {
      path += "/stats/feed"
      parameters = [("types", types)]
    } else {
      parameters = [("limit", "512")]
    }
    parameters.append(("after", cursor.filledText))
    let json = try await session.json("\(base)\(path)?\(ConnectorSession.encoded(parameters))")
    return try stream.name == "vehicles"
      ? SamsaraMapping.vehicles(json) : SamsaraMapping.feed(json, after: cursor)
  }
}

import FleetDomain
import Telemetry

/// A client of Samsara's REST API: vehicles, the feed of their values, and the drivers' logs.
///
/// A page of a list has a cursor in `pagination.endCursor`, which the next request sends as `after`. The cursor of the
/// feed is stored and never reset.
struct SamsaraClient: ConnectorClient {
  let session: ConnectorSession

  /// The types of values in each feed. The API allows at most three types in one feed.
  private static let feeds: [String: String] = [
    "stats1": "gps,engineStates,obdOdometerMeters",
    "stats2": "fuelPercents,obdEngineSeconds,faultCodes",
    "stats3": "engineRpm,ecuSpeedMph,engineCoolantTemperatureMilliC",
    "stats4": "defLevelMilliPercent,batteryMilliVolts,ambientAirTemperatureMilliC",
  ]

  /// The lists that not every token is allowed to read. They are read after all other lists.
  private static let optional = [
    ConnectorStream(name: "drivers", pause: 3_600), ConnectorStream(name: "hosLogs", pause: 300),
    ConnectorStream(name: "dvirs", pause: 3_600),
  ]
  /// The length of the period before now that each pull of logs covers, s. Drivers still change and certify logs in
  /// this period.
  private static let logReach = 2 * 86_400
  /// The length of the period before now that each pull of inspection reports covers, s.
  private static let reportReach = 7 * 86_400

  var streams: [ConnectorStream] {
    [ConnectorStream(name: "vehicles", pause: 3_600)] + Self.feeds.keys.sorted().map { ConnectorStream(name: $0) }
      + Self.optional
  }

  func pull(_ stream: ConnectorStream, after cursor: JSON) async throws(ConnectorError) -> PulledPage {
    guard Self.optional.contains(stream) else {
      if let types = Self.feeds[stream.name] {
        return try SamsaraMapping.feed(
          try await list("/fleet/vehicles/stats/feed", [("types", types), ("after", cursor.filledText)]), after: cursor)
      }
      return try SamsaraMapping.vehicles(
        try await list("/fleet/vehicles", [("limit", "512"), ("after", cursor.filledText)]))
    }
    do throws(ConnectorError) {
      return try await pullOptional(stream, after: cursor)
    } catch {
      guard error.kind == .refused || error.description.hasPrefix("status 404") else { throw error }
      var page = PulledPage()
      page.ignore("\(stream.name): the token may not read them")
      return page
    }
  }

  private func pullOptional(
    _ stream: ConnectorStream, after cursor: JSON
  ) async throws(ConnectorError) -> PulledPage {
    if stream.name == "drivers" {
      return try SamsaraDrivers.drivers(
        try await list("/fleet/drivers", [("limit", "512"), ("after", cursor.filledText)]))
    }
    // The pages of one pull have the same range of time.
    let now = cursor["until"]?.time ?? session.now()
    let isLog = stream.name == "hosLogs"
    let json = try await list(
      isLog ? "/fleet/hos/logs" : "/fleet/dvirs/history",
      [
        ("startTime", now.adding(seconds: isLog ? -Self.logReach : -Self.reportReach).string),
        ("endTime", now.string), ("limit", isLog ? nil : "512"), ("after", cursor["after"]?.filledText),
      ])
    var page = isLog ? try SamsaraDrivers.logs(json, at: now) : try SamsaraDrivers.reports(json)
    page.cursor = page.isLast ? .null : .object(["until": now.json, "after": page.cursor])
    return page
  }

  private func list(_ path: String, _ parameters: [(String, String?)]) async throws(ConnectorError) -> JSON {
    let base = session.settings.address ?? session.settings.service.address ?? ""
    return try await session.json("\(base)\(path)?\(ConnectorSession.encoded(parameters))")
  }
}

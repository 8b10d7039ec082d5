import FleetDomain
import FleetProviders
import FleetstoreTestKit
import Foundation
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// InfluxDB and Prometheus receive the records of forwards. The expected values are read back with their own queries.
@Suite struct ForwardPeerTests {
  private static func record(_ second: Int, _ values: String) throws -> IncomingRecord {
    let time = Timestamp(nanoseconds: (ConnectedFleet.start + Int64(second) * 1_000) * 1_000_000)
    let id = UUIDv7(milliseconds: UInt64(time.milliseconds), first: 1, rest: UInt64(second))
    let line = """
      {"type":"telemetry","id":"\(id.string)","timestamp":"\(time.string)","timeQuality":"gps","gatewayId":"gw-1",\
      "vehicleId":"VAN-1","epoch":"\(UUIDv7(milliseconds: 9, first: 9, rest: 9).string)","seq":\(second + 1),\(values)}
      """
    return try IncomingRecord(parsing: Array(line.utf8).span)
  }

  /// Three records of VAN-1.
  private static func records() throws -> [IncomingRecord] {
    [
      try record(1, #""speed":50.5,"coolantTemp":88,"engineState":"on","rpm":1726"#),
      try record(2, #""speed":51,"odometer":14010.293,"fuelLevel":54,"batteryVoltage":12.4"#),
      try record(3, #""speed":0,"engineState":"a \"b\", c=d\\","brake":true"#),
    ]
  }

  /// Sends records to a server.
  private static func send(_ format: Forward.Format, to address: String, _ records: [IncomingRecord]) async throws {
    try await ConnectedFleet.with(.sqlite) { fleet in
      let runner = ForwardRunner(
        storage: fleet.storage, keys: fleet.keys, mayUsePrivate: true,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { [clock = fleet.clock] in clock.now })
      let id = try await fleet.change { transaction throws(ThingError) in
        var forward = Forward()
        (forward.name, forward.format, forward.address) = ("Peer", format, address)
        let stored = try transaction.insert(forward)
        try transaction.follow(stored)
        return stored.id
      }
      try await runner.round()
      _ = try await fleet.storage.ingest(records, from: .trusted, tenant: .standard, at: fleet.clock.now)
      fleet.clock.advance(seconds: 10)
      try await runner.round()
      let forward = try await fleet.all(Forward.self).first { $0.id == id }?.value
      #expect(forward?.sent == Int64(records.count) && forward?.state == .working, "\(forward?.failures ?? [])")
    }
  }

  private static func get(_ url: String, _ parameters: [(String, String?)]) async throws -> JSON {
    let client = ProviderClient(mayUseLoopback: true, mayUsePrivate: true, longest: 1 << 20, seconds: 30)
    let answer = try await client.fetch(.init("\(url)?\(ConnectorSession.encoded(parameters))"))
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    return try JSON(parsing: answer.body)
  }

  @Test func influxdb_stores_each_value_and_time() async throws {
    let server = try await runBlocking { try InfluxServer() }
    try await Self.send(.influx, to: "http://127.0.0.1:\(server.port)/write?db=fleet", try Self.records())
    let answer = try await Self.get(
      "http://127.0.0.1:\(server.port)/query",
      [
        ("db", "fleet"), ("epoch", "ms"),
        ("q", "SELECT speed, engineState, odometer, brake FROM telemetry WHERE vehicle = 'VAN-1' ORDER BY time"),
      ])
    let rows = answer["results"]?.elements.first?["series"]?.elements.first?["values"]
    #expect(
      rows?.canonicalText == #"[[1772366401000,50.5,"on",null,null],[1772366402000,51,null,14010.293,null],"#
        + #"[1772366403000,0,"a \"b\", c=d\\",null,true]]"#)
  }

  /// The queries of the dashboard find what the forward sends.
  @Test func prometheus_answers_the_queries_of_the_dashboard() async throws {
    let server = try await runBlocking { try PrometheusServer() }
    try await Self.send(.prometheus, to: "http://127.0.0.1:\(server.port)/api/v1/write", try Self.records())
    let board = try JSON(
      parsing: Array(try Data(contentsOf: URL(fileURLWithPath: TestData.projectRoot + "/docs/grafana-fleet.json"))))
    var expressions: [String] = []
    func collect(_ json: JSON) {
      for (key, value) in json.members {
        if key == "expr", let text = value.textValue { expressions.append(text) } else { collect(value) }
      }
      for element in json.elements { collect(element) }
    }
    collect(board)
    var found: [String: Double] = [:]
    for expression in expressions {
      let query = expression.replacing("$vehicle", with: "VAN-1")
      let answer = try await Self.get(
        "http://127.0.0.1:\(server.port)/api/v1/query", [("query", query), ("time", "1772366403")])
      let result = answer["data"]?["result"]?.elements.first
      #expect(result?["metric"]?["vehicle"] == .text("VAN-1"), "\(query)")
      found[String(expression.prefix { $0 != "{" })] = result?["value"]?.elements.last?.looseNumber
    }
    #expect(
      found == [
        "fleet_speed": 0, "fleet_rpm": 1_726, "fleet_fuel_level": 54, "fleet_coolant_temp": 88,
        "fleet_battery_voltage": 12.4, "max by (vehicle) (last_over_time(fleet_odometer": 14_010.293,
      ])
    let range = try await Self.get(
      "http://127.0.0.1:\(server.port)/api/v1/query",
      [("query", #"fleet_speed{vehicle="VAN-1"}[10s]"#), ("time", "1772366403")])
    #expect(
      range["data"]?["result"]?.elements.first?["values"]?.canonicalText
        == #"[[1772366401,"50.5"],[1772366402,"51"],[1772366403,"0"]]"#)
  }

  /// The queries of the dashboard find what the forward sends. Grafana replaces the names with `$`.
  @Test func influxdb_answers_the_queries_of_the_dashboard() async throws {
    let server = try await runBlocking { try InfluxServer() }
    try await Self.send(.influx, to: "http://127.0.0.1:\(server.port)/write?db=fleet", try Self.records())
    func series(_ query: String) async throws -> JSON? {
      let answer = try await Self.get(
        "http://127.0.0.1:\(server.port)/query", [("db", "fleet"), ("epoch", "ms"), ("q", query)])
      return answer["results"]?.elements.first?["series"]?.elements.first
    }
    let board = try JSON(
      parsing: Array(try Data(contentsOf: URL(fileURLWithPath: TestData.projectRoot + "/docs/grafana-influx.json"))))
    var found: [String: String] = [:]
    for panel in board["panels"]?.elements ?? [] {
      for target in panel["targets"]?.elements ?? [] {
        let query = try #require(target["query"]?.textValue)
          .replacing("$vehicle", with: "VAN-1").replacing("$__interval", with: "1s")
          .replacing("$timeFilter", with: "time >= 1772366400s AND time < 1772366410s")
          .replacing("now()", with: "1772366410s")
        let answer = try await series(query)
        #expect(answer?["tags"]?["vehicle"] == .text("VAN-1"), "\(query)")
        // The first column is the time.
        found[panel["title"]?.textValue ?? ""] = (answer?["values"]?.elements ?? [])
          .map { $0.elements.last?.canonicalText ?? "" }.joined(separator: " ")
      }
    }
    #expect(
      found == [
        "Speed": "50.5 51 0", "Engine speed": "1726", "Fuel level": "54", "Coolant temperature": "88",
        "Battery voltage": "12.4", "Odometer": "14010.293",
      ])
    let variables = board["templating"]?["list"]?.elements ?? []
    let list = try #require(variables.first { $0["name"] == .text("vehicle") }?["query"]?.textValue)
    #expect(try await series(list)?["values"]?.canonicalText == #"[["vehicle","VAN-1"]]"#)
  }

  /// A vehicle whose ID imitates the line protocol has its own series, and nothing of it is in another series.
  @Test func influxdb_keeps_a_hostile_vehicle_apart() async throws {
    let server = try await runBlocking { try InfluxServer() }
    try await Self.send(
      .influx, to: "http://127.0.0.1:\(server.port)/write?db=fleet", try HostileVehicleTests.records())
    func query(_ text: String) async throws -> JSON? {
      let answer = try await Self.get(
        "http://127.0.0.1:\(server.port)/query", [("db", "fleet"), ("epoch", "ms"), ("q", text)])
      return answer["results"]?.elements.first?["series"]
    }
    let series = try await query("SELECT speed FROM telemetry GROUP BY vehicle")?.elements ?? []
    // InfluxDB keeps the backslash before a backslash.
    #expect(
      series.map { $0["tags"]?["vehicle"]?.textValue } == ["VAN-1", HostileVehicleTests.name + "\\x5C"], "\(series)")
    #expect(
      series.map { $0["values"]?.canonicalText } == ["[[1772366402000,1]]", "[[1772366401000,50]]"], "\(series)")
    let fields = try await query("SHOW FIELD KEYS")?.elements.first?["values"]?.elements ?? []
    #expect(
      fields.map { $0.elements.first } == [#"k\\x5C"#, "latitude", "longitude", "speed", "text"].map { .text($0) })
    let text = try await query("SELECT text FROM telemetry")?.elements.first?["values"]
    #expect(text?.elements.map { $0.elements.last } == [.text("a\"\u{301},b=c d\\\nnext")])
  }

  @Test func prometheus_keeps_a_hostile_vehicle_apart() async throws {
    let server = try await runBlocking { try PrometheusServer() }
    try await Self.send(
      .prometheus, to: "http://127.0.0.1:\(server.port)/api/v1/write", try HostileVehicleTests.records())
    let answer = try await Self.get(
      "http://127.0.0.1:\(server.port)/api/v1/query",
      [("query", #"{__name__=~"fleet_.+"}"#), ("time", "1772366402")])
    let found = (answer["data"]?["result"]?.elements ?? []).map { series in
      let metric = series["metric"]?.members ?? [:]
      #expect(Set(metric.keys) == ["__name__", "vehicle"])
      return [metric["__name__"], metric["vehicle"], series["value"]?.elements.last].map { $0?.textValue ?? "" }
    }
    let name = HostileVehicleTests.name
    #expect(
      Set(found) == [
        ["fleet_latitude", name, "48.2"], ["fleet_longitude", name, "16.4"], ["fleet_speed", name, "50"],
        ["fleet_time", name, "7"], ["fleet_speed", "VAN-1", "1"],
      ], "\(found)")
  }
}

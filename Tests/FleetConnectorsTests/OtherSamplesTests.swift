import FleetDomain
import FleetProviders
import Testing

@testable import FleetConnectors

/// Further samples: histories of Samsara, cars, and answers with errors. The expected records were written by hand from
/// the samples and their units: 1 mile is 1.609344 km, and 1 bar is 100 kPa.
@Suite struct OtherSamplesTests {
  // MARK: Samsara

  private static func feed(_ file: String) throws -> PulledPage {
    let page = try SamsaraMapping.feed(try Sample.json("samsara/\(file)"))
    #expect(page.ignored.isEmpty, "\(file): \(page.ignored)")
    return page
  }

  @Test func each_state_of_an_engine_becomes_a_record() throws {
    let page = try Self.feed("fp_engine_states__page_response.json")
    #expect(
      page.lines == [
        #"2026-01-01T12:00:03.062Z 281474980000001 engineStates {"engineState":"on"}"#,
        #"2026-01-01T12:20:15.500Z 281474980000001 engineStates {"engineState":"idle"}"#,
        #"2026-01-01T12:59:56.881Z 281474980000001 engineStates {"engineState":"off"}"#,
        #"2026-01-01T12:05:00.000Z 281474980000002 engineStates {"engineState":"on"}"#,
      ])
    #expect(
      page.assets.map(\.vin) == ["SYNTH000000000001", nil] && page.assets.map(\.name) == ["Truck 101", "Truck 102"])
    #expect(!page.isLast && page.cursor == .text("00000000-0000-0000-0000-000000000041"))
    let last = try Self.feed("fp_engine_states__terminal_response.json")
    #expect(last.lines == [#"2026-01-01T12:30:45.250Z 281474980000003 engineStates {"engineState":"off"}"#])
    #expect(last.isLast)
  }

  @Test func a_speed_of_the_vehicle_is_not_the_speed_of_gps() throws {
    let page = try Self.feed("fp_gps_readings__page_response.json")
    #expect(
      page.lines == [
        #"2026-01-01T12:00:05.100Z 281474980000011 gps {"heading":270,"latitude":33.1001,"longitude":-96.1001,"#
          + #""speed":93.98569}"#,
        #"2026-01-01T12:30:10.750Z 281474980000011 gps {"gpsSpeed":0,"heading":0,"latitude":33.1501,"#
          + #""longitude":-96.1501}"#,
        #"2026-01-01T12:10:20.300Z 281474980000012 gps {"heading":95,"latitude":33.2001,"longitude":-96.2001,"#
          + #""speed":67.109645}"#,
      ])
    #expect(
      try Self.feed("fp_gps_readings__terminal_response.json").lines == [
        #"2026-01-01T12:45:33.900Z 281474980000013 gps {"heading":182,"latitude":33.3001,"longitude":-96.3001,"#
          + #""speed":19.794931}"#
      ])
  }

  @Test func an_odometer_in_metres_is_stored_in_kilometres() throws {
    let page = try Self.feed("fp_odometer_readings__page_response.json")
    #expect(
      page.lines == [
        #"2026-01-01T12:00:07.400Z 281474980000021 obdOdometerMeters {"odometer":152000.345}"#,
        #"2026-01-01T12:20:09.150Z 281474980000021 obdOdometerMeters {"odometer":152018.892}"#,
        #"2026-01-01T12:59:41.600Z 281474980000021 obdOdometerMeters {"odometer":152047.204}"#,
        #"2026-01-01T12:15:30.800Z 281474980000022 obdOdometerMeters {"odometer":3552}"#,
      ])
    #expect(page.meters[0] == "2026-01-01T12:00:07.400Z 281474980000021 odometer 152000.345" && page.meters.count == 4)
    #expect(
      try Self.feed("fp_odometer_readings__terminal_response.json").lines == [
        #"2026-01-01T12:40:12.050Z 281474980000023 obdOdometerMeters {"odometer":1012456.215}"#
      ])
  }

  /// Answers of routes that the client does not read are not mistaken for lists of vehicles.
  @Test(arguments: [
    "sdk_vehicle_get__200", "fp_trips__response", "fp_driver_fuel_energy_reports__driver_fuel_energy_page_response",
    "fp_driver_fuel_energy_reports__driver_fuel_energy_terminal_response",
  ])
  func an_answer_that_is_not_a_list_is_an_error(_ file: String) throws {
    let json = try Sample.json("samsara/\(file).json")
    #expect(throws: ConnectorError.self) { try SamsaraMapping.feed(json) }
    #expect(throws: ConnectorError.self) { try SamsaraMapping.vehicles(json) }
  }

  /// The documentation's example has the latitude 122.142.
  @Test func the_older_feed_of_locations_gives_no_records() throws {
    let page = try SamsaraMapping.feed(try Sample.json("samsara/sdk_vehicle_locations_feed__200.json"))
    #expect(page.records.isEmpty && page.ignored == ["field locations": 1] && page.assets.map(\.name) == ["Truck A7"])
  }

  /// The client does not read these lists. If Samsara sent them instead of the feed, no values would be stored.
  @Test(
    arguments: [
      ("sdk_equipment_list__200", "Crane A7"), ("sdk_trailers_list__200", "Trailer-123"),
      ("fp_addresses__page_response", "Depot North"), ("sdk_hos_clocks__200", nil),
      ("fp_driver_vehicle_assignments__page_response", nil), ("fp_driver_vehicle_assignments__terminal_response", nil),
    ] as [(String, String?)])
  func other_lists_of_samsara_give_no_values(_ file: String, _ first: String?) throws {
    let page = try SamsaraMapping.feed(try Sample.json("samsara/\(file).json"))
    #expect(page.records.isEmpty && page.readings.isEmpty && page.assets.first?.name == first)
    // Rows without an ID, and members that are not statistics, are counted.
    #expect(page.ignored.values.reduce(0, +) > 0)
  }

  // MARK: Ford

  private static let parked = [
    #"07:55:12.000Z heading {"heading":99.1}"#, #"07:55:12.000Z ignitionStatus {"ignition":"off"}"#,
    #"07:55:07.000Z odometer {"odometer":4804}"#, #"07:55:12.000Z outsideTemperature {"ambientAirTemperature":7}"#,
    #"07:55:12.000Z position {"altitude":270,"heading":99.1,"latitude":48.112982,"longitude":15.919209}"#,
    #"07:55:07.000Z speed {"speed":0}"#,
    #"07:55:07.000Z xevBatteryActualStateOfCharge {"batteryActualCharge":57.93}"#,
    #"07:55:07.000Z xevBatteryCapacity {"energyCapacity":48.65}"#,
    #"07:55:07.000Z xevBatteryChargeDisplayStatus {"chargingState":"NOT_READY"}"#,
    #"07:55:07.000Z xevBatteryEnergyRemaining {"energyRemaining":25.1}"#,
    #"07:55:07.000Z xevBatteryRange {"range":162}"#,
    #"07:55:07.000Z xevBatteryStateOfCharge {"hybridBatteryPackRemainingCharge":67.5}"#,
    #"07:55:07.000Z xevBatteryTemperature {"tractionBatteryTemperature":6}"#,
    #"07:55:07.000Z xevBatteryVoltage {"hybridBatterySystemVoltage":340.5}"#,
    #"07:55:07.000Z xevPlugChargerStatus {"plug":"DISCONNECTED"}"#,
  ]

  /// The second sample also has the figures of a trip, which are not values of the vehicle at one time.
  @Test(arguments: ["fcon_telemetry_bev_puma_parked", "fcon_telemetry_with_trip_event"])
  func an_electric_ford_gives_its_battery_and_position(_ file: String) throws {
    let page = try FordMapping.telemetry(try Sample.json("ford/\(file).json"))
    #expect(
      page.records.map { "\($0.time.string.dropFirst(11)) \($0.series) \(JSON.object($0.values).canonicalText)" }
        == Self.parked)
    #expect(page.assets.map(\.vin) == ["WF02XXERK1SM00000"])
    #expect(page.meters == ["2026-03-11T07:55:07.000Z WF02XXERK1SM00000 odometer 4804.0"])
    // The pressures of the tyres have no time.
    #expect(
      Set(page.ignored.keys) == [
        "metric doorLockStatus", "metric tirePressure", "metric xevBatteryChargerCurrentOutput",
        "metric xevBatteryChargerVoltageOutput", "metric xevBatteryIoCurrent",
      ])
  }

  // MARK: Tesla

  private static let model = "5YJSA11111111111"

  /// The time of the position is the one of the fix, two seconds before the answer.
  private static func modelS(_ tires: String) -> [String] {
    [
      #"2022-08-27T22:59:33.000Z \#(model) position {"heading":182,"latitude":33.111111,"longitude":-88.111111}"#,
      #"2022-08-27T22:59:35.268Z \#(model) drive_state {"drivePower":-7}"#,
      #"2022-08-27T22:59:35.268Z \#(model) charge_state {"chargeEnergyAdded":13.57,"chargerPower":7,"#
        + #""chargingState":"Charging","hybridBatteryPackRemainingCharge":78,"range":272.107884}"#,
      #"2022-08-27T22:59:35.268Z \#(model) climate_state {"ambientAirTemperature":32.5,"cabinTemperature":35.5}"#,
      #"2022-08-27T22:59:35.268Z \#(model) vehicle_state {"odometer":114127.590139\#(tires)}"#,
    ]
  }

  @Test func an_older_tesla_reports_the_same_values() throws {
    let page = try TeslaMapping.data(try Sample.json("tesla/vehicle_data_models_2015.json"))
    let tires = #","tirePressure":{"frontLeft":240,"frontRight":258,"rearLeft":262,"rearRight":271}"#
    #expect(page.lines == Self.modelS(tires))
    // The number of this sample has only 16 characters, so it is not a VIN.
    #expect(page.assets.map(\.vin) == [nil] && page.assets.map(\.name) == ["My Model S"])
    #expect(page.charges.map(\.isCharging) == [true] && page.charges[0].energy == [.battery: 13.57])
    // Without the pressures of the tyres, which are null.
    let mock = try TeslaMapping.data(try Sample.json("tesla/vehicle_data_teslajsonpy_mock.json"))
    #expect(mock.lines == Self.modelS(""))
  }

  /// These samples are single sections of a vehicle's data.
  @Test func single_sections_give_their_values() throws {
    func lines(_ section: String, _ file: String) throws -> [String] {
      let json = try Sample.json("tesla/\(file).json")["response"] ?? .null
      return try TeslaMapping.data(.object(["response": .object(["vin": .text(Self.model), section: json])])).lines
    }
    #expect(
      try lines("charge_state", "charge_state_charging_no_power") == [
        #"2022-03-07T13:02:13.024Z \#(Self.model) charge_state {"chargeEnergyAdded":0,"chargerPower":0,"#
          + #""chargingState":"NoPower","hybridBatteryPackRemainingCharge":79,"range":351.174954}"#
      ])
    #expect(
      try lines("drive_state", "ownerapi_drive_state__1") == [
        #"2018-11-25T23:14:24.000Z \#(Self.model) position {"heading":8,"latitude":33.111111,"longitude":-88.111111}"#,
        #"2018-11-25T23:14:26.472Z \#(Self.model) drive_state {"drivePower":0}"#,
      ])
    // A pressure of 0 means that the sensor has not reported yet.
    #expect(
      try lines("vehicle_state", "ownerapi_vehicle_state__1")
        == [#"2020-11-10T03:04:30.379Z \#(Self.model) vehicle_state {"odometer":92553.141748}"#])
  }

  @Test(arguments: [
    "command_result_not_ok", "ownerapi_nearby_charging_sites__1", "error_408_vehicle_unavailable_legacy",
  ])
  func an_answer_without_a_vehicle_is_an_error(_ file: String) throws {
    let json = try Sample.json("tesla/\(file).json")
    #expect(throws: ConnectorError.self) { try TeslaMapping.data(json) }
    #expect(throws: ConnectorError.self) { try TeslaMapping.list(json) }
  }

  // MARK: Errors

  /// The kind of each error, and the words of the service that a person sees.
  @Test(
    arguments: [
      ("samsara/errors__401.json", 401, .refused, "invalid token"),
      ("samsara/errors__400_types.json", 400, .malformed, "Maximum 3 types allowed"),
      ("samsara/errors__429.json", 429, .rateLimited(seconds: 0.40235), "Exceeded rate limit."),
      ("samsara/errors__500_plain.txt", 500, .unavailable, "status 500"),
      ("samsara/fp_trips__missing_vehicle_id_400_body.txt", 400, .malformed, "(400)"),
      ("samsara/fp_trips__range_cap_400_body.txt", 400, .malformed, "(400)"),
      ("tesla/error_401_token_expired.json", 401, .refused, "token expired"),
      ("tesla/error_403_missing_scopes.json", 403, .refused, "Unauthorized missing scopes"),
      ("tesla/error_408_vehicle_unavailable_legacy.json", 408, .asleep, "408"),
      ("tesla/error_412_not_registered.json", 412, .settings, "must be registered in the current region"),
      ("ford/fcon_error_401.json", 401, .refused, "Access Denied"),
      ("ford/fcon_error_404_endpoint_not_for_vehicle.json", 404, .unavailable, "Resource not found"),
    ] as [(String, Int, ConnectorErrorKind, String)])
  func an_error_has_its_kind_and_the_words_of_the_service(
    _ file: String, _ status: Int, _ kind: ConnectorErrorKind, _ words: String
  ) throws {
    let answer = ProviderClient.Answer(
      status: status, body: try Sample.bytes(file), retryAfter: status == 429 ? "0.40235" : "")
    do throws(ConnectorError) {
      try ConnectorSession.check(answer)
      Issue.record("\(file): no error")
    } catch {
      #expect(error.kind == kind && error.description.contains(words), "\(error)")
    }
  }

  /// Answers as they were received: the status line, headers, and perhaps a body after an empty line.
  @Test(arguments: [("samsara/errors__429_headers.txt", 0.40235), ("tesla/error_429_headers.txt", 53)])
  func the_header_of_an_answer_says_when_to_continue(_ file: String, _ seconds: Double) throws {
    let text = String(decoding: try Sample.bytes(file), as: UTF8.self).replacing("\r\n", with: "\n")
    let parts = text.split(separator: "\n\n", maxSplits: 1)
    let headers = parts[0].split(separator: "\n")
    let line = try #require(headers.first { $0.lowercased().hasPrefix("retry-after:") })
    let answer = ProviderClient.Answer(
      status: try #require(Int(headers[0].split(separator: " ")[1])), body: Array((parts.dropFirst().first ?? "").utf8),
      retryAfter: String(line.drop { $0 != ":" }.dropFirst()).trimmed)
    do throws(ConnectorError) {
      try ConnectorSession.check(answer)
      Issue.record("\(file): no error")
    } catch {
      #expect(error.kind == .rateLimited(seconds: seconds), "\(error)")
    }
  }

  // MARK: Phones

  /// A request of OwnTracks without a body, which only asks for commands.
  @Test func an_empty_request_of_owntracks_is_accepted() throws {
    let text = String(decoding: try Sample.bytes("trackers/owntracks_http_empty_body.txt"), as: UTF8.self)
    let body = text.split(separator: "\n\n", maxSplits: 1).dropFirst().first ?? ""
    #expect(text.contains("Content-Length: 0") && body.isEmpty)
    #expect(
      try PhoneFormat.ownTracks.report(json: Array(body.utf8), at: try Sample.time("2026-01-01T00:00:00Z"))
        == PhoneReport())
  }

  @Test func a_message_of_traccar_without_a_device_has_no_key() throws {
    let body = try Sample.bytes("trackers/osmand_json_bad_no_device.json")
    #expect(PhoneFormat.traccarDevice(body) == nil)
    #expect(PhoneFormat.traccarDevice(try Sample.bytes("trackers/osmand_json_traccar_02.json")) == "48241179")
    let report = try PhoneFormat.osmAnd.report(
      json: try Sample.bytes("trackers/osmand_json_traccar_02.json"), at: try Sample.time("2026-01-01T00:00:00Z"))
    #expect(
      report.positions.map { "\($0.time.string) \(JSON.object($0.values).canonicalText)" } == [
        #"2025-06-15T13:45:12.862Z {"accuracy":5,"altitude":5,"gpsSpeed":0,"latitude":37.4219983,"#
          + #""longitude":-122.084,"phoneBattery":100}"#
      ])
  }

  @Test func messages_of_home_assistant_about_sensors_are_counted() throws {
    let now = try Sample.time("2026-01-01T00:00:00Z")
    let report = try PhoneFormat.homeAssistant.report(
      json: try Sample.bytes("trackers/ha_companion_docs_05.json"), at: now)
    #expect(report.positions.isEmpty && report.ignored == ["message of the type update_sensor_states": 1])
    // An answer of Home Assistant, with a comma that JSON does not allow.
    #expect(throws: PhoneReportError.self) {
      try PhoneFormat.homeAssistant.report(json: try Sample.bytes("trackers/ha_companion_docs_07.jsonc"), at: now)
    }
  }
}

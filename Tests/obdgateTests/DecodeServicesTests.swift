import Testing

/// `decode`: the responses of the services.
@Suite struct DecodeServicesTests {
  @Test(arguments: [
    ("0104", "7E8 03 41 04 57", "engineLoad", 34.117647, "%"), ("0105", "7E8 03 41 05 7B", "coolantTemp", 83, "°C"),
    ("010A", "7E8 03 41 0A 64", "fuelPressure", 300, "kPa"), ("010D", "7E8 03 41 0D 2A", "speed", 42, "km/h"),
    ("010F", "7E8 03 41 0F 3C", "intakeAirTemp", 20, "°C"), ("0110", "7E8 04 41 10 06 32", "maf", 15.86, "g/s"),
    ("0111", "7E8 03 41 11 1F", "throttlePosition", 12.156863, "%"),
    ("0121", "7E8 04 41 21 01 57", "distanceMIL", 343, "km"), ("012F", "7E8 03 41 2F A6", "fuelLevel", 65.098039, "%"),
    ("0142", "7E8 04 41 42 36 B0", "controlModuleVoltage", 14, "V"),
    ("015E", "7E8 04 41 5E 00 50", "fuelRate", 4, "L/h"), ("0105", "7E8 03 41 05 00", "coolantTemp", -40, "°C"),
    ("22F40C", "7E8 05 62 F4 0C 1A F8", "rpm", 1726, "rpm"),
  ])
  func a_parameter_has_its_name_unit_and_value(
    request: String, line: String, name: String, value: Double, unit: String
  ) throws {
    let readings = try decode(request, [line]).readings
    #expect(readings.count == 1)
    let expected: PrintedJSON = [
      "name": .text(name), "pid": .text(request), "value": .number(value), "unit": .text(unit), "ecu": "7E8",
    ]
    #expect(readings.first?.isClose(to: expected) == true, "\(readings)")
  }

  @Test func small_values_keep_their_digits() throws {
    let ratio = try decode("0144", ["7E8 04 41 44 00 01"])
    #expect(ratio.readings.first?["value"]?.isClose(to: .number(2.0 / 65_536)) == true)
    #expect(ratio.readings.first?["unit"] == nil)
    let trim = try decode("0124", ["7E8 06 41 24 12 34 40 00"])
    #expect(trim.readings.first?["value"]?.isClose(to: .number(Double(0x1234) * 2 / 65_536)) == true)
  }

  @Test func flags_are_booleans_and_enumerations_strings() throws {
    let monitors = try decode("0101", ["7E8 06 41 01 83 07 65 04"])
    #expect(monitors[reading: "mil"] == true)
    #expect(monitors[reading: "dtcCount"] == 3)
    #expect(monitors[reading: "monitorsIgnitionType"] == "spark")
    #expect(monitors.readings.allSatisfy { $0["pid"] == "0101" })
    #expect(monitors.readings.first?["name"] == "mil")
    #expect(try decode("0151", ["7E8 03 41 51 01"])[reading: "fuelType"] == "gasoline")
    #expect(try decode("0103", ["7E8 04 41 03 02 00"])[reading: "fuelSystem1Status"] == "closed loop")
    #expect(try decode("011C", ["7E8 03 41 1C 06"]).readings.first?["value"] == "EOBD")
  }

  @Test func a_value_whose_own_support_bit_is_0_is_absent() throws {
    // PID 78: bits 0 and 2 mean that sensors 1 and 3 are present.
    let answer = try decode("0178", ["7E8 10 0B 41 78 05 10 00 11", "7E8 21 00 12 00 13 00 AA AA"])
    #expect(answer[reading: "exhaustGasTemperatureBank1Sensor1"]?.isClose(to: 369.6) == true)
    #expect(answer[reading: "exhaustGasTemperatureBank1Sensor2"] == nil)
    #expect(answer[reading: "exhaustGasTemperatureBank1Sensor3"]?.isClose(to: 420.8) == true)
    #expect(answer[reading: "exhaustGasTemperatureBank1Sensor4"] == nil)
    let flow = try decode("0166", ["7E8 07 41 66 01 01 00 FF FF"])
    #expect(flow[reading: "massAirFlowSensorA"] == 8)
    #expect(flow[reading: "massAirFlowSensorB"] == nil)
  }

  @Test func several_parameters_come_in_the_units_own_order() throws {
    let answer = try decode("010D0C05", ["7E8 10 08 41 0C 1A F8 0D 2A", "7E8 21 05 7B AA AA AA AA AA"])
    #expect(answer.readings.map { $0["pid"] } == ["010C", "010D", "0105"])
    #expect(answer.readings.map { $0["value"] } == [1726, 42, 83])
    // If an ECU does not have one of the PIDs, it is left out, and this is not an error.
    let fewer = try decode("010C0D", ["7E8 04 41 0C 1A F8"])
    #expect(fewer.readings.map { $0["pid"] } == ["010C"])
    #expect(fewer.errors.isEmpty)
  }

  @Test func supported_parameters_are_listed() throws {
    let answer = try decode("0100", ["7E8 06 41 00 BE 3F A8 13", "7E9 06 41 00 98 18 00 01"])
    #expect(answer.errors.isEmpty)
    #expect(answer.payloads == ["4100BE3FA813", "410098180001"])
    #expect(answer.readings.last?["value"] == ["01", "04", "05", "0C", "0D", "20"])
  }

  // MARK: Trouble codes

  static let codes: [(String, [String], String, String, [PrintedJSON])] = [
    ("03", ["7E8 06 43 02 01 33 04 20"], "", "03", ["P0133", "P0420"]), ("03", ["7E8 02 43 00"], "", "03", []),
    ("07", ["7E8 04 47 01 C1 00"], "", "07", ["U0100"]), ("0A", ["7E8 04 4A 01 93 18"], "", "0A", ["B1318"]),
    ("03", ["7E8 04 43 01 40 35"], "", "03", ["C0035"]),
    ("03", ["43 01 33 04 20 00 00"], #""protocol":"iso9141","headers":false"#, "03", ["P0133", "P0420"]),
    ("03", ["43 01 33 04 20 00 00"], "", "03", ["P0133", "P0420"]),
    ("03", ["43 02 01 33 04 20"], #""protocol":"can11","headers":false"#, "03", ["P0133", "P0420"]),
    ("03", ["48 6B 10 43 01 33 04 20 00 00 5E"], "", "03", ["P0133", "P0420"]),
    ("03", ["48 6B 10 43 01 33 04 20 00 00 19"], #""protocol":"j1850vpw""#, "03", ["P0133", "P0420"]),
    ("03", ["87 F1 10 43 01 33 04 20 00 00 23"], "", "03", ["P0133", "P0420"]),
    (
      "07", ["47 01 33 00 00 00 00", "47 04 20 00 00 00 00"], #""protocol":"kwp","headers":false"#, "07",
      ["P0133", "P0420"]
    ), ("1902FF", ["7E8 07 59 02 FF 04 20 00 2F"], "", "1902", ["P0420-00"]),
    (
      "194233081E", ["7E8 10 10 59 42 33 FF 1E 04", "7E8 21 02 04 20 00 29 02 03", "7E8 22 01 1C 29 AA AA AA AA"], "",
      "194233", ["P0420-00", "P0301-1C"]
    ),
    ("195533", ["7E8 10 09 59 55 33 FF 04 04", "7E8 21 20 00 29 AA AA AA AA"], "", "195533", ["P0420-00"]),
  ]

  @Test(arguments: codes) func trouble_codes_of_every_service_and_bus_are_decoded(
    request: String, lines: [String], settings: String, pid: String, value: [PrintedJSON]
  ) throws {
    let answer = try decode(request, lines, settings)
    #expect(answer.errors.isEmpty)
    #expect(
      answer.readings.map { $0.only("name", "pid", "value") } == [
        ["name": "dtcCodes", "pid": .text(pid), "value": .list(value)]
      ])
  }

  // MARK: Service 02

  @Test func a_freeze_frame_says_its_number() throws {
    let value = try decode("020C00", ["7E8 05 42 0C 00 1A F8"])
    #expect(
      value.readings == [
        ["name": "rpm", "pid": "020C", "frame": 0, "value": 1726, "unit": "rpm", "ecu": "7E8"]
      ])
    #expect(try decode("020C01", ["7E8 05 42 0C 01 1A F8"]).readings.first?["frame"] == 1)
    #expect(
      try decode("020C00", ["42 0C 00 1A F8"], #""protocol":"kwp","headers":false"#).readings.first?["pid"] == "020C")
    let code = try decode("020200", ["7E8 05 42 02 00 01 33"])
    #expect(code.readings.map { $0.only("pid", "frame", "value") } == [["pid": "0202", "frame": 0, "value": "P0133"]])
    // 0000: no code has stored a frame.
    #expect(try decode("020200", ["7E8 05 42 02 00 00 00"]).readings.isEmpty)
  }

  // MARK: Service 06

  @Test func a_monitoring_test_on_can_has_its_limits_and_unit() throws {
    let answer = try decode("0601", ["7E8 10 0A 46 01 83 0A 10 00", "7E8 21 08 00 FF FF AA AA AA"])
    let expected: PrintedJSON = [
      "pid": "0601", "mid": "01", "tid": "83", "uasid": "0A", "value": 0.499712, "min": 0.249856, "max": 7.99527,
      "unit": "V", "ecu": "7E8",
    ]
    #expect(answer.readings.count == 1)
    #expect(answer.readings.first?.without(["name"]).isClose(to: expected) == true, "\(answer)")
    let signed = try decode("0602", ["7E8 10 0A 46 02 01 96 FF 38", "7E8 21 80 00 7F FF AA AA AA"])
    #expect(signed.readings.first?["value"] == -20)
    #expect(signed.readings.first?["unit"] == "°C")
  }

  @Test func a_legacy_test_has_one_limit_and_no_unit() throws {
    let least = try decode("0601", ["46 01 81 00 64 00 C8"], #""protocol":"iso9141","headers":false"#)
    #expect(
      least.readings.first?.only("tid", "component", "value", "min", "max", "unit") == [
        "tid": "01", "component": "01", "value": 100, "min": 200,
      ])
    let most = try decode("0601", ["46 01 01 00 64 00 C8"], #""protocol":"j1850vpw","headers":false"#)
    #expect(
      most.readings.first?.only("tid", "component", "value", "min", "max", "unit") == [
        "tid": "01", "component": "01", "value": 100, "max": 200,
      ])
  }

  // MARK: Service 09

  @Test func the_vin_of_service_22_is_a_vin() throws {
    let answer = try decode(
      "22F802", ["7E8 10 14 62 F8 02 31 48 47", "7E8 21 43 56 31 46 33 39 56", "7E8 22 41 30 31 39 34 36 32"])
    #expect(
      answer.readings == [["name": "vin", "pid": "22F802", "value": "1HGCV1F39VA019462", "ecu": "7E8"]])
  }

  @Test func calibrations_numbers_and_names_are_text() throws {
    let calibration = try decode(
      "0904", ["7E8 10 13 49 04 01 4A 4D 42", "7E8 21 2A 33 36 37 36 31 35", "7E8 22 30 30 00 00 00 00 00"])
    #expect(calibration.readings.map { $0.only("pid", "value") } == [["pid": "0904", "value": "JMB*36761500"]])
    let numbers = try decode("0906", ["7E8 10 0B 49 06 02 17 91 BC", "7E8 21 82 00 00 00 01 AA AA"])
    #expect(
      numbers.readings.map { $0.only("pid", "value") } == [
        ["pid": "0906", "value": "1791BC82"], ["pid": "0906", "value": "00000001"],
      ])
    let name = try decode(
      "090A",
      [
        "7E8 10 17 49 0A 01 45 43 4D", "7E8 21 00 2D 45 6E 67 69 6E", "7E8 22 65 43 6F 6E 74 72 6F",
        "7E8 23 6C 00 00 00 00 00 00",
      ])
    #expect(name.readings.map { $0.only("pid", "value") } == [["pid": "090A", "value": "ECM-EngineControl"]])
  }

  @Test func in_use_performance_counts_monitors_and_cycles() throws {
    let answer = try decode(
      "0908",
      [
        "7E8 10 2B 49 08 14 00 64 00", "7E8 21 32 00 0A 00 14 00 00", "7E8 22 00 00 00 0B 00 14 00",
        "7E8 23 00 00 00 00 0C 00 14", "7E8 24 00 0D 00 14 00 00 00", "7E8 25 00 00 0E 00 14 00 00", "7E8 26 00 00",
      ])
    #expect(answer.readings.count == 20)
    #expect(answer.readings.allSatisfy { $0["pid"] == "0908" })
    #expect(answer[reading: "ignitionCycleCounter"] == 50)
    #expect(answer.errors.isEmpty)
  }

  @Test func the_adapters_own_voltage_is_a_reading() throws {
    for line in [#"{"request":"ATRV","lines":["12.3V"]}"#, #"{"lines":"ATRV\r12.3V\r\r>"}"#] {
      let readings = try decode(line).readings
      #expect(
        readings.map { $0.only("name", "value", "unit") } == [["name": "batteryVoltage", "value": 12.3, "unit": "V"]])
    }
  }
}

import OBDWire
import Testing

/// Raw values that are no measurements according to footnotes of SAE J1979-DA. The value is absent, regardless of its
/// support bit; other values of the answer are present.
struct TablesSpecialValuesTests {
  private static func names(_ answer: String) -> [String: Double] {
    let service = String(answer.prefix(2)) == "49" ? "09" : "01"
    let command = service + answer.dropFirst(2).prefix(2)
    let readings = ReplyRecorder.of(Frame.isoTP("7E8", answer).reply, to: command).readings
    // `reading 7E8 0114 oxygenSensor 0.45`
    let pairs = readings.map { $0.split(separator: " ") }.map {
      ("\($0[$0.count - 2])", Double($0[$0.count - 1]) ?? .nan)
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// An answer, the value that is absent from it, another value that is present, and the most similar answer that
  /// contains the absent value.
  private static let absent: [(answer: String, absent: String, stays: String?, usual: String)] = [
    // PID 03, byte B: 00 while the engine runs: there is no second fuel system.
    ("41030100", "fuelSystem2Status", "fuelSystem1Status", "41030101"),
    ("41030200", "fuelSystem2Status", "fuelSystem1Status", "41030202"),
    ("41030400", "fuelSystem2Status", "fuelSystem1Status", "41030404"),
    ("41030800", "fuelSystem2Status", "fuelSystem1Status", "41030808"),
    ("41031000", "fuelSystem2Status", "fuelSystem1Status", "41031010"),
    // Both 00: the engine is off.
    ("41030200", "fuelSystem2Status", "fuelSystem1Status", "41030000"),
    // PIDs 14-1B, byte B: FF: the sensor is not used in the trim calculation.
    ("41145AFF", "oxygenSensor1ShortTermFuelTrim", "oxygenSensor", "41145AFE"),
    ("41155AFF", "oxygenSensor2ShortTermFuelTrim", "oxygenSensor2", "41155AFE"),
    ("41165AFF", "oxygenSensor3ShortTermFuelTrim", "oxygenSensor3", "41165AFE"),
    ("41175AFF", "oxygenSensor4ShortTermFuelTrim", "oxygenSensor4", "41175AFE"),
    ("41185AFF", "oxygenSensor5ShortTermFuelTrim", "oxygenSensor5", "41185AFE"),
    ("41195AFF", "oxygenSensor6ShortTermFuelTrim", "oxygenSensor6", "41195AFE"),
    ("411A5AFF", "oxygenSensor7ShortTermFuelTrim", "oxygenSensor7", "411A5AFE"),
    ("411B5AFF", "oxygenSensor8ShortTermFuelTrim", "oxygenSensor8", "411B5AFE"),
    // PIDs 1C and 5F: FB-FF are J1939's "not available", not requirements.
    ("411CFB", "obdRequirements", nil, "411C01"),
    ("411CFE", "obdRequirements", nil, "411C3B"),
    ("411CFF", "obdRequirements", nil, "411C06"),
    ("415FFB", "emissionRequirements", nil, "415F0E"),
    ("415FFF", "emissionRequirements", nil, "415F11"),
    // PIDs 4F and 50: 00: the default full scale stays in force.
    ("414F00080AFF", "maximumEquivalenceRatio", "maximumOxygenSensorVoltage", "414F02080AFF"),
    ("414F02000AFF", "maximumOxygenSensorVoltage", "maximumEquivalenceRatio", "414F02080AFF"),
    ("414F020800FF", "maximumOxygenSensorCurrent", "maximumEquivalenceRatio", "414F02080AFF"),
    ("414F02080A00", "maximumIntakeManifoldAbsolutePressure", "maximumEquivalenceRatio", "414F02080AFF"),
    ("415000000000", "maximumAirFlowRate", nil, "415083000000"),
    // PID 51: 00: not available.
    ("415100", "fuelType", nil, "415101"),
    // PIDs 83, A1, A7, A8: FFFF: no data of the sensor, though its support bit is set.
    (
      "41830FFFFF000100020003", "noxConcentrationBank1Sensor1", "noxConcentrationBank1Sensor2", "41830FFFFE000100020003"
    ),
    (
      "41A10F0001FFFF00020003", "noxCorrectedConcentrationBank1Sensor2", "noxCorrectedConcentrationBank1Sensor1",
      "41A10F0001FFFE00020003"
    ),
    (
      "41A70F00010002FFFF0003", "noxConcentrationBank2Sensor3", "noxConcentrationBank1Sensor3", "41A70F00010002FFFE0003"
    ),
    (
      "41A80F000100020003FFFF", "noxCorrectedConcentrationBank2Sensor4", "noxCorrectedConcentrationBank1Sensor3",
      "41A80F000100020003FFFE"
    ),
    // PIDs 90, 91: not available.
    ("41907C0001", "vehicleMiStatus", "vehicleContinuousMiTime", "4190380001"),
    ("4190030001", "vehicleMiDisplayStrategy", "vehicleContinuousMiTime", "4190010001"),
    ("41910F00010002", "ecuMiStatus", "ecuContinuousMiTime", "41910E00010002"),
    // PID 94: not supported.
    (
      "4194016000010001000100010001", "level3InducementStatus", "noxWarningSystemActive",
      "4194014000010001000100010001"
    ),
    (
      "4194011800010001000100010001", "level2InducementStatus", "noxWarningSystemActive",
      "4194011000010001000100010001"
    ),
    (
      "4194010600010001000100010001", "level1InducementStatus", "noxWarningSystemActive",
      "4194010400010001000100010001"
    ),
  ]

  @Test(arguments: absent)
  func raw_value_that_means_none_is_absent(answer: String, absent: String, stays: String?, usual: String) {
    let found = Self.names(answer)
    #expect(found[absent] == nil, "\(answer)")
    if let stays { #expect(found[stays] != nil, "\(answer)") }
    #expect(Self.names(usual)[absent] != nil, "\(usual)")
  }

  /// Values at the end of their range that are valid: counters that stop at their maximum, and percentages of a full
  /// scale.
  @Test(
    arguments: [
      ("4103FF00", "fuelSystem1Status", 255), ("41030000", "fuelSystem2Status", 0), ("410400", "engineLoad", 0),
      ("4104FF", "engineLoad", 100), ("4105FF", "coolantTemp", 215), ("4106FF", "shortTermFuelTrimBank1", 99.21875),
      ("410CFFFF", "rpm", 16_383.75), ("410DFF", "speed", 255), ("411FFFFF", "timeSinceEngineStart", 65_535),
      ("4121FFFF", "distanceMIL", 65_535),
      // PID 2D: "undefined" at a command of 0 % is to be sent as 99.2 % if the valve is open.
      ("412DFF", "egrError", 99.21875), ("412FFF", "fuelLevel", 100), ("4130FF", "warmUpsSinceDtcsCleared", 255),
      ("4131FFFF", "distanceSinceDtcsCleared", 65_535), ("414DFFFF", "engineRunTimeWhileMilActivated", 65_535),
      ("414EFFFF", "engineRunTimeSinceDtcsCleared", 65_535), ("4152FF", "alcoholFuelPercentage", 100),
      ("4161FF", "driversDemandEnginePercentTorque", 130),
    ] as [(String, String, Double)])
  func end_of_a_range_is_a_value(answer: String, name: String, value: Double) {
    #expect(Self.names(answer)[name] == value)
  }

  @Test func special_value_of_a_data_identifier_is_absent_too() {
    // Identifiers F4xx of service 22 use the rows of service 01, also in a freeze frame.
    #expect(ReplyRecorder.of(Frame.isoTP("7E8", "62F4145AFF").reply, to: "22F414").readings.count == 1)
    #expect(ReplyRecorder.of(Frame.isoTP("7E8", "4214005AFF").reply, to: "021400").readings.count == 1)
    #expect(ReplyRecorder.of(Frame.isoTP("7E8", "4203000200").reply, to: "020300").readings.count == 1)
  }

  @Test func counters_of_service_09_that_stand_alone_are_readings() {
    #expect(Self.names("4912010123") == ["fueledEngineOperationIgnitionCycleCounter": 291])
    #expect(Self.names("4914010123") == ["distanceSinceEvapMonitoringDecision": 291])
  }

  @Test func test_that_has_not_run_is_not_completed() {
    func results(_ payload: String) -> [String] {
      ReplyRecorder.of(Frame.isoTP("7E8", payload).reply, to: "0601").results
    }
    #expect(
      results("4601010A000000000000") == [
        "test 7E8 monitor 01 test 01 scaling 0A value 0 limits 0 0 not completed"
      ])
    // The value is 0, and the limits are valid.
    #expect(results("460101070000000003E8") == ["test 7E8 monitor 01 test 01 scaling 07 value 0 limits 0 250"])
  }
}

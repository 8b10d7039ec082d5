/// The names of signals in OBDb's SAE J1979 signal set, and in this project.
///
/// OBDb uses the abbreviations of the standard (`ECT`, `LONGFT1`), and records use names that fleets use.
enum OBDbNames {
  /// Returns the name of a signal in this project.
  ///
  /// - Parameter compressionIgnition: bit 12 of PIDs 01 and 41, which changes the monitors of some bits. OBDb has only
  ///   the names for spark ignition.
  /// - Returns: the name in this project; `nil` if the bit has no meaning, or if the standard gives it another meaning
  ///   than OBDb.
  static func ours(pid: UInt8, id: String, compressionIgnition: Bool = false) -> String? {
    if pid == 0x01 || pid == 0x41 { return monitor(pid: pid, id: id, compressionIgnition: compressionIgnition) }
    if let name = names[pid]?[id] { return name }
    guard id.hasSuffix("_SUP"), let name = names[pid]?[String(id.dropLast(4))] else { return nil }
    return name + "Supported"
  }

  /// Returns the id of the support bit for a value, for PIDs that have such bits.
  static func supportID(of id: String) -> String {
    if let named = supportIDs[id] { return named }
    for suffix in ["_RDY", "_STAT"] where id.hasSuffix(suffix) { return id.dropLast(suffix.count) + "_SUP" }
    return id + "_SUP"
  }

  /// Returns the code for a text of OBDb.
  static func code(_ text: String) -> Double? { codes[text] }

  /// Whether the standard sends the bit inverted: 0 means ready.
  static func isInverted(_ id: String) -> Bool { id.hasSuffix("_RDY") || id.hasSuffix("CMPL") }

  private static func monitor(pid: UInt8, id: String, compressionIgnition: Bool) -> String? {
    switch id {
    case "MIL": return "mil"
    case "DTC_CNT": return "dtcCount"
    case "CIM_SUP": return "monitorsIgnitionType"
    case "CIM_SUP_FLAG": return "drivingCycleMonitorsIgnitionType"
    default: break
    }
    let endings = ["_SUP": "Supported", "_RDY": "Ready", "_ENA": "Enabled", "_CMPL": "Completed", "CMPL": "Completed"]
    for ending in ["_SUP", "_RDY", "_ENA", "_CMPL", "CMPL"] where id.hasSuffix(ending) {
      let stem = String(id.dropLast(ending.count))
      guard let monitor = anyIgnition[stem] ?? (compressionIgnition ? compression[stem] : spark[stem]),
        let word = endings[ending]
      else { return nil }
      return monitor + "Monitoring" + word
    }
    return nil
  }

  private static let anyIgnition = [
    "CCM": "comprehensiveComponent", "FUEL": "fuelSystem", "MIS": "misfire", "EGR": "egrAndOrVvtSystem",
  ]
  private static let spark = [
    "CAT": "catalyst", "HCAT": "heatedCatalyst", "EVAP": "evaporativeSystem", "AIR": "secondaryAirSystem",
    "ACRF": "acSystemRefrigerant", "O2S": "oxygenSensor", "HTR": "oxygenSensorHeater",
  ]
  private static let compression = [
    "CAT": "nmhcCatalyst", "HCAT": "noxScrAftertreatment", "AIR": "boostPressureSystem", "O2S": "exhaustGasSensor",
    "HTR": "pmFilter",
  ]

  private static let supportIDs = [
    "GEAR_RCMD": "GEAR_SUP", "PTO_STAT_AUX": "PTO_SUP",
    "TAC_A_CMD": "CTAC_A_SUP", "TAC_B_CMD": "CTAC_B_SUP", "TP_A_REL": "RTP_A_SUP", "TP_B_REL": "RTP_B_SUP",
  ]

  private static let codes: [String: Double] = [
    "SPARK": 0, "COMPRESSION": 1,
    "OFF": 0, "OL": 1, "CL": 2, "OL-Drive": 4, "OL-Fault": 8, "CL-Fault": 16,
    "OBD II": 1, "OBD": 2, "OBD & OBD II": 3, "OBD I": 4, "NO OBD": 5, "EOBD": 6, "JOBD & OBD II": 11,
    "GAS": 1, "ETH": 3, "DSL": 4, "ELEC": 8, "BI_ETH": 11,
    "BP_A_OL": 1, "BP_A_CL": 2, "CSM": 0, "CDM": 1, "CIM": 2,
  ]

  private static let names: [UInt8: [String: String]] = [
    0x03: ["FUELSYS1": "fuelSystem1Status", "FUELSYS2": "fuelSystem2Status"],
    0x04: ["LOAD_PCT": "engineLoad"],
    0x05: ["ECT": "coolantTemp"],
    0x06: ["SHRTFT1": "shortTermFuelTrimBank1"],
    0x07: ["LONGFT1": "longTermFuelTrimBank1"],
    0x08: ["SHRTFT2": "shortTermFuelTrimBank2"],
    0x09: ["LONGFT2": "longTermFuelTrimBank2"],
    0x0A: ["FP": "fuelPressure"],
    0x0B: ["MAP": "intakeManifoldAbsolutePressure"],
    0x0C: ["RPM": "rpm"],
    0x0D: ["VSS": "speed"],
    0x0E: ["SPARKADV": "timingAdvance"],
    0x0F: ["IAT": "intakeAirTemp"],
    0x10: ["MAF": "maf"],
    0x11: ["TP": "throttlePosition"],
    0x12: ["AIR_STAT": "commandedSecondaryAirStatus"],
    0x13: present("", banks: 2, sensors: 4),
    0x14: ["O2S11": "oxygenSensor", "SHRTFT11": "oxygenSensor1ShortTermFuelTrim"],
    0x15: ["O2S12": "oxygenSensor2", "SHRTFT11": "oxygenSensor2ShortTermFuelTrim"],
    0x18: ["O2S21": "oxygenSensor5", "SHRTFT21": "oxygenSensor5ShortTermFuelTrim"],
    0x19: ["O2S22": "oxygenSensor6", "SHRTFT22": "oxygenSensor6ShortTermFuelTrim"],
    0x1C: ["OBDSUP": "obdRequirements"],
    0x1D: present("Of4Banks", banks: 4, sensors: 2),
    0x1F: ["RUNTM": "timeSinceEngineStart"],
    0x21: ["MIL_DIST": "distanceMIL"],
    0x23: ["FRP": "fuelRailPressure"],
    0x24: [
      "LAMBDA11_VOLT": "wideRangeVoltageOxygenSensor1EquivalenceRatio",
      "O2S11_VOLT": "wideRangeVoltageOxygenSensor1Voltage",
    ],
    0x2C: ["EGR_PCT": "commandedEgr"],
    0x2D: ["EGR_ERR": "egrError"],
    0x2E: ["EVAP_PCT": "commandedEvaporativePurge"],
    0x2F: ["FLI": "fuelLevel"],
    0x30: ["WARM_UPS": "warmUpsSinceDtcsCleared"],
    0x31: ["CLR_DIST": "distanceSinceDtcsCleared"],
    0x32: ["EVAP_VP": "evapSystemVaporPressure"],
    0x33: ["BARO": "barometricPressure"],
    0x34: [
      "LAMBDA11_CURRENT": "wideRangeCurrentOxygenSensor1EquivalenceRatio",
      "O2S11_CURRENT": "wideRangeCurrentOxygenSensor1Current",
    ],
    0x3C: ["CATEMP11": "catalystTemperatureBank1Sensor1"],
    0x3D: ["CATEMP21": "catalystTemperatureBank2Sensor1"],
    0x3E: ["CATEMP12": "catalystTemperatureBank1Sensor2"],
    0x3F: ["CATEMP22": "catalystTemperatureBank2Sensor2"],
    0x42: ["VPWR": "controlModuleVoltage"],
    0x43: ["LOAD_ABS": "absoluteLoadValue"],
    0x44: ["EQ_RAT": "commandedEquivalenceRatio"],
    0x45: ["TP_R": "relativeThrottlePosition"],
    0x46: ["AAT": "ambientAirTemperature"],
    0x47: ["TP_B": "absoluteThrottlePositionB"],
    0x48: ["TP_C": "absoluteThrottlePositionC"],
    0x49: ["APP_D": "acceleratorPedalPositionD"],
    0x4A: ["APP_E": "acceleratorPedalPositionE"],
    0x4C: ["TAC_PCT": "commandedThrottleActuatorControl"],
    0x4D: ["MIL_TIME": "engineRunTimeWhileMilActivated"],
    0x4E: ["CLR_TIME": "engineRunTimeSinceDtcsCleared"],
    0x4F: [
      "MAX_EQ_RAT": "maximumEquivalenceRatio", "MAX_O2_VOLT": "maximumOxygenSensorVoltage",
      "MAX_O2_CURR": "maximumOxygenSensorCurrent", "MAX_MAP": "maximumIntakeManifoldAbsolutePressure",
    ],
    0x51: ["FUEL_TYP": "fuelType"],
    0x52: ["ALCH_PCT": "alcoholFuelPercentage"],
    0x53: ["EVAP_VPA": "absoluteEvapSystemVaporPressure"],
    0x54: ["EVAP_VP_WIDE": "evapSystemVaporPressureWideRange"],
    0x55: ["STSO2FT1": "shortTermSecondaryOxygenSensorFuelTrimBank1"],
    0x56: ["LGSO2FT1": "longTermSecondaryOxygenSensorFuelTrimBank1"],
    0x57: ["STSO2FT2": "shortTermSecondaryOxygenSensorFuelTrimBank2"],
    0x58: ["LGSO2FT2": "longTermSecondaryOxygenSensorFuelTrimBank2"],
    0x59: ["FRP_ABS": "fuelRailPressureAbsolute"],
    0x5A: ["APP_R": "relativeAcceleratorPedalPosition"],
    0x5B: ["BAT_SOC": "hybridBatteryPackRemainingCharge"],
    0x5C: ["EOT": "engineOilTemperature"],
    0x5D: ["FUEL_TIMING": "fuelInjectionTiming"],
    0x5E: ["FUEL_RATE": "fuelRate"],
    0x61: ["TQ_DD": "driversDemandEnginePercentTorque"],
    0x62: ["TQ_ACT": "actualEnginePercentTorque"],
    0x63: ["TQ_REF": "engineReferenceTorque"],
    0x65: [
      "GEAR_RCMD": "recommendedTransmissionGear", "GEAR_SUP": "recommendedTransmissionGearSupported",
      "GPL_STAT": "glowPlugLampStatus", "GPL_SUP": "glowPlugLampStatusSupported",
      "N/D_STAT": "autoTransNeutralDriveStatus", "N/D_SUP": "autoTransNeutralDriveStatusSupported",
      "N/G_STAT": "manualTransNeutralGearStatus", "N/G_SUP": "manualTransNeutralGearStatusSupported",
      "PTO_STAT_AUX": "auxiliaryPowerTakeOffStatus", "PTO_SUP": "auxiliaryPowerTakeOffStatusSupported",
    ],
    0x66: ["MAFA": "massAirFlowSensorA", "MAFB": "massAirFlowSensorB"],
    0x67: ["ECT_1": "engineCoolantTemperature1", "ECT_2": "engineCoolantTemperature2"],
    0x68: [
      "IAT_11": "intakeAirTemperatureBank1Sensor1", "IAT_12": "intakeAirTemperatureBank1Sensor2",
      "IAT_13": "intakeAirTemperatureBank1Sensor3", "IAT_21": "intakeAirTemperatureBank2Sensor1",
      "IAT_22": "intakeAirTemperatureBank2Sensor2", "IAT_23": "intakeAirTemperatureBank2Sensor3",
    ],
    0x69: [
      "EGR_A_CMD": "commandedEgrA", "EGR_A_ACT": "actualEgrA", "EGR_A_ERR": "egrAError",
      "EGR_B_CMD": "commandedEgrB", "EGR_B_ACT": "actualEgrB", "EGR_B_ERR": "egrBError",
    ],
    0x6B: [
      "EGRTA": "egrTemperatureA", "EGRTB": "egrTemperatureB", "EGRTC": "egrTemperatureC",
      "EGRTD": "egrTemperatureD",
      "EGRTA_WR": "egrTemperatureAWideRange", "EGRTB_WR": "egrTemperatureBWideRange",
      "EGRTC_WR": "egrTemperatureCWideRange", "EGRTD_WR": "egrTemperatureDWideRange",
    ],
    0x6C: [
      "CTAC_A_SUP": "commandedThrottleActuatorAControlSupported",
      "CTAC_B_SUP": "commandedThrottleActuatorBControlSupported",
      "RTP_A_SUP": "relativeThrottleAPositionSupported", "RTP_B_SUP": "relativeThrottleBPositionSupported",
      "TAC_A_CMD": "commandedThrottleActuatorAControl", "TAC_B_CMD": "commandedThrottleActuatorBControl",
      "TP_A_REL": "relativeThrottleAPosition", "TP_B_REL": "relativeThrottleBPosition",
    ],
    0x6D: [
      "FRP_A_CMD": "commandedFuelRailPressureA", "FRP_A": "fuelRailPressureA", "FRT_A": "fuelRailTemperatureA",
      "FRP_B_CMD": "commandedFuelRailPressureB", "FRP_B": "fuelRailPressureB", "FRT_B": "fuelRailTemperatureB",
    ],
    0x70: [
      "BP_A_CMD": "commandedBoostPressureA", "BP_A_ACT": "boostPressureSensorA",
      "BP_B_CMD": "commandedBoostPressureB", "BP_B_ACT": "boostPressureSensorB",
      "BP_A": "boostPressureAControlStatus", "BP_B": "boostPressureBControlStatus",
    ],
    0x72: [
      "WG_A_CMD": "commandedWastegateAPosition", "WG_A_ACT": "wastegateAPosition",
      "WG_B_CMD": "commandedWastegateBPosition", "WG_B_ACT": "wastegateBPosition",
    ],
    0x7F: [
      "RUN_TIME": "totalEngineRunTime", "IDLE_TIME": "totalIdleRunTime", "PTO_TIME": "totalRunTimeWithPtoActive",
    ],
    0x8E: ["TQ_FR": "engineFrictionPercentTorque"],
    0x9A: [
      "HEV_MODE": "hybridVehicleChargingState", "EHEV_MODE": "enhancedHybridVehicleChargingState",
      "HEV_BATT_V": "hybridBatterySystemVoltage", "HEV_BATT_A": "hybridBatterySystemCurrent",
    ],
    0x9D: ["FUEL_RATE_ALT": "engineFuelRateByMass", "VFUEL_RATE": "vehicleFuelRate"],
    0x9E: ["EXH_RATE": "engineExhaustFlowRate"],
    0x9F: fuelSystemUse(),
    0xA2: ["CYL_RATE": "cylinderFuelRate"],
    0xA6: ["ODO": "odometer"],
  ]

  private static func present(_ suffix: String, banks: Int, sensors: Int) -> [String: String] {
    var names: [String: String] = [:]
    for bank in 1...banks {
      for sensor in 1...sensors {
        names["O2S\(bank)\(sensor)_EXISTS"] = "oxygenSensorBank\(bank)Sensor\(sensor)Present\(suffix)"
      }
    }
    return names
  }

  private static func fuelSystemUse() -> [String: String] {
    var names: [String: String] = [:]
    for bank in 1...4 {
      for system in ["A", "B"] { names["FUELSYS\(system)_B\(bank)"] = "fuelSystem\(system)UseBank\(bank)" }
    }
    return names
  }
}

/// All values of services 01 and 09 that SAE J1979-DA defines, and the adapter's own battery voltage. Each value has
/// one row.
///
/// The rows are sorted by service, identifier, oxygen sensor layout and bit. The index of a row is its
/// ``SignalID/rawValue``. ``SAESignals`` finds the rows of an identifier. The arguments of a row are its identifier,
/// bit offset, bit length, name, title, unit, factor and offset; `sup` is its support bit. Use `saeSignals.span[i]` to
/// read a row, because `saeSignals[i]` would copy the whole table.
public let saeSignals: InlineArray<895, SAESignal> = [
  // The adapter measures this itself (ATRV). No answer of an ECU contains it.
  .adapter("batteryVoltage", "Battery voltage at the adapter", .volt, vss: "Vehicle.LowVoltageBattery.CurrentVoltage"),

  // PID 01: monitor status since DTCs were cleared. Bit 12 selects the meaning of bytes C and D. With spark ignition,
  // bit 19 was the monitor of the A/C refrigerant. In J1979-DA (2017), it is the monitor of the gasoline particulate
  // filter. The older name is used here, because the only vehicles that are known to set the bit are older ones.
  .flag(0x01, 0, "mil", "Malfunction indicator lamp commanded on"),
  .number(0x01, 1, 7, "dtcCount", "Number of DTCs stored in this ECU", .count, vss: "Vehicle.Diagnostics.DTCCount"),
  .ready(0x01, 9, "comprehensiveComponentMonitoringReady", "Comprehensive component monitoring ready", sup: 13),
  .ready(0x01, 10, "fuelSystemMonitoringReady", "Fuel system monitoring ready", sup: 14),
  .ready(0x01, 11, "misfireMonitoringReady", "Misfire monitoring ready", sup: 15),
  .enumeration(0x01, 12, 1, "monitorsIgnitionType", "Ignition type of the supported monitors", .ignitionType),
  .flag(0x01, 13, "comprehensiveComponentMonitoringSupported", "Comprehensive component monitoring supported"),
  .flag(0x01, 14, "fuelSystemMonitoringSupported", "Fuel system monitoring supported"),
  .flag(0x01, 15, "misfireMonitoringSupported", "Misfire monitoring supported"),
  .flag(0x01, 16, "egrAndOrVvtSystemMonitoringSupported", "EGR and/or VVT system monitoring supported"),
  .flag(0x01, 17, "oxygenSensorHeaterMonitoringSupported", "Oxygen sensor heater monitoring supported", .spark),
  .flag(0x01, 17, "pmFilterMonitoringSupported", "PM filter monitoring supported", .compression),
  .flag(0x01, 18, "oxygenSensorMonitoringSupported", "Oxygen sensor monitoring supported", .spark),
  .flag(0x01, 18, "exhaustGasSensorMonitoringSupported", "Exhaust gas sensor monitoring supported", .compression),
  .flag(0x01, 19, "acSystemRefrigerantMonitoringSupported", "A/C system refrigerant monitoring supported", .spark),
  .flag(0x01, 20, "secondaryAirSystemMonitoringSupported", "Secondary air system monitoring supported", .spark),
  .flag(0x01, 20, "boostPressureSystemMonitoringSupported", "Boost pressure system monitoring supported", .compression),
  .flag(0x01, 21, "evaporativeSystemMonitoringSupported", "Evaporative system monitoring supported", .spark),
  .flag(0x01, 22, "heatedCatalystMonitoringSupported", "Heated catalyst monitoring supported", .spark),
  .flag(
    0x01, 22, "noxScrAftertreatmentMonitoringSupported", "NOx/SCR aftertreatment monitoring supported", .compression),
  .flag(0x01, 23, "catalystMonitoringSupported", "Catalyst monitoring supported", .spark),
  .flag(0x01, 23, "nmhcCatalystMonitoringSupported", "NMHC catalyst monitoring supported", .compression),
  .ready(0x01, 24, "egrAndOrVvtSystemMonitoringReady", "EGR and/or VVT system monitoring ready", sup: 16),
  .ready(0x01, 25, "oxygenSensorHeaterMonitoringReady", "Oxygen sensor heater monitoring ready", .spark, sup: 17),
  .ready(0x01, 25, "pmFilterMonitoringReady", "PM filter monitoring ready", .compression, sup: 17),
  .ready(0x01, 26, "oxygenSensorMonitoringReady", "Oxygen sensor monitoring ready", .spark, sup: 18),
  .ready(0x01, 26, "exhaustGasSensorMonitoringReady", "Exhaust gas sensor monitoring ready", .compression, sup: 18),
  .ready(0x01, 27, "acSystemRefrigerantMonitoringReady", "A/C system refrigerant monitoring ready", .spark, sup: 19),
  .ready(0x01, 28, "secondaryAirSystemMonitoringReady", "Secondary air system monitoring ready", .spark, sup: 20),
  .ready(
    0x01, 28, "boostPressureSystemMonitoringReady", "Boost pressure system monitoring ready", .compression, sup: 20),
  .ready(0x01, 29, "evaporativeSystemMonitoringReady", "Evaporative system monitoring ready", .spark, sup: 21),
  .ready(0x01, 30, "heatedCatalystMonitoringReady", "Heated catalyst monitoring ready", .spark, sup: 22),
  .ready(
    0x01, 30, "noxScrAftertreatmentMonitoringReady", "NOx/SCR aftertreatment monitoring ready", .compression, sup: 22),
  .ready(0x01, 31, "catalystMonitoringReady", "Catalyst monitoring ready", .spark, sup: 23),
  .ready(0x01, 31, "nmhcCatalystMonitoringReady", "NMHC catalyst monitoring ready", .compression, sup: 23),

  // PIDs 03-13. PIDs 06-09 have a second byte (banks 3 and 4) only on engines with PID 1D. In PID 03, both bytes are 0
  // while the engine is off. If only byte B is 0, there is no second fuel system.
  .enumeration(0x03, 0, 8, "fuelSystem1Status", "Fuel system 1 status", .fuelSystemStatus),
  .enumeration(0x03, 8, 8, "fuelSystem2Status", "Fuel system 2 status", .fuelSystemStatus, zeroIsAbsentBeside: 0),
  .percent(0x04, 0, "engineLoad", "Calculated load value"),
  .celsius(
    0x05, 0, "coolantTemp", "Engine coolant temperature",
    vss: "Vehicle.Powertrain.CombustionEngine.EngineCoolant.Temperature"),
  .trim(0x06, 0, "shortTermFuelTrimBank1", "Short term fuel trim, bank 1"),
  .trim(0x06, 8, "shortTermFuelTrimBank3", "Short term fuel trim, bank 3"),
  .trim(0x07, 0, "longTermFuelTrimBank1", "Long term fuel trim, bank 1"),
  .trim(0x07, 8, "longTermFuelTrimBank3", "Long term fuel trim, bank 3"),
  .trim(0x08, 0, "shortTermFuelTrimBank2", "Short term fuel trim, bank 2"),
  .trim(0x08, 8, "shortTermFuelTrimBank4", "Short term fuel trim, bank 4"),
  .trim(0x09, 0, "longTermFuelTrimBank2", "Long term fuel trim, bank 2"),
  .trim(0x09, 8, "longTermFuelTrimBank4", "Long term fuel trim, bank 4"),
  .number(0x0A, 0, 8, "fuelPressure", "Fuel pressure (gauge)", .kilopascal, 3),
  .number(
    0x0B, 0, 8, "intakeManifoldAbsolutePressure", "Intake manifold absolute pressure", .kilopascal,
    rescale: .manifoldPressure, vss: "Vehicle.Powertrain.CombustionEngine.MAP"),
  .number(0x0C, 0, 16, "rpm", "Engine speed", .rpm, 0.25, vss: "Vehicle.Powertrain.CombustionEngine.Speed"),
  .number(0x0D, 0, 8, "speed", "Vehicle speed", .kilometresPerHour, vss: "Vehicle.Speed"),
  .number(0x0E, 0, 8, "timingAdvance", "Ignition timing advance for cylinder 1", .degree, 0.5, -64),
  .celsius(0x0F, 0, "intakeAirTemp", "Intake air temperature"),
  .number(
    0x10, 0, 16, "maf", "Air flow rate from mass air flow sensor", .gramsPerSecond, 0.01, rescale: .massAirFlow,
    vss: "Vehicle.Powertrain.CombustionEngine.MAF"),
  .percent(0x11, 0, "throttlePosition", "Absolute throttle position", vss: "Vehicle.Powertrain.CombustionEngine.TPS"),
  .enumeration(0x12, 0, 8, "commandedSecondaryAirStatus", "Commanded secondary air status", .secondaryAirStatus),
  .flag(0x13, 0, "oxygenSensorBank2Sensor4Present", "Oxygen sensor present, bank 2 sensor 4"),
  .flag(0x13, 1, "oxygenSensorBank2Sensor3Present", "Oxygen sensor present, bank 2 sensor 3"),
  .flag(0x13, 2, "oxygenSensorBank2Sensor2Present", "Oxygen sensor present, bank 2 sensor 2"),
  .flag(0x13, 3, "oxygenSensorBank2Sensor1Present", "Oxygen sensor present, bank 2 sensor 1"),
  .flag(0x13, 4, "oxygenSensorBank1Sensor4Present", "Oxygen sensor present, bank 1 sensor 4"),
  .flag(0x13, 5, "oxygenSensorBank1Sensor3Present", "Oxygen sensor present, bank 1 sensor 3"),
  .flag(0x13, 6, "oxygenSensorBank1Sensor2Present", "Oxygen sensor present, bank 1 sensor 2"),
  .flag(0x13, 7, "oxygenSensorBank1Sensor1Present", "Oxygen sensor present, bank 1 sensor 1"),

  // PIDs 14-1B have three groups of rows each: first for numbered sensors, then for the layout of PID 13, then for the
  // layout of PID 1D.
  .number(0x14, 0, 8, "oxygenSensor", "Oxygen sensor output voltage 1", .volt, 0.005),
  .sensorTrim(0x14, "oxygenSensor1ShortTermFuelTrim", "Short term fuel trim of oxygen sensor 1"),
  .number(0x14, 0, 8, "oxygenSensor", "Oxygen sensor output voltage, bank 1 sensor 1", .volt, 0.005),
  .sensorTrim(
    0x14, "oxygenSensorBank1Sensor1ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 1 sensor 1"),
  .number(0x14, 0, 8, "oxygenSensor", "Oxygen sensor output voltage, bank 1 sensor 1", .volt, 0.005),
  .sensorTrim(
    0x14, "oxygenSensorBank1Sensor1ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 1 sensor 1"),
  .number(0x15, 0, 8, "oxygenSensor2", "Oxygen sensor output voltage 2", .volt, 0.005),
  .sensorTrim(0x15, "oxygenSensor2ShortTermFuelTrim", "Short term fuel trim of oxygen sensor 2"),
  .number(0x15, 0, 8, "oxygenSensorBank1Sensor2", "Oxygen sensor output voltage, bank 1 sensor 2", .volt, 0.005),
  .sensorTrim(
    0x15, "oxygenSensorBank1Sensor2ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 1 sensor 2"),
  .number(0x15, 0, 8, "oxygenSensorBank1Sensor2", "Oxygen sensor output voltage, bank 1 sensor 2", .volt, 0.005),
  .sensorTrim(
    0x15, "oxygenSensorBank1Sensor2ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 1 sensor 2"),
  .number(0x16, 0, 8, "oxygenSensor3", "Oxygen sensor output voltage 3", .volt, 0.005),
  .sensorTrim(0x16, "oxygenSensor3ShortTermFuelTrim", "Short term fuel trim of oxygen sensor 3"),
  .number(0x16, 0, 8, "oxygenSensorBank1Sensor3", "Oxygen sensor output voltage, bank 1 sensor 3", .volt, 0.005),
  .sensorTrim(
    0x16, "oxygenSensorBank1Sensor3ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 1 sensor 3"),
  .number(0x16, 0, 8, "oxygenSensorBank2Sensor1", "Oxygen sensor output voltage, bank 2 sensor 1", .volt, 0.005),
  .sensorTrim(
    0x16, "oxygenSensorBank2Sensor1ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 2 sensor 1"),
  .number(0x17, 0, 8, "oxygenSensor4", "Oxygen sensor output voltage 4", .volt, 0.005),
  .sensorTrim(0x17, "oxygenSensor4ShortTermFuelTrim", "Short term fuel trim of oxygen sensor 4"),
  .number(0x17, 0, 8, "oxygenSensorBank1Sensor4", "Oxygen sensor output voltage, bank 1 sensor 4", .volt, 0.005),
  .sensorTrim(
    0x17, "oxygenSensorBank1Sensor4ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 1 sensor 4"),
  .number(0x17, 0, 8, "oxygenSensorBank2Sensor2", "Oxygen sensor output voltage, bank 2 sensor 2", .volt, 0.005),
  .sensorTrim(
    0x17, "oxygenSensorBank2Sensor2ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 2 sensor 2"),
  .number(0x18, 0, 8, "oxygenSensor5", "Oxygen sensor output voltage 5", .volt, 0.005),
  .sensorTrim(0x18, "oxygenSensor5ShortTermFuelTrim", "Short term fuel trim of oxygen sensor 5"),
  .number(0x18, 0, 8, "oxygenSensorBank2Sensor1", "Oxygen sensor output voltage, bank 2 sensor 1", .volt, 0.005),
  .sensorTrim(
    0x18, "oxygenSensorBank2Sensor1ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 2 sensor 1"),
  .number(0x18, 0, 8, "oxygenSensorBank3Sensor1", "Oxygen sensor output voltage, bank 3 sensor 1", .volt, 0.005),
  .sensorTrim(
    0x18, "oxygenSensorBank3Sensor1ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 3 sensor 1"),
  .number(0x19, 0, 8, "oxygenSensor6", "Oxygen sensor output voltage 6", .volt, 0.005),
  .sensorTrim(0x19, "oxygenSensor6ShortTermFuelTrim", "Short term fuel trim of oxygen sensor 6"),
  .number(0x19, 0, 8, "oxygenSensorBank2Sensor2", "Oxygen sensor output voltage, bank 2 sensor 2", .volt, 0.005),
  .sensorTrim(
    0x19, "oxygenSensorBank2Sensor2ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 2 sensor 2"),
  .number(0x19, 0, 8, "oxygenSensorBank3Sensor2", "Oxygen sensor output voltage, bank 3 sensor 2", .volt, 0.005),
  .sensorTrim(
    0x19, "oxygenSensorBank3Sensor2ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 3 sensor 2"),
  .number(0x1A, 0, 8, "oxygenSensor7", "Oxygen sensor output voltage 7", .volt, 0.005),
  .sensorTrim(0x1A, "oxygenSensor7ShortTermFuelTrim", "Short term fuel trim of oxygen sensor 7"),
  .number(0x1A, 0, 8, "oxygenSensorBank2Sensor3", "Oxygen sensor output voltage, bank 2 sensor 3", .volt, 0.005),
  .sensorTrim(
    0x1A, "oxygenSensorBank2Sensor3ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 2 sensor 3"),
  .number(0x1A, 0, 8, "oxygenSensorBank4Sensor1", "Oxygen sensor output voltage, bank 4 sensor 1", .volt, 0.005),
  .sensorTrim(
    0x1A, "oxygenSensorBank4Sensor1ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 4 sensor 1"),
  .number(0x1B, 0, 8, "oxygenSensor8", "Oxygen sensor output voltage 8", .volt, 0.005),
  .sensorTrim(0x1B, "oxygenSensor8ShortTermFuelTrim", "Short term fuel trim of oxygen sensor 8"),
  .number(0x1B, 0, 8, "oxygenSensorBank2Sensor4", "Oxygen sensor output voltage, bank 2 sensor 4", .volt, 0.005),
  .sensorTrim(
    0x1B, "oxygenSensorBank2Sensor4ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 2 sensor 4"),
  .number(0x1B, 0, 8, "oxygenSensorBank4Sensor2", "Oxygen sensor output voltage, bank 4 sensor 2", .volt, 0.005),
  .sensorTrim(
    0x1B, "oxygenSensorBank4Sensor2ShortTermFuelTrim", "Short term fuel trim of oxygen sensor, bank 4 sensor 2"),

  // PIDs 1C-23. In PIDs 1C and 5F, the codes FB-FF are not requirements: SAE J1939 uses them for "not available".
  .enumeration(
    0x1C, 0, 8, "obdRequirements", "OBD requirements to which the vehicle is designed", .obdRequirements, nullAt: 0xFB),
  .flag(0x1D, 0, "oxygenSensorBank4Sensor2PresentOf4Banks", "Oxygen sensor present, bank 4 sensor 2 (of 4 banks)"),
  .flag(0x1D, 1, "oxygenSensorBank4Sensor1PresentOf4Banks", "Oxygen sensor present, bank 4 sensor 1 (of 4 banks)"),
  .flag(0x1D, 2, "oxygenSensorBank3Sensor2PresentOf4Banks", "Oxygen sensor present, bank 3 sensor 2 (of 4 banks)"),
  .flag(0x1D, 3, "oxygenSensorBank3Sensor1PresentOf4Banks", "Oxygen sensor present, bank 3 sensor 1 (of 4 banks)"),
  .flag(0x1D, 4, "oxygenSensorBank2Sensor2PresentOf4Banks", "Oxygen sensor present, bank 2 sensor 2 (of 4 banks)"),
  .flag(0x1D, 5, "oxygenSensorBank2Sensor1PresentOf4Banks", "Oxygen sensor present, bank 2 sensor 1 (of 4 banks)"),
  .flag(0x1D, 6, "oxygenSensorBank1Sensor2PresentOf4Banks", "Oxygen sensor present, bank 1 sensor 2 (of 4 banks)"),
  .flag(0x1D, 7, "oxygenSensorBank1Sensor1PresentOf4Banks", "Oxygen sensor present, bank 1 sensor 1 (of 4 banks)"),
  .flag(0x1E, 7, "powerTakeOffStatus", "Power take off active"),
  .number(0x1F, 0, 16, "timeSinceEngineStart", "Time since engine start", .second),
  .number(0x21, 0, 16, "distanceMIL", "Distance travelled while MIL is activated", .kilometre),
  .number(
    0x22, 0, 16, "fuelRailPressureRelativeToManifoldVacuum", "Fuel rail pressure relative to manifold vacuum",
    .kilopascal, 0.079),
  .number(0x23, 0, 16, "fuelRailPressure", "Fuel rail pressure (gauge)", .kilopascal, 10),

  // PIDs 24-2B have three groups of rows each, like PIDs 14-1B. According to different sources, the full scale has
  // 65,535 or 65,536 steps. Recordings of real vehicles confirm 65,536, so that 8000 is exactly 1.
  .lambda(0x24, "wideRangeVoltageOxygenSensor1EquivalenceRatio", "Lambda, wide range O2 sensor (voltage) 1"),
  .wideVoltage(0x24, "wideRangeVoltageOxygenSensor1Voltage", "Voltage of wide range O2 sensor 1"),
  .lambda(
    0x24, "wideRangeVoltageOxygenSensorBank1Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 1 sensor 1"),
  .wideVoltage(
    0x24, "wideRangeVoltageOxygenSensorBank1Sensor1Voltage", "Voltage of wide range O2 sensor, bank 1 sensor 1"),
  .lambda(
    0x24, "wideRangeVoltageOxygenSensorBank1Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 1 sensor 1"),
  .wideVoltage(
    0x24, "wideRangeVoltageOxygenSensorBank1Sensor1Voltage", "Voltage of wide range O2 sensor, bank 1 sensor 1"),
  .lambda(0x25, "wideRangeVoltageOxygenSensor2EquivalenceRatio", "Lambda, wide range O2 sensor (voltage) 2"),
  .wideVoltage(0x25, "wideRangeVoltageOxygenSensor2Voltage", "Voltage of wide range O2 sensor 2"),
  .lambda(
    0x25, "wideRangeVoltageOxygenSensorBank1Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 1 sensor 2"),
  .wideVoltage(
    0x25, "wideRangeVoltageOxygenSensorBank1Sensor2Voltage", "Voltage of wide range O2 sensor, bank 1 sensor 2"),
  .lambda(
    0x25, "wideRangeVoltageOxygenSensorBank1Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 1 sensor 2"),
  .wideVoltage(
    0x25, "wideRangeVoltageOxygenSensorBank1Sensor2Voltage", "Voltage of wide range O2 sensor, bank 1 sensor 2"),
  .lambda(0x26, "wideRangeVoltageOxygenSensor3EquivalenceRatio", "Lambda, wide range O2 sensor (voltage) 3"),
  .wideVoltage(0x26, "wideRangeVoltageOxygenSensor3Voltage", "Voltage of wide range O2 sensor 3"),
  .lambda(
    0x26, "wideRangeVoltageOxygenSensorBank1Sensor3EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 1 sensor 3"),
  .wideVoltage(
    0x26, "wideRangeVoltageOxygenSensorBank1Sensor3Voltage", "Voltage of wide range O2 sensor, bank 1 sensor 3"),
  .lambda(
    0x26, "wideRangeVoltageOxygenSensorBank2Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 2 sensor 1"),
  .wideVoltage(
    0x26, "wideRangeVoltageOxygenSensorBank2Sensor1Voltage", "Voltage of wide range O2 sensor, bank 2 sensor 1"),
  .lambda(0x27, "wideRangeVoltageOxygenSensor4EquivalenceRatio", "Lambda, wide range O2 sensor (voltage) 4"),
  .wideVoltage(0x27, "wideRangeVoltageOxygenSensor4Voltage", "Voltage of wide range O2 sensor 4"),
  .lambda(
    0x27, "wideRangeVoltageOxygenSensorBank1Sensor4EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 1 sensor 4"),
  .wideVoltage(
    0x27, "wideRangeVoltageOxygenSensorBank1Sensor4Voltage", "Voltage of wide range O2 sensor, bank 1 sensor 4"),
  .lambda(
    0x27, "wideRangeVoltageOxygenSensorBank2Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 2 sensor 2"),
  .wideVoltage(
    0x27, "wideRangeVoltageOxygenSensorBank2Sensor2Voltage", "Voltage of wide range O2 sensor, bank 2 sensor 2"),
  .lambda(0x28, "wideRangeVoltageOxygenSensor5EquivalenceRatio", "Lambda, wide range O2 sensor (voltage) 5"),
  .wideVoltage(0x28, "wideRangeVoltageOxygenSensor5Voltage", "Voltage of wide range O2 sensor 5"),
  .lambda(
    0x28, "wideRangeVoltageOxygenSensorBank2Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 2 sensor 1"),
  .wideVoltage(
    0x28, "wideRangeVoltageOxygenSensorBank2Sensor1Voltage", "Voltage of wide range O2 sensor, bank 2 sensor 1"),
  .lambda(
    0x28, "wideRangeVoltageOxygenSensorBank3Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 3 sensor 1"),
  .wideVoltage(
    0x28, "wideRangeVoltageOxygenSensorBank3Sensor1Voltage", "Voltage of wide range O2 sensor, bank 3 sensor 1"),
  .lambda(0x29, "wideRangeVoltageOxygenSensor6EquivalenceRatio", "Lambda, wide range O2 sensor (voltage) 6"),
  .wideVoltage(0x29, "wideRangeVoltageOxygenSensor6Voltage", "Voltage of wide range O2 sensor 6"),
  .lambda(
    0x29, "wideRangeVoltageOxygenSensorBank2Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 2 sensor 2"),
  .wideVoltage(
    0x29, "wideRangeVoltageOxygenSensorBank2Sensor2Voltage", "Voltage of wide range O2 sensor, bank 2 sensor 2"),
  .lambda(
    0x29, "wideRangeVoltageOxygenSensorBank3Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 3 sensor 2"),
  .wideVoltage(
    0x29, "wideRangeVoltageOxygenSensorBank3Sensor2Voltage", "Voltage of wide range O2 sensor, bank 3 sensor 2"),
  .lambda(0x2A, "wideRangeVoltageOxygenSensor7EquivalenceRatio", "Lambda, wide range O2 sensor (voltage) 7"),
  .wideVoltage(0x2A, "wideRangeVoltageOxygenSensor7Voltage", "Voltage of wide range O2 sensor 7"),
  .lambda(
    0x2A, "wideRangeVoltageOxygenSensorBank2Sensor3EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 2 sensor 3"),
  .wideVoltage(
    0x2A, "wideRangeVoltageOxygenSensorBank2Sensor3Voltage", "Voltage of wide range O2 sensor, bank 2 sensor 3"),
  .lambda(
    0x2A, "wideRangeVoltageOxygenSensorBank4Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 4 sensor 1"),
  .wideVoltage(
    0x2A, "wideRangeVoltageOxygenSensorBank4Sensor1Voltage", "Voltage of wide range O2 sensor, bank 4 sensor 1"),
  .lambda(0x2B, "wideRangeVoltageOxygenSensor8EquivalenceRatio", "Lambda, wide range O2 sensor (voltage) 8"),
  .wideVoltage(0x2B, "wideRangeVoltageOxygenSensor8Voltage", "Voltage of wide range O2 sensor 8"),
  .lambda(
    0x2B, "wideRangeVoltageOxygenSensorBank2Sensor4EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 2 sensor 4"),
  .wideVoltage(
    0x2B, "wideRangeVoltageOxygenSensorBank2Sensor4Voltage", "Voltage of wide range O2 sensor, bank 2 sensor 4"),
  .lambda(
    0x2B, "wideRangeVoltageOxygenSensorBank4Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (voltage), bank 4 sensor 2"),
  .wideVoltage(
    0x2B, "wideRangeVoltageOxygenSensorBank4Sensor2Voltage", "Voltage of wide range O2 sensor, bank 4 sensor 2"),

  // PIDs 2C-33. In the standard, vapor pressures (32, 54, A3) are in Pa. Here, all pressures are in kPa.
  .percent(0x2C, 0, "commandedEgr", "Commanded EGR"),
  .trim(0x2D, 0, "egrError", "EGR error"),
  .percent(0x2E, 0, "commandedEvaporativePurge", "Commanded evaporative purge"),
  .percent(0x2F, 0, "fuelLevel", "Fuel level input", vss: "Vehicle.Powertrain.FuelSystem.RelativeLevel"),
  .number(0x30, 0, 8, "warmUpsSinceDtcsCleared", "Number of warm-ups since DTCs cleared", .count),
  .number(0x31, 0, 16, "distanceSinceDtcsCleared", "Distance travelled since DTCs cleared", .kilometre),
  .number(0x32, 0, 16, "evapSystemVaporPressure", "Evap system vapor pressure", .kilopascal, 0.00025, signed: true),
  .number(0x33, 0, 8, "barometricPressure", "Barometric pressure", .kilopascal),

  // PIDs 34-3B have three groups of rows each, like PIDs 14-1B. 8000 is 0 mA.
  .lambda(0x34, "wideRangeCurrentOxygenSensor1EquivalenceRatio", "Lambda, wide range O2 sensor (current) 1"),
  .wideCurrent(0x34, "wideRangeCurrentOxygenSensor1Current", "Current of wide range O2 sensor 1"),
  .lambda(
    0x34, "wideRangeCurrentOxygenSensorBank1Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 1 sensor 1"),
  .wideCurrent(
    0x34, "wideRangeCurrentOxygenSensorBank1Sensor1Current", "Current of wide range O2 sensor, bank 1 sensor 1"),
  .lambda(
    0x34, "wideRangeCurrentOxygenSensorBank1Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 1 sensor 1"),
  .wideCurrent(
    0x34, "wideRangeCurrentOxygenSensorBank1Sensor1Current", "Current of wide range O2 sensor, bank 1 sensor 1"),
  .lambda(0x35, "wideRangeCurrentOxygenSensor2EquivalenceRatio", "Lambda, wide range O2 sensor (current) 2"),
  .wideCurrent(0x35, "wideRangeCurrentOxygenSensor2Current", "Current of wide range O2 sensor 2"),
  .lambda(
    0x35, "wideRangeCurrentOxygenSensorBank1Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 1 sensor 2"),
  .wideCurrent(
    0x35, "wideRangeCurrentOxygenSensorBank1Sensor2Current", "Current of wide range O2 sensor, bank 1 sensor 2"),
  .lambda(
    0x35, "wideRangeCurrentOxygenSensorBank1Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 1 sensor 2"),
  .wideCurrent(
    0x35, "wideRangeCurrentOxygenSensorBank1Sensor2Current", "Current of wide range O2 sensor, bank 1 sensor 2"),
  .lambda(0x36, "wideRangeCurrentOxygenSensor3EquivalenceRatio", "Lambda, wide range O2 sensor (current) 3"),
  .wideCurrent(0x36, "wideRangeCurrentOxygenSensor3Current", "Current of wide range O2 sensor 3"),
  .lambda(
    0x36, "wideRangeCurrentOxygenSensorBank1Sensor3EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 1 sensor 3"),
  .wideCurrent(
    0x36, "wideRangeCurrentOxygenSensorBank1Sensor3Current", "Current of wide range O2 sensor, bank 1 sensor 3"),
  .lambda(
    0x36, "wideRangeCurrentOxygenSensorBank2Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 2 sensor 1"),
  .wideCurrent(
    0x36, "wideRangeCurrentOxygenSensorBank2Sensor1Current", "Current of wide range O2 sensor, bank 2 sensor 1"),
  .lambda(0x37, "wideRangeCurrentOxygenSensor4EquivalenceRatio", "Lambda, wide range O2 sensor (current) 4"),
  .wideCurrent(0x37, "wideRangeCurrentOxygenSensor4Current", "Current of wide range O2 sensor 4"),
  .lambda(
    0x37, "wideRangeCurrentOxygenSensorBank1Sensor4EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 1 sensor 4"),
  .wideCurrent(
    0x37, "wideRangeCurrentOxygenSensorBank1Sensor4Current", "Current of wide range O2 sensor, bank 1 sensor 4"),
  .lambda(
    0x37, "wideRangeCurrentOxygenSensorBank2Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 2 sensor 2"),
  .wideCurrent(
    0x37, "wideRangeCurrentOxygenSensorBank2Sensor2Current", "Current of wide range O2 sensor, bank 2 sensor 2"),
  .lambda(0x38, "wideRangeCurrentOxygenSensor5EquivalenceRatio", "Lambda, wide range O2 sensor (current) 5"),
  .wideCurrent(0x38, "wideRangeCurrentOxygenSensor5Current", "Current of wide range O2 sensor 5"),
  .lambda(
    0x38, "wideRangeCurrentOxygenSensorBank2Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 2 sensor 1"),
  .wideCurrent(
    0x38, "wideRangeCurrentOxygenSensorBank2Sensor1Current", "Current of wide range O2 sensor, bank 2 sensor 1"),
  .lambda(
    0x38, "wideRangeCurrentOxygenSensorBank3Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 3 sensor 1"),
  .wideCurrent(
    0x38, "wideRangeCurrentOxygenSensorBank3Sensor1Current", "Current of wide range O2 sensor, bank 3 sensor 1"),
  .lambda(0x39, "wideRangeCurrentOxygenSensor6EquivalenceRatio", "Lambda, wide range O2 sensor (current) 6"),
  .wideCurrent(0x39, "wideRangeCurrentOxygenSensor6Current", "Current of wide range O2 sensor 6"),
  .lambda(
    0x39, "wideRangeCurrentOxygenSensorBank2Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 2 sensor 2"),
  .wideCurrent(
    0x39, "wideRangeCurrentOxygenSensorBank2Sensor2Current", "Current of wide range O2 sensor, bank 2 sensor 2"),
  .lambda(
    0x39, "wideRangeCurrentOxygenSensorBank3Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 3 sensor 2"),
  .wideCurrent(
    0x39, "wideRangeCurrentOxygenSensorBank3Sensor2Current", "Current of wide range O2 sensor, bank 3 sensor 2"),
  .lambda(0x3A, "wideRangeCurrentOxygenSensor7EquivalenceRatio", "Lambda, wide range O2 sensor (current) 7"),
  .wideCurrent(0x3A, "wideRangeCurrentOxygenSensor7Current", "Current of wide range O2 sensor 7"),
  .lambda(
    0x3A, "wideRangeCurrentOxygenSensorBank2Sensor3EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 2 sensor 3"),
  .wideCurrent(
    0x3A, "wideRangeCurrentOxygenSensorBank2Sensor3Current", "Current of wide range O2 sensor, bank 2 sensor 3"),
  .lambda(
    0x3A, "wideRangeCurrentOxygenSensorBank4Sensor1EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 4 sensor 1"),
  .wideCurrent(
    0x3A, "wideRangeCurrentOxygenSensorBank4Sensor1Current", "Current of wide range O2 sensor, bank 4 sensor 1"),
  .lambda(0x3B, "wideRangeCurrentOxygenSensor8EquivalenceRatio", "Lambda, wide range O2 sensor (current) 8"),
  .wideCurrent(0x3B, "wideRangeCurrentOxygenSensor8Current", "Current of wide range O2 sensor 8"),
  .lambda(
    0x3B, "wideRangeCurrentOxygenSensorBank2Sensor4EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 2 sensor 4"),
  .wideCurrent(
    0x3B, "wideRangeCurrentOxygenSensorBank2Sensor4Current", "Current of wide range O2 sensor, bank 2 sensor 4"),
  .lambda(
    0x3B, "wideRangeCurrentOxygenSensorBank4Sensor2EquivalenceRatio",
    "Lambda, wide range O2 sensor (current), bank 4 sensor 2"),
  .wideCurrent(
    0x3B, "wideRangeCurrentOxygenSensorBank4Sensor2Current", "Current of wide range O2 sensor, bank 4 sensor 2"),

  // PIDs 3C-3F.
  .celsius16(0x3C, 0, "catalystTemperatureBank1Sensor1", "Catalyst temperature, bank 1 sensor 1"),
  .celsius16(0x3D, 0, "catalystTemperatureBank2Sensor1", "Catalyst temperature, bank 2 sensor 1"),
  .celsius16(0x3E, 0, "catalystTemperatureBank1Sensor2", "Catalyst temperature, bank 1 sensor 2"),
  .celsius16(0x3F, 0, "catalystTemperatureBank2Sensor2", "Catalyst temperature, bank 2 sensor 2"),

  // PID 41: monitor status of this driving cycle. In this PID, a monitor that does not exist counts as completed. The
  // answer does not show which monitors exist; PID 01 does.
  .ready(0x41, 9, "comprehensiveComponentMonitoringCompleted", "Comprehensive component monitoring completed"),
  .ready(0x41, 10, "fuelSystemMonitoringCompleted", "Fuel system monitoring completed"),
  .ready(0x41, 11, "misfireMonitoringCompleted", "Misfire monitoring completed"),
  .enumeration(
    0x41, 12, 1, "drivingCycleMonitorsIgnitionType", "Ignition type of the monitors of this driving cycle",
    .ignitionType),
  .flag(0x41, 13, "comprehensiveComponentMonitoringEnabled", "Comprehensive component monitoring enabled"),
  .flag(0x41, 14, "fuelSystemMonitoringEnabled", "Fuel system monitoring enabled"),
  .flag(0x41, 15, "misfireMonitoringEnabled", "Misfire monitoring enabled"),
  .flag(0x41, 16, "egrAndOrVvtSystemMonitoringEnabled", "EGR and/or VVT system monitoring enabled"),
  .flag(0x41, 17, "oxygenSensorHeaterMonitoringEnabled", "Oxygen sensor heater monitoring enabled", .spark),
  .flag(0x41, 17, "pmFilterMonitoringEnabled", "PM filter monitoring enabled", .compression),
  .flag(0x41, 18, "oxygenSensorMonitoringEnabled", "Oxygen sensor monitoring enabled", .spark),
  .flag(0x41, 18, "exhaustGasSensorMonitoringEnabled", "Exhaust gas sensor monitoring enabled", .compression),
  .flag(0x41, 19, "acSystemRefrigerantMonitoringEnabled", "A/C system refrigerant monitoring enabled", .spark),
  .flag(0x41, 20, "secondaryAirSystemMonitoringEnabled", "Secondary air system monitoring enabled", .spark),
  .flag(0x41, 20, "boostPressureSystemMonitoringEnabled", "Boost pressure system monitoring enabled", .compression),
  .flag(0x41, 21, "evaporativeSystemMonitoringEnabled", "Evaporative system monitoring enabled", .spark),
  .flag(0x41, 22, "heatedCatalystMonitoringEnabled", "Heated catalyst monitoring enabled", .spark),
  .flag(0x41, 22, "noxScrAftertreatmentMonitoringEnabled", "NOx/SCR aftertreatment monitoring enabled", .compression),
  .flag(0x41, 23, "catalystMonitoringEnabled", "Catalyst monitoring enabled", .spark),
  .flag(0x41, 23, "nmhcCatalystMonitoringEnabled", "NMHC catalyst monitoring enabled", .compression),
  .ready(0x41, 24, "egrAndOrVvtSystemMonitoringCompleted", "EGR and/or VVT system monitoring completed"),
  .ready(0x41, 25, "oxygenSensorHeaterMonitoringCompleted", "Oxygen sensor heater monitoring completed", .spark),
  .ready(0x41, 25, "pmFilterMonitoringCompleted", "PM filter monitoring completed", .compression),
  .ready(0x41, 26, "oxygenSensorMonitoringCompleted", "Oxygen sensor monitoring completed", .spark),
  .ready(0x41, 26, "exhaustGasSensorMonitoringCompleted", "Exhaust gas sensor monitoring completed", .compression),
  .ready(0x41, 27, "acSystemRefrigerantMonitoringCompleted", "A/C system refrigerant monitoring completed", .spark),
  .ready(0x41, 28, "secondaryAirSystemMonitoringCompleted", "Secondary air system monitoring completed", .spark),
  .ready(
    0x41, 28, "boostPressureSystemMonitoringCompleted", "Boost pressure system monitoring completed", .compression),
  .ready(0x41, 29, "evaporativeSystemMonitoringCompleted", "Evaporative system monitoring completed", .spark),
  .ready(0x41, 30, "heatedCatalystMonitoringCompleted", "Heated catalyst monitoring completed", .spark),
  .ready(
    0x41, 30, "noxScrAftertreatmentMonitoringCompleted", "NOx/SCR aftertreatment monitoring completed", .compression),
  .ready(0x41, 31, "catalystMonitoringCompleted", "Catalyst monitoring completed", .spark),
  .ready(0x41, 31, "nmhcCatalystMonitoringCompleted", "NMHC catalyst monitoring completed", .compression),

  // PIDs 42-63. `rescale` marks values whose scale PIDs 4F and 50 may change. Byte B of PIDs 55-58 has the same meaning
  // as byte B of PIDs 06-09.
  .number(0x42, 0, 16, "controlModuleVoltage", "Control module voltage", .volt, 0.001),
  .number(0x43, 0, 16, "absoluteLoadValue", "Absolute load value", .percent, perCent255),
  .lambda(0x44, "commandedEquivalenceRatio", "Fuel/air commanded equivalence ratio"),
  .percent(0x45, 0, "relativeThrottlePosition", "Relative throttle position"),
  .celsius(0x46, 0, "ambientAirTemperature", "Ambient air temperature", vss: "Vehicle.Exterior.AirTemperature"),
  .percent(0x47, 0, "absoluteThrottlePositionB", "Absolute throttle position B"),
  .percent(0x48, 0, "absoluteThrottlePositionC", "Absolute throttle position C"),
  .percent(0x49, 0, "acceleratorPedalPositionD", "Accelerator pedal position D"),
  .percent(0x4A, 0, "acceleratorPedalPositionE", "Accelerator pedal position E"),
  .percent(0x4B, 0, "acceleratorPedalPositionF", "Accelerator pedal position F"),
  .percent(0x4C, 0, "commandedThrottleActuatorControl", "Commanded throttle actuator control"),
  .number(0x4D, 0, 16, "engineRunTimeWhileMilActivated", "Engine run time while MIL is activated", .minute),
  .number(0x4E, 0, 16, "engineRunTimeSinceDtcsCleared", "Engine run time since DTCs cleared", .minute),
  .fullScale(0x4F, 0, "maximumEquivalenceRatio", "Maximum value for equivalence ratio", .ratio),
  .fullScale(0x4F, 8, "maximumOxygenSensorVoltage", "Maximum value for oxygen sensor voltage", .volt),
  .fullScale(0x4F, 16, "maximumOxygenSensorCurrent", "Maximum value for oxygen sensor current", .milliampere),
  .fullScale(
    0x4F, 24, "maximumIntakeManifoldAbsolutePressure", "Maximum value for intake manifold absolute pressure",
    .kilopascal, 10),
  .fullScale(
    0x50, 0, "maximumAirFlowRate", "Maximum value for air flow rate from mass air flow sensor", .gramsPerSecond, 10),
  .enumeration(0x51, 0, 8, "fuelType", "Type of fuel currently used by the vehicle", .fuelType, nullUpTo: 0),
  .percent(0x52, 0, "alcoholFuelPercentage", "Alcohol fuel percentage"),
  .number(0x53, 0, 16, "absoluteEvapSystemVaporPressure", "Absolute evap system vapor pressure", .kilopascal, 0.005),
  .number(
    0x54, 0, 16, "evapSystemVaporPressureWideRange", "Evap system vapor pressure (wide range)", .kilopascal, 0.001,
    signed: true),
  .trim(0x55, 0, "shortTermSecondaryOxygenSensorFuelTrimBank1", "Short term secondary O2 sensor fuel trim, bank 1"),
  .trim(0x55, 8, "shortTermSecondaryOxygenSensorFuelTrimBank3", "Short term secondary O2 sensor fuel trim, bank 3"),
  .trim(0x56, 0, "longTermSecondaryOxygenSensorFuelTrimBank1", "Long term secondary O2 sensor fuel trim, bank 1"),
  .trim(0x56, 8, "longTermSecondaryOxygenSensorFuelTrimBank3", "Long term secondary O2 sensor fuel trim, bank 3"),
  .trim(0x57, 0, "shortTermSecondaryOxygenSensorFuelTrimBank2", "Short term secondary O2 sensor fuel trim, bank 2"),
  .trim(0x57, 8, "shortTermSecondaryOxygenSensorFuelTrimBank4", "Short term secondary O2 sensor fuel trim, bank 4"),
  .trim(0x58, 0, "longTermSecondaryOxygenSensorFuelTrimBank2", "Long term secondary O2 sensor fuel trim, bank 2"),
  .trim(0x58, 8, "longTermSecondaryOxygenSensorFuelTrimBank4", "Long term secondary O2 sensor fuel trim, bank 4"),
  .number(0x59, 0, 16, "fuelRailPressureAbsolute", "Fuel rail pressure (absolute)", .kilopascal, 10),
  .percent(
    0x5A, 0, "relativeAcceleratorPedalPosition", "Relative accelerator pedal position",
    vss: "Vehicle.Chassis.Accelerator.PedalPosition"),
  .percent(
    0x5B, 0, "hybridBatteryPackRemainingCharge", "Hybrid/EV battery pack remaining charge",
    vss: "Vehicle.Powertrain.TractionBattery.StateOfCharge.Current"),
  .celsius(
    0x5C, 0, "engineOilTemperature", "Engine oil temperature",
    vss: "Vehicle.Powertrain.CombustionEngine.EngineOil.Temperature"),
  .number(0x5D, 0, 16, "fuelInjectionTiming", "Fuel injection timing", .degree, 1.0 / 128, -210),
  .number(0x5E, 0, 16, "fuelRate", "Engine fuel rate", .litresPerHour, 0.05),
  .enumeration(
    0x5F, 0, 8, "emissionRequirements", "Emission requirements to which the vehicle is designed", .emissionRequirements,
    nullAt: 0xFB),
  .number(0x61, 0, 8, "driversDemandEnginePercentTorque", "Driver's demand engine, percent torque", .percent, 1, -125),
  .number(0x62, 0, 8, "actualEnginePercentTorque", "Actual engine, percent torque", .percent, 1, -125),
  .number(0x63, 0, 16, "engineReferenceTorque", "Engine reference torque", .newtonMetre),

  // From here on, most answers begin with a byte of support bits.
  .number(0x64, 0, 8, "enginePercentTorqueAtIdlePoint1", "Engine percent torque at idle, point 1", .percent, 1, -125),
  .number(0x64, 8, 8, "enginePercentTorqueAtPoint2", "Engine percent torque at point 2", .percent, 1, -125),
  .number(0x64, 16, 8, "enginePercentTorqueAtPoint3", "Engine percent torque at point 3", .percent, 1, -125),
  .number(0x64, 24, 8, "enginePercentTorqueAtPoint4", "Engine percent torque at point 4", .percent, 1, -125),
  .number(0x64, 32, 8, "enginePercentTorqueAtPoint5", "Engine percent torque at point 5", .percent, 1, -125),
  .support(0x65, 3, "recommendedTransmissionGearSupported"),
  .support(0x65, 4, "glowPlugLampStatusSupported"),
  .support(0x65, 5, "manualTransNeutralGearStatusSupported"),
  .support(0x65, 6, "autoTransNeutralDriveStatusSupported"),
  .support(0x65, 7, "auxiliaryPowerTakeOffStatusSupported"),
  .number(0x65, 8, 4, "recommendedTransmissionGear", "Recommended transmission gear", sup: 3),
  .flag(0x65, 12, "glowPlugLampStatus", "Glow plug lamp on", sup: 4),
  .flag(0x65, 13, "manualTransNeutralGearStatus", "Manual transmission in gear", sup: 5),
  .flag(0x65, 14, "autoTransNeutralDriveStatus", "Automatic transmission in drive or reverse", sup: 6),
  .flag(0x65, 15, "auxiliaryPowerTakeOffStatus", "Power take off (PTO) status", sup: 7),
  .support(0x66, 6, "massAirFlowSensorBSupported"),
  .support(0x66, 7, "massAirFlowSensorASupported"),
  .number(0x66, 8, 16, "massAirFlowSensorA", "Mass air flow sensor A", .gramsPerSecond, 1.0 / 32, sup: 7),
  .number(0x66, 24, 16, "massAirFlowSensorB", "Mass air flow sensor B", .gramsPerSecond, 1.0 / 32, sup: 6),
  .support(0x67, 6, "engineCoolantTemperature2Supported"),
  .support(0x67, 7, "engineCoolantTemperature1Supported"),
  .celsius(0x67, 8, "engineCoolantTemperature1", "Engine coolant temperature 1", sup: 7),
  .celsius(0x67, 16, "engineCoolantTemperature2", "Engine coolant temperature 2", sup: 6),
  .support(0x68, 2, "intakeAirTemperatureBank2Sensor3Supported"),
  .support(0x68, 3, "intakeAirTemperatureBank2Sensor2Supported"),
  .support(0x68, 4, "intakeAirTemperatureBank2Sensor1Supported"),
  .support(0x68, 5, "intakeAirTemperatureBank1Sensor3Supported"),
  .support(0x68, 6, "intakeAirTemperatureBank1Sensor2Supported"),
  .support(0x68, 7, "intakeAirTemperatureBank1Sensor1Supported"),
  .celsius(0x68, 8, "intakeAirTemperatureBank1Sensor1", "Intake air temperature, bank 1 sensor 1", sup: 7),
  .celsius(0x68, 16, "intakeAirTemperatureBank1Sensor2", "Intake air temperature, bank 1 sensor 2", sup: 6),
  .celsius(0x68, 24, "intakeAirTemperatureBank1Sensor3", "Intake air temperature, bank 1 sensor 3", sup: 5),
  .celsius(0x68, 32, "intakeAirTemperatureBank2Sensor1", "Intake air temperature, bank 2 sensor 1", sup: 4),
  .celsius(0x68, 40, "intakeAirTemperatureBank2Sensor2", "Intake air temperature, bank 2 sensor 2", sup: 3),
  .celsius(0x68, 48, "intakeAirTemperatureBank2Sensor3", "Intake air temperature, bank 2 sensor 3", sup: 2),
  .support(0x69, 2, "egrBErrorSupported"),
  .support(0x69, 3, "actualEgrBSupported"),
  .support(0x69, 4, "commandedEgrBSupported"),
  .support(0x69, 5, "egrAErrorSupported"),
  .support(0x69, 6, "actualEgrASupported"),
  .support(0x69, 7, "commandedEgrASupported"),
  .percent(0x69, 8, "commandedEgrA", "Commanded EGR A duty cycle/position", sup: 7),
  .percent(0x69, 16, "actualEgrA", "Actual EGR A duty cycle/position", sup: 6),
  .trim(0x69, 24, "egrAError", "EGR A error", sup: 5),
  .percent(0x69, 32, "commandedEgrB", "Commanded EGR B duty cycle/position", sup: 4),
  .percent(0x69, 40, "actualEgrB", "Actual EGR B duty cycle/position", sup: 3),
  .trim(0x69, 48, "egrBError", "EGR B error", sup: 2),
  .support(0x6A, 4, "relativeIntakeAirFlowBPositionSupported"),
  .support(0x6A, 5, "commandedIntakeAirFlowBControlSupported"),
  .support(0x6A, 6, "relativeIntakeAirFlowAPositionSupported"),
  .support(0x6A, 7, "commandedIntakeAirFlowAControlSupported"),
  .percent(0x6A, 8, "commandedIntakeAirFlowAControl", "Commanded intake air flow A control", sup: 7),
  .percent(0x6A, 16, "relativeIntakeAirFlowAPosition", "Relative intake air flow A position", sup: 6),
  .percent(0x6A, 24, "commandedIntakeAirFlowBControl", "Commanded intake air flow B control", sup: 5),
  .percent(0x6A, 32, "relativeIntakeAirFlowBPosition", "Relative intake air flow B position", sup: 4),

  // PID 6B: the same byte is in steps of 1 °C or of 4 °C. There are two support bits; the bit that is set shows which
  // step applies.
  .support(0x6B, 0, "egrTemperatureDWideRangeSupported"),
  .support(0x6B, 1, "egrTemperatureBWideRangeSupported"),
  .support(0x6B, 2, "egrTemperatureCWideRangeSupported"),
  .support(0x6B, 3, "egrTemperatureAWideRangeSupported"),
  .support(0x6B, 4, "egrTemperatureDSupported"),
  .support(0x6B, 5, "egrTemperatureBSupported"),
  .support(0x6B, 6, "egrTemperatureCSupported"),
  .support(0x6B, 7, "egrTemperatureASupported"),
  .celsius(0x6B, 8, "egrTemperatureA", "EGR temperature sensor A (bank 1, sensor 1)", sup: 7),
  .number(
    0x6B, 8, 8, "egrTemperatureAWideRange", "EGR temperature sensor A (bank 1, sensor 1), wide range", .celsius, 4, -40,
    sup: 3),
  .celsius(0x6B, 16, "egrTemperatureC", "EGR temperature sensor C (bank 1, sensor 2)", sup: 6),
  .number(
    0x6B, 16, 8, "egrTemperatureCWideRange", "EGR temperature sensor C (bank 1, sensor 2), wide range", .celsius, 4,
    -40, sup: 2),
  .celsius(0x6B, 24, "egrTemperatureB", "EGR temperature sensor B (bank 2, sensor 1)", sup: 5),
  .number(
    0x6B, 24, 8, "egrTemperatureBWideRange", "EGR temperature sensor B (bank 2, sensor 1), wide range", .celsius, 4,
    -40, sup: 1),
  .celsius(0x6B, 32, "egrTemperatureD", "EGR temperature sensor D (bank 2, sensor 2)", sup: 4),
  .number(
    0x6B, 32, 8, "egrTemperatureDWideRange", "EGR temperature sensor D (bank 2, sensor 2), wide range", .celsius, 4,
    -40, sup: 0),
  .support(0x6C, 4, "relativeThrottleBPositionSupported"),
  .support(0x6C, 5, "commandedThrottleActuatorBControlSupported"),
  .support(0x6C, 6, "relativeThrottleAPositionSupported"),
  .support(0x6C, 7, "commandedThrottleActuatorAControlSupported"),
  .percent(0x6C, 8, "commandedThrottleActuatorAControl", "Commanded throttle actuator A control", sup: 7),
  .percent(0x6C, 16, "relativeThrottleAPosition", "Relative throttle A position", sup: 6),
  .percent(0x6C, 24, "commandedThrottleActuatorBControl", "Commanded throttle actuator B control", sup: 5),
  .percent(0x6C, 32, "relativeThrottleBPosition", "Relative throttle B position", sup: 4),
  .support(0x6D, 2, "fuelRailTemperatureBSupported"),
  .support(0x6D, 3, "fuelRailPressureBSupported"),
  .support(0x6D, 4, "commandedFuelRailPressureBSupported"),
  .support(0x6D, 5, "fuelRailTemperatureASupported"),
  .support(0x6D, 6, "fuelRailPressureASupported"),
  .support(0x6D, 7, "commandedFuelRailPressureASupported"),
  .number(0x6D, 8, 16, "commandedFuelRailPressureA", "Commanded fuel rail pressure A", .kilopascal, 10, sup: 7),
  .number(0x6D, 24, 16, "fuelRailPressureA", "Fuel rail pressure A", .kilopascal, 10, sup: 6),
  .celsius(0x6D, 40, "fuelRailTemperatureA", "Fuel rail temperature A", sup: 5),
  .number(0x6D, 48, 16, "commandedFuelRailPressureB", "Commanded fuel rail pressure B", .kilopascal, 10, sup: 4),
  .number(0x6D, 64, 16, "fuelRailPressureB", "Fuel rail pressure B", .kilopascal, 10, sup: 3),
  .celsius(0x6D, 80, "fuelRailTemperatureB", "Fuel rail temperature B", sup: 2),
  .support(0x6E, 4, "injectionControlPressureBSupported"),
  .support(0x6E, 5, "commandedInjectionControlPressureBSupported"),
  .support(0x6E, 6, "injectionControlPressureASupported"),
  .support(0x6E, 7, "commandedInjectionControlPressureASupported"),
  .number(
    0x6E, 8, 16, "commandedInjectionControlPressureA", "Commanded injection control pressure A", .kilopascal, 10, sup: 7
  ),
  .number(0x6E, 24, 16, "injectionControlPressureA", "Injection control pressure A", .kilopascal, 10, sup: 6),
  .number(
    0x6E, 40, 16, "commandedInjectionControlPressureB", "Commanded injection control pressure B", .kilopascal, 10,
    sup: 5),
  .number(0x6E, 56, 16, "injectionControlPressureB", "Injection control pressure B", .kilopascal, 10, sup: 4),

  // PID 6F: the same byte is in steps of 1 kPa or of 8 kPa. There are two support bits; the bit that is set shows which
  // step applies.
  .support(0x6F, 4, "turbochargerCompressorInletPressureBWideRangeSupported"),
  .support(0x6F, 5, "turbochargerCompressorInletPressureAWideRangeSupported"),
  .support(0x6F, 6, "turbochargerCompressorInletPressureBSupported"),
  .support(0x6F, 7, "turbochargerCompressorInletPressureASupported"),
  .number(
    0x6F, 8, 8, "turbochargerCompressorInletPressureA", "Turbocharger compressor inlet pressure sensor A", .kilopascal,
    sup: 7),
  .number(
    0x6F, 8, 8, "turbochargerCompressorInletPressureAWideRange",
    "Turbocharger compressor inlet pressure sensor A, wide range", .kilopascal, 8, sup: 5),
  .number(
    0x6F, 16, 8, "turbochargerCompressorInletPressureB", "Turbocharger compressor inlet pressure sensor B", .kilopascal,
    sup: 6),
  .number(
    0x6F, 16, 8, "turbochargerCompressorInletPressureBWideRange",
    "Turbocharger compressor inlet pressure sensor B, wide range", .kilopascal, 8, sup: 4),
  .support(0x70, 2, "boostPressureBControlStatusSupported"),
  .support(0x70, 3, "boostPressureSensorBSupported"),
  .support(0x70, 4, "commandedBoostPressureBSupported"),
  .support(0x70, 5, "boostPressureAControlStatusSupported"),
  .support(0x70, 6, "boostPressureSensorASupported"),
  .support(0x70, 7, "commandedBoostPressureASupported"),
  .number(0x70, 8, 16, "commandedBoostPressureA", "Commanded boost pressure A", .kilopascal, 1.0 / 32, sup: 7),
  .number(0x70, 24, 16, "boostPressureSensorA", "Boost pressure sensor A", .kilopascal, 1.0 / 32, sup: 6),
  .number(0x70, 40, 16, "commandedBoostPressureB", "Commanded boost pressure B", .kilopascal, 1.0 / 32, sup: 4),
  .number(0x70, 56, 16, "boostPressureSensorB", "Boost pressure sensor B", .kilopascal, 1.0 / 32, sup: 3),
  .enumeration(
    0x70, 76, 2, "boostPressureBControlStatus", "Boost pressure B control status", .controlLoopStatus, sup: 2),
  .enumeration(
    0x70, 78, 2, "boostPressureAControlStatus", "Boost pressure A control status", .controlLoopStatus, sup: 5),
  .support(0x71, 2, "vgtBControlStatusSupported"),
  .support(0x71, 3, "vgtBPositionSupported"),
  .support(0x71, 4, "commandedVgtBPositionSupported"),
  .support(0x71, 5, "vgtAControlStatusSupported"),
  .support(0x71, 6, "vgtAPositionSupported"),
  .support(0x71, 7, "commandedVgtAPositionSupported"),
  .percent(0x71, 8, "commandedVgtAPosition", "Commanded variable geometry turbo A position", sup: 7),
  .percent(0x71, 16, "vgtAPosition", "Variable geometry turbo A position", sup: 6),
  .percent(0x71, 24, "commandedVgtBPosition", "Commanded variable geometry turbo B position", sup: 4),
  .percent(0x71, 32, "vgtBPosition", "Variable geometry turbo B position", sup: 3),
  .enumeration(0x71, 44, 2, "vgtBControlStatus", "VGT B control status", .controlLoopStatus, sup: 2),
  .enumeration(0x71, 46, 2, "vgtAControlStatus", "VGT A control status", .controlLoopStatus, sup: 5),
  .support(0x72, 4, "wastegateBPositionSupported"),
  .support(0x72, 5, "commandedWastegateBPositionSupported"),
  .support(0x72, 6, "wastegateAPositionSupported"),
  .support(0x72, 7, "commandedWastegateAPositionSupported"),
  .percent(0x72, 8, "commandedWastegateAPosition", "Commanded wastegate A position", sup: 7),
  .percent(0x72, 16, "wastegateAPosition", "Wastegate A position", sup: 6),
  .percent(0x72, 24, "commandedWastegateBPosition", "Commanded wastegate B position", sup: 5),
  .percent(0x72, 32, "wastegateBPosition", "Wastegate B position", sup: 4),
  .support(0x73, 6, "exhaustPressureBank2Supported"),
  .support(0x73, 7, "exhaustPressureBank1Supported"),
  .number(0x73, 8, 16, "exhaustPressureBank1", "Exhaust pressure sensor, bank 1", .kilopascal, 0.01, sup: 7),
  .number(0x73, 24, 16, "exhaustPressureBank2", "Exhaust pressure sensor, bank 2", .kilopascal, 0.01, sup: 6),
  .support(0x74, 6, "turbochargerBRpmSupported"),
  .support(0x74, 7, "turbochargerARpmSupported"),
  .number(0x74, 8, 16, "turbochargerARpm", "Turbocharger A speed", .rpm, 10, sup: 7),
  .number(0x74, 24, 16, "turbochargerBRpm", "Turbocharger B speed", .rpm, 10, sup: 6),
  .support(0x75, 4, "turbochargerATurbineOutletTemperatureSupported"),
  .support(0x75, 5, "turbochargerATurbineInletTemperatureSupported"),
  .support(0x75, 6, "turbochargerACompressorOutletTemperatureSupported"),
  .support(0x75, 7, "turbochargerACompressorInletTemperatureSupported"),
  .celsius(0x75, 8, "turbochargerACompressorInletTemperature", "Turbocharger A compressor inlet temperature", sup: 7),
  .celsius(
    0x75, 16, "turbochargerACompressorOutletTemperature", "Turbocharger A compressor outlet temperature", sup: 6),
  .celsius16(0x75, 24, "turbochargerATurbineInletTemperature", "Turbocharger A turbine inlet temperature", sup: 5),
  .celsius16(0x75, 40, "turbochargerATurbineOutletTemperature", "Turbocharger A turbine outlet temperature", sup: 4),
  .support(0x76, 4, "turbochargerBTurbineOutletTemperatureSupported"),
  .support(0x76, 5, "turbochargerBTurbineInletTemperatureSupported"),
  .support(0x76, 6, "turbochargerBCompressorOutletTemperatureSupported"),
  .support(0x76, 7, "turbochargerBCompressorInletTemperatureSupported"),
  .celsius(0x76, 8, "turbochargerBCompressorInletTemperature", "Turbocharger B compressor inlet temperature", sup: 7),
  .celsius(
    0x76, 16, "turbochargerBCompressorOutletTemperature", "Turbocharger B compressor outlet temperature", sup: 6),
  .celsius16(0x76, 24, "turbochargerBTurbineInletTemperature", "Turbocharger B turbine inlet temperature", sup: 5),
  .celsius16(0x76, 40, "turbochargerBTurbineOutletTemperature", "Turbocharger B turbine outlet temperature", sup: 4),
  .support(0x77, 4, "chargeAirCoolerTemperatureBank2Sensor2Supported"),
  .support(0x77, 5, "chargeAirCoolerTemperatureBank2Sensor1Supported"),
  .support(0x77, 6, "chargeAirCoolerTemperatureBank1Sensor2Supported"),
  .support(0x77, 7, "chargeAirCoolerTemperatureBank1Sensor1Supported"),
  .celsius(0x77, 8, "chargeAirCoolerTemperatureBank1Sensor1", "Charge air cooler temperature, bank 1 sensor 1", sup: 7),
  .celsius(
    0x77, 16, "chargeAirCoolerTemperatureBank1Sensor2", "Charge air cooler temperature, bank 1 sensor 2", sup: 6),
  .celsius(
    0x77, 24, "chargeAirCoolerTemperatureBank2Sensor1", "Charge air cooler temperature, bank 2 sensor 1", sup: 5),
  .celsius(
    0x77, 32, "chargeAirCoolerTemperatureBank2Sensor2", "Charge air cooler temperature, bank 2 sensor 2", sup: 4),
  .support(0x78, 4, "exhaustGasTemperatureBank1Sensor4Supported"),
  .support(0x78, 5, "exhaustGasTemperatureBank1Sensor3Supported"),
  .support(0x78, 6, "exhaustGasTemperatureBank1Sensor2Supported"),
  .support(0x78, 7, "exhaustGasTemperatureBank1Sensor1Supported"),
  .celsius16(0x78, 8, "exhaustGasTemperatureBank1Sensor1", "Exhaust gas temperature, bank 1 sensor 1", sup: 7),
  .celsius16(0x78, 24, "exhaustGasTemperatureBank1Sensor2", "Exhaust gas temperature, bank 1 sensor 2", sup: 6),
  .celsius16(0x78, 40, "exhaustGasTemperatureBank1Sensor3", "Exhaust gas temperature, bank 1 sensor 3", sup: 5),
  .celsius16(0x78, 56, "exhaustGasTemperatureBank1Sensor4", "Exhaust gas temperature, bank 1 sensor 4", sup: 4),
  .support(0x79, 4, "exhaustGasTemperatureBank2Sensor4Supported"),
  .support(0x79, 5, "exhaustGasTemperatureBank2Sensor3Supported"),
  .support(0x79, 6, "exhaustGasTemperatureBank2Sensor2Supported"),
  .support(0x79, 7, "exhaustGasTemperatureBank2Sensor1Supported"),
  .celsius16(0x79, 8, "exhaustGasTemperatureBank2Sensor1", "Exhaust gas temperature, bank 2 sensor 1", sup: 7),
  .celsius16(0x79, 24, "exhaustGasTemperatureBank2Sensor2", "Exhaust gas temperature, bank 2 sensor 2", sup: 6),
  .celsius16(0x79, 40, "exhaustGasTemperatureBank2Sensor3", "Exhaust gas temperature, bank 2 sensor 3", sup: 5),
  .celsius16(0x79, 56, "exhaustGasTemperatureBank2Sensor4", "Exhaust gas temperature, bank 2 sensor 4", sup: 4),

  // PIDs 7A, 7B: the pressure difference is in two's complement. (Some lists have an offset of -327.68 instead, but
  // J1979-DA defines it as signed, as unit FC of service 06 is.)
  .support(0x7A, 5, "dieselParticulateFilterBank1OutletPressureSupported"),
  .support(0x7A, 6, "dieselParticulateFilterBank1InletPressureSupported"),
  .support(0x7A, 7, "dieselParticulateFilterBank1DeltaPressureSupported"),
  .number(
    0x7A, 8, 16, "dieselParticulateFilterBank1DeltaPressure", "Diesel particulate filter bank 1 delta pressure",
    .kilopascal, 0.01, signed: true, sup: 7),
  .number(
    0x7A, 24, 16, "dieselParticulateFilterBank1InletPressure", "Diesel particulate filter bank 1 inlet pressure",
    .kilopascal, 0.01, sup: 6),
  .number(
    0x7A, 40, 16, "dieselParticulateFilterBank1OutletPressure", "Diesel particulate filter bank 1 outlet pressure",
    .kilopascal, 0.01, sup: 5),
  .support(0x7B, 5, "dieselParticulateFilterBank2OutletPressureSupported"),
  .support(0x7B, 6, "dieselParticulateFilterBank2InletPressureSupported"),
  .support(0x7B, 7, "dieselParticulateFilterBank2DeltaPressureSupported"),
  .number(
    0x7B, 8, 16, "dieselParticulateFilterBank2DeltaPressure", "Diesel particulate filter bank 2 delta pressure",
    .kilopascal, 0.01, signed: true, sup: 7),
  .number(
    0x7B, 24, 16, "dieselParticulateFilterBank2InletPressure", "Diesel particulate filter bank 2 inlet pressure",
    .kilopascal, 0.01, sup: 6),
  .number(
    0x7B, 40, 16, "dieselParticulateFilterBank2OutletPressure", "Diesel particulate filter bank 2 outlet pressure",
    .kilopascal, 0.01, sup: 5),
  .support(0x7C, 4, "dieselParticulateFilterBank2OutletTemperatureSupported"),
  .support(0x7C, 5, "dieselParticulateFilterBank2InletTemperatureSupported"),
  .support(0x7C, 6, "dieselParticulateFilterBank1OutletTemperatureSupported"),
  .support(0x7C, 7, "dieselParticulateFilterBank1InletTemperatureSupported"),
  .celsius16(
    0x7C, 8, "dieselParticulateFilterBank1InletTemperature", "Diesel particulate filter bank 1 inlet temperature",
    sup: 7, vss: "Vehicle.Powertrain.CombustionEngine.DieselParticulateFilter.InletTemperature"),
  .celsius16(
    0x7C, 24, "dieselParticulateFilterBank1OutletTemperature", "Diesel particulate filter bank 1 outlet temperature",
    sup: 6, vss: "Vehicle.Powertrain.CombustionEngine.DieselParticulateFilter.OutletTemperature"),
  .celsius16(
    0x7C, 40, "dieselParticulateFilterBank2InletTemperature", "Diesel particulate filter bank 2 inlet temperature",
    sup: 5),
  .celsius16(
    0x7C, 56, "dieselParticulateFilterBank2OutletTemperature", "Diesel particulate filter bank 2 outlet temperature",
    sup: 4),
  .flag(0x7D, 4, "noxNteDeficiencyActiveArea", "NOx NTE: deficiency active area"),
  .flag(0x7D, 5, "noxNteInsideCarveOutArea", "NOx NTE: inside manufacturer-specific carve-out area"),
  .flag(0x7D, 6, "noxNteOutsideControlArea", "NOx NTE: outside control area"),
  .flag(0x7D, 7, "noxNteInsideControlArea", "NOx NTE: inside control area"),
  .flag(0x7E, 4, "pmNteDeficiencyActiveArea", "PM NTE: deficiency active area"),
  .flag(0x7E, 5, "pmNteInsideCarveOutArea", "PM NTE: inside manufacturer-specific carve-out area"),
  .flag(0x7E, 6, "pmNteOutsideControlArea", "PM NTE: outside control area"),
  .flag(0x7E, 7, "pmNteInsideControlArea", "PM NTE: inside control area"),
  .support(0x7F, 5, "totalRunTimeWithPtoActiveSupported"),
  .support(0x7F, 6, "totalIdleRunTimeSupported"),
  .support(0x7F, 7, "totalEngineRunTimeSupported"),
  .number(0x7F, 8, 32, "totalEngineRunTime", "Total engine run time", .second, sup: 7),
  .number(0x7F, 40, 32, "totalIdleRunTime", "Total idle run time", .second, sup: 6),
  .number(0x7F, 72, 32, "totalRunTimeWithPtoActive", "Total run time with PTO active", .second, sup: 5),

  // PIDs 81, 82, 89, 8A: 41 bytes with two timers for each device. Lists from the edition of 2007 have one timer and 21
  // bytes; such an answer is too short for these rows.
  .support(0x81, 3, "aecd5RunTimeSupported"),
  .support(0x81, 4, "aecd4RunTimeSupported"),
  .support(0x81, 5, "aecd3RunTimeSupported"),
  .support(0x81, 6, "aecd2RunTimeSupported"),
  .support(0x81, 7, "aecd1RunTimeSupported"),
  .number(0x81, 8, 32, "aecd1RunTimeTimer1", "Total run time with EI-AECD 1 active, timer 1", .second, sup: 7),
  .number(0x81, 40, 32, "aecd1RunTimeTimer2", "Total run time with EI-AECD 1 active, timer 2", .second, sup: 7),
  .number(0x81, 72, 32, "aecd2RunTimeTimer1", "Total run time with EI-AECD 2 active, timer 1", .second, sup: 6),
  .number(0x81, 104, 32, "aecd2RunTimeTimer2", "Total run time with EI-AECD 2 active, timer 2", .second, sup: 6),
  .number(0x81, 136, 32, "aecd3RunTimeTimer1", "Total run time with EI-AECD 3 active, timer 1", .second, sup: 5),
  .number(0x81, 168, 32, "aecd3RunTimeTimer2", "Total run time with EI-AECD 3 active, timer 2", .second, sup: 5),
  .number(0x81, 200, 32, "aecd4RunTimeTimer1", "Total run time with EI-AECD 4 active, timer 1", .second, sup: 4),
  .number(0x81, 232, 32, "aecd4RunTimeTimer2", "Total run time with EI-AECD 4 active, timer 2", .second, sup: 4),
  .number(0x81, 264, 32, "aecd5RunTimeTimer1", "Total run time with EI-AECD 5 active, timer 1", .second, sup: 3),
  .number(0x81, 296, 32, "aecd5RunTimeTimer2", "Total run time with EI-AECD 5 active, timer 2", .second, sup: 3),
  .support(0x82, 3, "aecd10RunTimeSupported"),
  .support(0x82, 4, "aecd9RunTimeSupported"),
  .support(0x82, 5, "aecd8RunTimeSupported"),
  .support(0x82, 6, "aecd7RunTimeSupported"),
  .support(0x82, 7, "aecd6RunTimeSupported"),
  .number(0x82, 8, 32, "aecd6RunTimeTimer1", "Total run time with EI-AECD 6 active, timer 1", .second, sup: 7),
  .number(0x82, 40, 32, "aecd6RunTimeTimer2", "Total run time with EI-AECD 6 active, timer 2", .second, sup: 7),
  .number(0x82, 72, 32, "aecd7RunTimeTimer1", "Total run time with EI-AECD 7 active, timer 1", .second, sup: 6),
  .number(0x82, 104, 32, "aecd7RunTimeTimer2", "Total run time with EI-AECD 7 active, timer 2", .second, sup: 6),
  .number(0x82, 136, 32, "aecd8RunTimeTimer1", "Total run time with EI-AECD 8 active, timer 1", .second, sup: 5),
  .number(0x82, 168, 32, "aecd8RunTimeTimer2", "Total run time with EI-AECD 8 active, timer 2", .second, sup: 5),
  .number(0x82, 200, 32, "aecd9RunTimeTimer1", "Total run time with EI-AECD 9 active, timer 1", .second, sup: 4),
  .number(0x82, 232, 32, "aecd9RunTimeTimer2", "Total run time with EI-AECD 9 active, timer 2", .second, sup: 4),
  .number(0x82, 264, 32, "aecd10RunTimeTimer1", "Total run time with EI-AECD 10 active, timer 1", .second, sup: 3),
  .number(0x82, 296, 32, "aecd10RunTimeTimer2", "Total run time with EI-AECD 10 active, timer 2", .second, sup: 3),

  // PID 83: FFFF means that the sensor has no value.
  .support(0x83, 4, "noxConcentrationBank2Sensor2Supported"),
  .support(0x83, 5, "noxConcentrationBank2Sensor1Supported"),
  .support(0x83, 6, "noxConcentrationBank1Sensor2Supported"),
  .support(0x83, 7, "noxConcentrationBank1Sensor1Supported"),
  .nox(0x83, 8, "noxConcentrationBank1Sensor1", "NOx sensor concentration, bank 1 sensor 1", sup: 7),
  .nox(0x83, 24, "noxConcentrationBank1Sensor2", "NOx sensor concentration, bank 1 sensor 2", sup: 6),
  .nox(0x83, 40, "noxConcentrationBank2Sensor1", "NOx sensor concentration, bank 2 sensor 1", sup: 5),
  .nox(0x83, 56, "noxConcentrationBank2Sensor2", "NOx sensor concentration, bank 2 sensor 2", sup: 4),
  .celsius(0x84, 0, "manifoldSurfaceTemperature", "Manifold surface temperature"),
  .support(0x85, 4, "runTimeWithNoxWarningActiveSupported"),
  .support(0x85, 5, "reagentTankLevelSupported"),
  .support(0x85, 6, "averageDemandedReagentConsumptionSupported"),
  .support(0x85, 7, "averageReagentConsumptionSupported"),
  .number(0x85, 8, 16, "averageReagentConsumption", "Average reagent consumption", .litresPerHour, 0.005, sup: 7),
  .number(
    0x85, 24, 16, "averageDemandedReagentConsumption", "Average demanded reagent consumption", .litresPerHour, 0.005,
    sup: 6),
  .percent(0x85, 40, "reagentTankLevel", "Reagent tank level", sup: 5),
  .number(
    0x85, 48, 32, "runTimeWithNoxWarningActive", "Run time by the engine while NOx warning mode is active", .second,
    sup: 4),
  .support(0x86, 6, "pmMassConcentrationBank2Sensor1Supported"),
  .support(0x86, 7, "pmMassConcentrationBank1Sensor1Supported"),
  .number(
    0x86, 8, 16, "pmMassConcentrationBank1Sensor1", "PM sensor mass concentration, bank 1 sensor 1",
    .milligramsPerCubicMetre, 0.0125, sup: 7),
  .number(
    0x86, 24, 16, "pmMassConcentrationBank2Sensor1", "PM sensor mass concentration, bank 2 sensor 1",
    .milligramsPerCubicMetre, 0.0125, sup: 6),
  .support(0x87, 6, "intakeManifoldAbsolutePressureBSupported"),
  .support(0x87, 7, "intakeManifoldAbsolutePressureASupported"),
  .number(
    0x87, 8, 16, "intakeManifoldAbsolutePressureA", "Intake manifold absolute pressure A", .kilopascal, 1.0 / 32, sup: 7
  ),
  .number(
    0x87, 24, 16, "intakeManifoldAbsolutePressureB", "Intake manifold absolute pressure B", .kilopascal, 1.0 / 32,
    sup: 6),
  .flag(0x88, 0, "scrInducementSystemActive", "SCR inducement system active"),
  .flag(0x88, 4, "scrInducementNoxEmissionsTooHigh", "SCR inducement, actual state: NOx emissions too high"),
  .flag(
    0x88, 5, "scrInducementReagentConsumptionDeviation",
    "SCR inducement, actual state: deviation of reagent consumption"),
  .flag(0x88, 6, "scrInducementIncorrectReagent", "SCR inducement, actual state: incorrect reagent"),
  .flag(0x88, 7, "scrInducementReagentLevelTooLow", "SCR inducement, actual state: reagent level too low"),
  .flag(
    0x88, 8, "scrInducement20KHistoryNoxEmissionsTooHigh", "SCR inducement, 20K km history: NOx emissions too high"),
  .flag(
    0x88, 9, "scrInducement20KHistoryReagentConsumptionDeviation",
    "SCR inducement, 20K km history: deviation of reagent consumption"),
  .flag(0x88, 10, "scrInducement20KHistoryIncorrectReagent", "SCR inducement, 20K km history: incorrect reagent"),
  .flag(0x88, 11, "scrInducement20KHistoryReagentLevelTooLow", "SCR inducement, 20K km history: reagent level too low"),
  .flag(
    0x88, 12, "scrInducement10KHistoryNoxEmissionsTooHigh", "SCR inducement, 10K km history: NOx emissions too high"),
  .flag(
    0x88, 13, "scrInducement10KHistoryReagentConsumptionDeviation",
    "SCR inducement, 10K km history: deviation of reagent consumption"),
  .flag(0x88, 14, "scrInducement10KHistoryIncorrectReagent", "SCR inducement, 10K km history: incorrect reagent"),
  .flag(0x88, 15, "scrInducement10KHistoryReagentLevelTooLow", "SCR inducement, 10K km history: reagent level too low"),
  .flag(
    0x88, 16, "scrInducement40KHistoryNoxEmissionsTooHigh", "SCR inducement, 40K km history: NOx emissions too high"),
  .flag(
    0x88, 17, "scrInducement40KHistoryReagentConsumptionDeviation",
    "SCR inducement, 40K km history: deviation of reagent consumption"),
  .flag(0x88, 18, "scrInducement40KHistoryIncorrectReagent", "SCR inducement, 40K km history: incorrect reagent"),
  .flag(0x88, 19, "scrInducement40KHistoryReagentLevelTooLow", "SCR inducement, 40K km history: reagent level too low"),
  .flag(
    0x88, 20, "scrInducement30KHistoryNoxEmissionsTooHigh", "SCR inducement, 30K km history: NOx emissions too high"),
  .flag(
    0x88, 21, "scrInducement30KHistoryReagentConsumptionDeviation",
    "SCR inducement, 30K km history: deviation of reagent consumption"),
  .flag(0x88, 22, "scrInducement30KHistoryIncorrectReagent", "SCR inducement, 30K km history: incorrect reagent"),
  .flag(0x88, 23, "scrInducement30KHistoryReagentLevelTooLow", "SCR inducement, 30K km history: reagent level too low"),
  .number(
    0x88, 24, 16, "distanceWithScrInducementActiveInCurrent10KBlock",
    "Distance travelled with SCR inducement active in current 10K km block", .kilometre),
  .number(0x88, 40, 16, "distanceInCurrent10KBlock", "Distance travelled in current 10K km block", .kilometre),
  .number(
    0x88, 56, 16, "distanceWithScrInducementActiveIn20KBlock",
    "Distance travelled with SCR inducement active in 20K km block", .kilometre),
  .number(
    0x88, 72, 16, "distanceWithScrInducementActiveIn30KBlock",
    "Distance travelled with SCR inducement active in 30K km block", .kilometre),
  .number(
    0x88, 88, 16, "distanceWithScrInducementActiveIn40KBlock",
    "Distance travelled with SCR inducement active in 40K km block", .kilometre),
  .support(0x89, 3, "aecd15RunTimeSupported"),
  .support(0x89, 4, "aecd14RunTimeSupported"),
  .support(0x89, 5, "aecd13RunTimeSupported"),
  .support(0x89, 6, "aecd12RunTimeSupported"),
  .support(0x89, 7, "aecd11RunTimeSupported"),
  .number(0x89, 8, 32, "aecd11RunTimeTimer1", "Total run time with EI-AECD 11 active, timer 1", .second, sup: 7),
  .number(0x89, 40, 32, "aecd11RunTimeTimer2", "Total run time with EI-AECD 11 active, timer 2", .second, sup: 7),
  .number(0x89, 72, 32, "aecd12RunTimeTimer1", "Total run time with EI-AECD 12 active, timer 1", .second, sup: 6),
  .number(0x89, 104, 32, "aecd12RunTimeTimer2", "Total run time with EI-AECD 12 active, timer 2", .second, sup: 6),
  .number(0x89, 136, 32, "aecd13RunTimeTimer1", "Total run time with EI-AECD 13 active, timer 1", .second, sup: 5),
  .number(0x89, 168, 32, "aecd13RunTimeTimer2", "Total run time with EI-AECD 13 active, timer 2", .second, sup: 5),
  .number(0x89, 200, 32, "aecd14RunTimeTimer1", "Total run time with EI-AECD 14 active, timer 1", .second, sup: 4),
  .number(0x89, 232, 32, "aecd14RunTimeTimer2", "Total run time with EI-AECD 14 active, timer 2", .second, sup: 4),
  .number(0x89, 264, 32, "aecd15RunTimeTimer1", "Total run time with EI-AECD 15 active, timer 1", .second, sup: 3),
  .number(0x89, 296, 32, "aecd15RunTimeTimer2", "Total run time with EI-AECD 15 active, timer 2", .second, sup: 3),
  .support(0x8A, 3, "aecd20RunTimeSupported"),
  .support(0x8A, 4, "aecd19RunTimeSupported"),
  .support(0x8A, 5, "aecd18RunTimeSupported"),
  .support(0x8A, 6, "aecd17RunTimeSupported"),
  .support(0x8A, 7, "aecd16RunTimeSupported"),
  .number(0x8A, 8, 32, "aecd16RunTimeTimer1", "Total run time with EI-AECD 16 active, timer 1", .second, sup: 7),
  .number(0x8A, 40, 32, "aecd16RunTimeTimer2", "Total run time with EI-AECD 16 active, timer 2", .second, sup: 7),
  .number(0x8A, 72, 32, "aecd17RunTimeTimer1", "Total run time with EI-AECD 17 active, timer 1", .second, sup: 6),
  .number(0x8A, 104, 32, "aecd17RunTimeTimer2", "Total run time with EI-AECD 17 active, timer 2", .second, sup: 6),
  .number(0x8A, 136, 32, "aecd18RunTimeTimer1", "Total run time with EI-AECD 18 active, timer 1", .second, sup: 5),
  .number(0x8A, 168, 32, "aecd18RunTimeTimer2", "Total run time with EI-AECD 18 active, timer 2", .second, sup: 5),
  .number(0x8A, 200, 32, "aecd19RunTimeTimer1", "Total run time with EI-AECD 19 active, timer 1", .second, sup: 4),
  .number(0x8A, 232, 32, "aecd19RunTimeTimer2", "Total run time with EI-AECD 19 active, timer 2", .second, sup: 4),
  .number(0x8A, 264, 32, "aecd20RunTimeTimer1", "Total run time with EI-AECD 20 active, timer 1", .second, sup: 3),
  .number(0x8A, 296, 32, "aecd20RunTimeTimer2", "Total run time with EI-AECD 20 active, timer 2", .second, sup: 3),
  .support(0x8B, 1, "averageDistanceBetweenDpfRegenerationsSupported"),
  .support(0x8B, 2, "averageTimeBetweenDpfRegenerationsSupported"),
  .support(0x8B, 3, "normalizedTriggerForDpfRegenerationSupported"),
  .support(0x8B, 4, "noxAdsorberDesulfurizationInProgressSupported"),
  .support(0x8B, 5, "noxAdsorberRegenerationInProgressSupported"),
  .support(0x8B, 6, "dpfRegenerationTypeSupported"),
  .support(0x8B, 7, "dpfRegenerationInProgressSupported"),
  .flag(0x8B, 12, "noxAdsorberDesulfurizationInProgress", "NOx adsorber desulfurization in progress", sup: 4),
  .flag(0x8B, 13, "noxAdsorberRegenerationInProgress", "NOx adsorber regeneration in progress", sup: 5),
  .enumeration(0x8B, 14, 1, "dpfRegenerationType", "DPF regeneration type", .dpfRegenerationType, sup: 6),
  .flag(0x8B, 15, "dpfRegenerationInProgress", "DPF regeneration in progress", sup: 7),
  .percent(0x8B, 16, "normalizedTriggerForDpfRegeneration", "Normalized trigger for DPF regeneration", sup: 3),
  .number(
    0x8B, 24, 16, "averageTimeBetweenDpfRegenerations", "Average time between DPF regenerations", .minute, sup: 2),
  .number(
    0x8B, 40, 16, "averageDistanceBetweenDpfRegenerations", "Average distance between DPF regenerations", .kilometre,
    sup: 1),
  .support(0x8C, 0, "oxygenSensorLambdaBank2Sensor2Supported"),
  .support(0x8C, 1, "oxygenSensorLambdaBank2Sensor1Supported"),
  .support(0x8C, 2, "oxygenSensorLambdaBank1Sensor2Supported"),
  .support(0x8C, 3, "oxygenSensorLambdaBank1Sensor1Supported"),
  .support(0x8C, 4, "oxygenConcentrationBank2Sensor2Supported"),
  .support(0x8C, 5, "oxygenConcentrationBank2Sensor1Supported"),
  .support(0x8C, 6, "oxygenConcentrationBank1Sensor2Supported"),
  .support(0x8C, 7, "oxygenConcentrationBank1Sensor1Supported"),
  .number(
    0x8C, 8, 16, "oxygenConcentrationBank1Sensor1", "O2 sensor concentration, bank 1 sensor 1", .percent,
    100.0 / 65_535, sup: 7),
  .number(
    0x8C, 24, 16, "oxygenConcentrationBank1Sensor2", "O2 sensor concentration, bank 1 sensor 2", .percent,
    100.0 / 65_535, sup: 6),
  .number(
    0x8C, 40, 16, "oxygenConcentrationBank2Sensor1", "O2 sensor concentration, bank 2 sensor 1", .percent,
    100.0 / 65_535, sup: 5),
  .number(
    0x8C, 56, 16, "oxygenConcentrationBank2Sensor2", "O2 sensor concentration, bank 2 sensor 2", .percent,
    100.0 / 65_535, sup: 4),
  .number(
    0x8C, 72, 16, "oxygenSensorLambdaBank1Sensor1", "O2 sensor lambda, bank 1 sensor 1", .ratio, 8.0 / 65_536, sup: 3),
  .number(
    0x8C, 88, 16, "oxygenSensorLambdaBank1Sensor2", "O2 sensor lambda, bank 1 sensor 2", .ratio, 8.0 / 65_536, sup: 2),
  .number(
    0x8C, 104, 16, "oxygenSensorLambdaBank2Sensor1", "O2 sensor lambda, bank 2 sensor 1", .ratio, 8.0 / 65_536, sup: 1),
  .number(
    0x8C, 120, 16, "oxygenSensorLambdaBank2Sensor2", "O2 sensor lambda, bank 2 sensor 2", .ratio, 8.0 / 65_536, sup: 0),
  .percent(0x8D, 0, "absoluteThrottlePositionG", "Absolute throttle position G"),
  .number(0x8E, 0, 8, "engineFrictionPercentTorque", "Engine friction, percent torque", .percent, 1, -125),
  .support(0x8F, 4, "pmSensorNormalizedOutputBank2Sensor1Supported"),
  .support(0x8F, 5, "pmSensorOperatingStatusBank2Sensor1Supported"),
  .support(0x8F, 6, "pmSensorNormalizedOutputBank1Sensor1Supported"),
  .support(0x8F, 7, "pmSensorOperatingStatusBank1Sensor1Supported"),
  .flag(0x8F, 14, "pmSensorRegeneratingBank1Sensor1", "PM sensor regenerating, bank 1 sensor 1", sup: 7),
  .flag(0x8F, 15, "pmSensorActiveBank1Sensor1", "PM sensor actively measuring, bank 1 sensor 1", sup: 7),
  .number(
    0x8F, 16, 16, "pmSensorNormalizedOutputBank1Sensor1", "PM sensor normalized output value, bank 1 sensor 1",
    .percent, 0.01, signed: true, sup: 6),
  .flag(0x8F, 38, "pmSensorRegeneratingBank2Sensor1", "PM sensor regenerating, bank 2 sensor 1", sup: 5),
  .flag(0x8F, 39, "pmSensorActiveBank2Sensor1", "PM sensor actively measuring, bank 2 sensor 1", sup: 5),
  .number(
    0x8F, 40, 16, "pmSensorNormalizedOutputBank2Sensor1", "PM sensor normalized output value, bank 2 sensor 1",
    .percent, 0.01, signed: true, sup: 4),
  .ready(0x90, 1, "vehicleEmissionSystemReady", "Emission system readiness of the vehicle"),
  // PIDs 90, 91, 94: codes with all bits set mean "not available" or "not supported".
  .enumeration(0x90, 2, 4, "vehicleMiStatus", "MI status of the vehicle", .miActivationMode, nullAt: 15),
  .enumeration(
    0x90, 6, 2, "vehicleMiDisplayStrategy", "MI display strategy of the vehicle", .miDisplayStrategy, nullAt: 3),
  .number(0x90, 8, 16, "vehicleContinuousMiTime", "Engine operating hours with continuous MI, vehicle", .hour),
  .enumeration(0x91, 4, 4, "ecuMiStatus", "MI status of the ECU", .miActivationMode, nullAt: 15),
  .number(0x91, 8, 16, "ecuContinuousMiTime", "Engine operating hours with continuous MI, ECU", .hour),
  .number(0x91, 24, 16, "ecuHighestB1Counter", "Highest B1 counter of the ECU", .hour),
  .support(0x92, 0, "idleFuelBalanceControl2Supported"),
  .support(0x92, 1, "fuelInjectionTimingControl2Supported"),
  .support(0x92, 2, "fuelInjectionQuantityControl2Supported"),
  .support(0x92, 3, "fuelPressureControl2Supported"),
  .support(0x92, 4, "idleFuelBalanceControl1Supported"),
  .support(0x92, 5, "fuelInjectionTimingControl1Supported"),
  .support(0x92, 6, "fuelInjectionQuantityControl1Supported"),
  .support(0x92, 7, "fuelPressureControl1Supported"),
  .flag(
    0x92, 8, "idleFuelBalanceControl2ClosedLoop", "Idle fuel balance/contribution control 2 in closed loop", sup: 0),
  .flag(0x92, 9, "fuelInjectionTimingControl2ClosedLoop", "Fuel injection timing control 2 in closed loop", sup: 1),
  .flag(
    0x92, 10, "fuelInjectionQuantityControl2ClosedLoop", "Fuel injection quantity control 2 in closed loop", sup: 2),
  .flag(0x92, 11, "fuelPressureControl2ClosedLoop", "Fuel pressure control 2 in closed loop", sup: 3),
  .flag(
    0x92, 12, "idleFuelBalanceControl1ClosedLoop", "Idle fuel balance/contribution control 1 in closed loop", sup: 4),
  .flag(0x92, 13, "fuelInjectionTimingControl1ClosedLoop", "Fuel injection timing control 1 in closed loop", sup: 5),
  .flag(
    0x92, 14, "fuelInjectionQuantityControl1ClosedLoop", "Fuel injection quantity control 1 in closed loop", sup: 6),
  .flag(0x92, 15, "fuelPressureControl1ClosedLoop", "Fuel pressure control 1 in closed loop", sup: 7),
  .support(0x93, 7, "cumulativeContinuousMiCounterSupported"),
  .number(0x93, 8, 16, "cumulativeContinuousMiCounter", "Cumulative continuous MI counter", .hour, sup: 7),
  .support(0x94, 2, "monitoringSystemCounterSupported"),
  .support(0x94, 3, "egrValveCounterSupported"),
  .support(0x94, 4, "dosingActivityCounterSupported"),
  .support(0x94, 5, "reagentConsumptionCounterSupported"),
  .support(0x94, 6, "reagentQualityCounterSupported"),
  .support(0x94, 7, "noxWarningAndInducementSupported"),
  .enumeration(
    0x94, 9, 2, "level3InducementStatus", "Level 3 inducement status", .inducementStatus, nullAt: 3, sup: 7),
  .enumeration(
    0x94, 11, 2, "level2InducementStatus", "Level 2 inducement status", .inducementStatus, nullAt: 3, sup: 7),
  .enumeration(
    0x94, 13, 2, "level1InducementStatus", "Level 1 inducement status", .inducementStatus, nullAt: 3, sup: 7),
  .flag(0x94, 15, "noxWarningSystemActive", "NOx warning system active", sup: 7),
  .number(0x94, 16, 16, "reagentQualityCounter", "Reagent quality counter", .hour, sup: 6),
  .number(0x94, 32, 16, "reagentConsumptionCounter", "Reagent consumption counter", .hour, sup: 5),
  .number(0x94, 48, 16, "dosingActivityCounter", "Dosing activity counter", .hour, sup: 4),
  .number(0x94, 64, 16, "egrValveCounter", "EGR valve counter", .hour, sup: 3),
  .number(0x94, 80, 16, "monitoringSystemCounter", "Monitoring system counter", .hour, sup: 2),
  .support(0x98, 4, "exhaustGasTemperatureBank1Sensor8Supported"),
  .support(0x98, 5, "exhaustGasTemperatureBank1Sensor7Supported"),
  .support(0x98, 6, "exhaustGasTemperatureBank1Sensor6Supported"),
  .support(0x98, 7, "exhaustGasTemperatureBank1Sensor5Supported"),
  .celsius16(0x98, 8, "exhaustGasTemperatureBank1Sensor5", "Exhaust gas temperature, bank 1 sensor 5", sup: 7),
  .celsius16(0x98, 24, "exhaustGasTemperatureBank1Sensor6", "Exhaust gas temperature, bank 1 sensor 6", sup: 6),
  .celsius16(0x98, 40, "exhaustGasTemperatureBank1Sensor7", "Exhaust gas temperature, bank 1 sensor 7", sup: 5),
  .celsius16(0x98, 56, "exhaustGasTemperatureBank1Sensor8", "Exhaust gas temperature, bank 1 sensor 8", sup: 4),
  .support(0x99, 4, "exhaustGasTemperatureBank2Sensor8Supported"),
  .support(0x99, 5, "exhaustGasTemperatureBank2Sensor7Supported"),
  .support(0x99, 6, "exhaustGasTemperatureBank2Sensor6Supported"),
  .support(0x99, 7, "exhaustGasTemperatureBank2Sensor5Supported"),
  .celsius16(0x99, 8, "exhaustGasTemperatureBank2Sensor5", "Exhaust gas temperature, bank 2 sensor 5", sup: 7),
  .celsius16(0x99, 24, "exhaustGasTemperatureBank2Sensor6", "Exhaust gas temperature, bank 2 sensor 6", sup: 6),
  .celsius16(0x99, 40, "exhaustGasTemperatureBank2Sensor7", "Exhaust gas temperature, bank 2 sensor 7", sup: 5),
  .celsius16(0x99, 56, "exhaustGasTemperatureBank2Sensor8", "Exhaust gas temperature, bank 2 sensor 8", sup: 4),

  // PID 9A: the current is in two's complement. (One list has an offset of -3,276.8 instead, but recordings of real
  // vehicles confirm two's complement.)
  .support(0x9A, 4, "enhancedHybridVehicleChargingStateSupported"),
  .support(0x9A, 5, "hybridBatterySystemCurrentSupported"),
  .support(0x9A, 6, "hybridBatterySystemVoltageSupported"),
  .support(0x9A, 7, "hybridVehicleChargingStateSupported"),
  .enumeration(
    0x9A, 13, 2, "enhancedHybridVehicleChargingState", "Enhanced hybrid/EV vehicle charging state", .chargingState,
    sup: 4),
  .enumeration(0x9A, 15, 1, "hybridVehicleChargingState", "Hybrid/EV vehicle charging state", .chargingState, sup: 7),
  .number(
    0x9A, 16, 16, "hybridBatterySystemVoltage", "Hybrid/EV battery system voltage", .volt, 1.0 / 64, sup: 6,
    vss: "Vehicle.Powertrain.TractionBattery.CurrentVoltage"),
  .number(
    0x9A, 32, 16, "hybridBatterySystemCurrent", "Hybrid/EV battery system current", .ampere, 0.1, signed: true, sup: 5),

  // PID 9B: the meaning of the codes of the fluid type is not public, so they are reported as numbers.
  .number(0x9B, 0, 4, "dieselExhaustFluidTypeCode", "Diesel exhaust fluid type code", sup: 7),
  .support(0x9B, 4, "dieselExhaustFluidTankLevelSupported"),
  .support(0x9B, 5, "dieselExhaustFluidTankTemperatureSupported"),
  .support(0x9B, 6, "dieselExhaustFluidConcentrationSupported"),
  .support(0x9B, 7, "dieselExhaustFluidTypeCodeSupported"),
  .number(0x9B, 8, 8, "dieselExhaustFluidConcentration", "Diesel exhaust fluid concentration", .percent, 0.25, sup: 6),
  .celsius(0x9B, 16, "dieselExhaustFluidTankTemperature", "Diesel exhaust fluid tank temperature", sup: 5),
  .percent(
    0x9B, 24, "dieselExhaustFluidTankLevel", "Diesel exhaust fluid tank level", sup: 4,
    vss: "Vehicle.Powertrain.CombustionEngine.DieselExhaustFluid.Level"),
  .support(0x9C, 0, "oxygenSensorLambdaBank2Sensor4Supported"),
  .support(0x9C, 1, "oxygenSensorLambdaBank2Sensor3Supported"),
  .support(0x9C, 2, "oxygenSensorLambdaBank1Sensor4Supported"),
  .support(0x9C, 3, "oxygenSensorLambdaBank1Sensor3Supported"),
  .support(0x9C, 4, "oxygenConcentrationBank2Sensor4Supported"),
  .support(0x9C, 5, "oxygenConcentrationBank2Sensor3Supported"),
  .support(0x9C, 6, "oxygenConcentrationBank1Sensor4Supported"),
  .support(0x9C, 7, "oxygenConcentrationBank1Sensor3Supported"),
  .number(
    0x9C, 8, 16, "oxygenConcentrationBank1Sensor3", "O2 sensor concentration, bank 1 sensor 3", .percent,
    100.0 / 65_535, sup: 7),
  .number(
    0x9C, 24, 16, "oxygenConcentrationBank1Sensor4", "O2 sensor concentration, bank 1 sensor 4", .percent,
    100.0 / 65_535, sup: 6),
  .number(
    0x9C, 40, 16, "oxygenConcentrationBank2Sensor3", "O2 sensor concentration, bank 2 sensor 3", .percent,
    100.0 / 65_535, sup: 5),
  .number(
    0x9C, 56, 16, "oxygenConcentrationBank2Sensor4", "O2 sensor concentration, bank 2 sensor 4", .percent,
    100.0 / 65_535, sup: 4),
  .number(
    0x9C, 72, 16, "oxygenSensorLambdaBank1Sensor3", "O2 sensor lambda, bank 1 sensor 3", .ratio, 8.0 / 65_536, sup: 3),
  .number(
    0x9C, 88, 16, "oxygenSensorLambdaBank1Sensor4", "O2 sensor lambda, bank 1 sensor 4", .ratio, 8.0 / 65_536, sup: 2),
  .number(
    0x9C, 104, 16, "oxygenSensorLambdaBank2Sensor3", "O2 sensor lambda, bank 2 sensor 3", .ratio, 8.0 / 65_536, sup: 1),
  .number(
    0x9C, 120, 16, "oxygenSensorLambdaBank2Sensor4", "O2 sensor lambda, bank 2 sensor 4", .ratio, 8.0 / 65_536, sup: 0),
  .number(0x9D, 0, 16, "engineFuelRateByMass", "Engine fuel rate (mass)", .gramsPerSecond, 0.02),
  .number(0x9D, 16, 16, "vehicleFuelRate", "Vehicle fuel rate (mass)", .gramsPerSecond, 0.02),
  .number(0x9E, 0, 16, "engineExhaustFlowRate", "Engine exhaust flow rate", .kilogramsPerHour, 0.2),
  .support(0x9F, 0, "fuelSystemBUseBank4Supported"),
  .support(0x9F, 1, "fuelSystemAUseBank4Supported"),
  .support(0x9F, 2, "fuelSystemBUseBank3Supported"),
  .support(0x9F, 3, "fuelSystemAUseBank3Supported"),
  .support(0x9F, 4, "fuelSystemBUseBank2Supported"),
  .support(0x9F, 5, "fuelSystemAUseBank2Supported"),
  .support(0x9F, 6, "fuelSystemBUseBank1Supported"),
  .support(0x9F, 7, "fuelSystemAUseBank1Supported"),
  .percent(0x9F, 8, "fuelSystemAUseBank1", "Fuel system A use, bank 1", sup: 7),
  .percent(0x9F, 16, "fuelSystemBUseBank1", "Fuel system B use, bank 1", sup: 6),
  .percent(0x9F, 24, "fuelSystemAUseBank2", "Fuel system A use, bank 2", sup: 5),
  .percent(0x9F, 32, "fuelSystemBUseBank2", "Fuel system B use, bank 2", sup: 4),
  .percent(0x9F, 40, "fuelSystemAUseBank3", "Fuel system A use, bank 3", sup: 3),
  .percent(0x9F, 48, "fuelSystemBUseBank3", "Fuel system B use, bank 3", sup: 2),
  .percent(0x9F, 56, "fuelSystemAUseBank4", "Fuel system A use, bank 4", sup: 1),
  .percent(0x9F, 64, "fuelSystemBUseBank4", "Fuel system B use, bank 4", sup: 0),
  .support(0xA1, 4, "noxCorrectedConcentrationBank2Sensor2Supported"),
  .support(0xA1, 5, "noxCorrectedConcentrationBank2Sensor1Supported"),
  .support(0xA1, 6, "noxCorrectedConcentrationBank1Sensor2Supported"),
  .support(0xA1, 7, "noxCorrectedConcentrationBank1Sensor1Supported"),
  .nox(0xA1, 8, "noxCorrectedConcentrationBank1Sensor1", "NOx sensor corrected concentration, bank 1 sensor 1", sup: 7),
  .nox(
    0xA1, 24, "noxCorrectedConcentrationBank1Sensor2", "NOx sensor corrected concentration, bank 1 sensor 2", sup: 6),
  .nox(
    0xA1, 40, "noxCorrectedConcentrationBank2Sensor1", "NOx sensor corrected concentration, bank 2 sensor 1", sup: 5),
  .nox(
    0xA1, 56, "noxCorrectedConcentrationBank2Sensor2", "NOx sensor corrected concentration, bank 2 sensor 2", sup: 4),
  .number(0xA2, 0, 16, "cylinderFuelRate", "Cylinder fuel rate", .milligramsPerStroke, 1.0 / 32),
  .support(0xA3, 4, "evapSystemVaporPressureBWideRangeSupported"),
  .support(0xA3, 5, "evapSystemVaporPressureBSupported"),
  .support(0xA3, 6, "evapSystemVaporPressureAWideRangeSupported"),
  .support(0xA3, 7, "evapSystemVaporPressureASupported"),
  .number(
    0xA3, 8, 16, "evapSystemVaporPressureA", "Evap system vapor pressure A", .kilopascal, 0.00025, signed: true, sup: 7),
  .number(
    0xA3, 24, 16, "evapSystemVaporPressureAWideRange", "Evap system vapor pressure A (wide range)", .kilopascal, 0.001,
    signed: true, sup: 6),
  .number(
    0xA3, 40, 16, "evapSystemVaporPressureB", "Evap system vapor pressure B", .kilopascal, 0.00025, signed: true, sup: 5
  ),
  .number(
    0xA3, 56, 16, "evapSystemVaporPressureBWideRange", "Evap system vapor pressure B (wide range)", .kilopascal, 0.001,
    signed: true, sup: 4),
  .support(0xA4, 6, "transmissionActualGearRatioSupported"),
  .support(0xA4, 7, "transmissionActualGearSupported"),
  .number(0xA4, 8, 4, "transmissionActualGear", "Transmission actual gear", sup: 7),
  .number(0xA4, 16, 16, "transmissionActualGearRatio", "Transmission actual gear ratio", .ratio, 0.001, sup: 6),
  .support(0xA5, 6, "dieselExhaustFluidUsageSupported"),
  .support(0xA5, 7, "commandedDieselExhaustFluidDosingSupported"),
  .number(
    0xA5, 8, 8, "commandedDieselExhaustFluidDosing", "Commanded diesel exhaust fluid dosing", .percent, 0.5, sup: 7),
  .number(
    0xA5, 16, 16, "dieselExhaustFluidUsage", "Diesel exhaust fluid usage of this driving cycle", .litre, 0.0005, sup: 6),
  .number(0xA6, 0, 32, "odometer", "Odometer", .kilometre, 0.1, vss: "Vehicle.TraveledDistance"),

  // PIDs A7, A8: four sensors, as in 83 and A1. Lists with only 4 bytes are wrong, because the four values need more.
  .support(0xA7, 4, "noxConcentrationBank2Sensor4Supported"),
  .support(0xA7, 5, "noxConcentrationBank2Sensor3Supported"),
  .support(0xA7, 6, "noxConcentrationBank1Sensor4Supported"),
  .support(0xA7, 7, "noxConcentrationBank1Sensor3Supported"),
  .nox(0xA7, 8, "noxConcentrationBank1Sensor3", "NOx sensor concentration, bank 1 sensor 3", sup: 7),
  .nox(0xA7, 24, "noxConcentrationBank1Sensor4", "NOx sensor concentration, bank 1 sensor 4", sup: 6),
  .nox(0xA7, 40, "noxConcentrationBank2Sensor3", "NOx sensor concentration, bank 2 sensor 3", sup: 5),
  .nox(0xA7, 56, "noxConcentrationBank2Sensor4", "NOx sensor concentration, bank 2 sensor 4", sup: 4),
  .support(0xA8, 4, "noxCorrectedConcentrationBank2Sensor4Supported"),
  .support(0xA8, 5, "noxCorrectedConcentrationBank2Sensor3Supported"),
  .support(0xA8, 6, "noxCorrectedConcentrationBank1Sensor4Supported"),
  .support(0xA8, 7, "noxCorrectedConcentrationBank1Sensor3Supported"),
  .nox(0xA8, 8, "noxCorrectedConcentrationBank1Sensor3", "NOx sensor corrected concentration, bank 1 sensor 3", sup: 7),
  .nox(
    0xA8, 24, "noxCorrectedConcentrationBank1Sensor4", "NOx sensor corrected concentration, bank 1 sensor 4", sup: 6),
  .nox(
    0xA8, 40, "noxCorrectedConcentrationBank2Sensor3", "NOx sensor corrected concentration, bank 2 sensor 3", sup: 5),
  .nox(
    0xA8, 56, "noxCorrectedConcentrationBank2Sensor4", "NOx sensor corrected concentration, bank 2 sensor 4", sup: 4),
  .support(0xA9, 7, "absDisableSwitchStateSupported"),
  .flag(0xA9, 15, "absDisableSwitchState", "ABS disable switch on", sup: 7),

  // No public source shows the layout of AB-B1, B3-BF, C1 and C2, so they have no rows.
  .number(0xAA, 0, 8, "maximumCurrentVehicleSpeedLimit", "Maximum current vehicle speed limit", .kilometresPerHour),
  .percent(
    0xB2, 0, "hybridBatteryPackStateOfHealth", "Hybrid/EV battery pack state of health",
    vss: "Vehicle.Powertrain.TractionBattery.StateOfHealth"),

  // PIDs C3-C8. C3 has the scaling of 2F, and C5 that of 22, because their ranges are the same.
  .percent(0xC3, 0, "fuelLevelInputA", "Fuel level input A"),
  .percent(0xC3, 8, "fuelLevelInputB", "Fuel level input B"),
  .number(
    0xC4, 0, 32, "exhaustParticulateControlDiagnosticTime", "Exhaust particulate control system diagnostic time",
    .second),
  .number(
    0xC4, 32, 32, "exhaustParticulateControlDiagnosticCount", "Exhaust particulate control system diagnostic count",
    .count),
  .number(0xC5, 0, 16, "fuelPressureA", "Fuel pressure A", .kilopascal, 0.079),
  .number(0xC5, 16, 16, "fuelPressureB", "Fuel pressure B", .kilopascal, 0.079),
  .number(
    0xC6, 0, 8, "particulateControlInducementStatusCode", "Particulate control driver inducement system status code"),
  .number(
    0xC6, 8, 16, "particulateAftertreatmentRemovalCounter",
    "Removal or block of the particulate aftertreatment system counter", .hour),
  .number(
    0xC6, 24, 16, "liquidReagentInjectionFailureCounter", "Liquid reagent injection system failure counter", .hour),
  .number(
    0xC6, 40, 16, "particulateControlMonitoringFailureCounter",
    "Malfunction of particulate control monitoring system counter", .hour),
  .number(
    0xC7, 0, 16, "distanceSinceReflashOrModuleReplacement", "Distance since reflash or module replacement", .kilometre),
  .number(0xC8, 0, 8, "ncdAndPcdWarningLampStatusCode", "NCD and PCD warning lamp status code"),

  // Service 09. The bit offsets of in-use performance counters begin after the number of data items. ECUs send the
  // first 16 counters or more. An ECU does not have the counters that its answer does not contain.
  .counter(0x08, 0, "obdMonitoringConditionsEncounteredCounts", "OBD monitoring conditions encountered counts"),
  .counter(0x08, 16, "ignitionCycleCounter", "Ignition cycle counter"),
  .counter(0x08, 32, "catalystMonitorCompletionCountsBank1", "Catalyst monitor completion counts, bank 1"),
  .counter(
    0x08, 48, "catalystMonitorConditionsEncounteredCountsBank1",
    "Catalyst monitor conditions encountered counts, bank 1"),
  .counter(0x08, 64, "catalystMonitorCompletionCountsBank2", "Catalyst monitor completion counts, bank 2"),
  .counter(
    0x08, 80, "catalystMonitorConditionsEncounteredCountsBank2",
    "Catalyst monitor conditions encountered counts, bank 2"),
  .counter(0x08, 96, "oxygenSensorMonitorCompletionCountsBank1", "O2 sensor monitor completion counts, bank 1"),
  .counter(
    0x08, 112, "oxygenSensorMonitorConditionsEncounteredCountsBank1",
    "O2 sensor monitor conditions encountered counts, bank 1"),
  .counter(0x08, 128, "oxygenSensorMonitorCompletionCountsBank2", "O2 sensor monitor completion counts, bank 2"),
  .counter(
    0x08, 144, "oxygenSensorMonitorConditionsEncounteredCountsBank2",
    "O2 sensor monitor conditions encountered counts, bank 2"),
  .counter(0x08, 160, "egrAndOrVvtMonitorCompletionCounts", "EGR and/or VVT monitor completion counts"),
  .counter(
    0x08, 176, "egrAndOrVvtMonitorConditionsEncounteredCounts", "EGR and/or VVT monitor conditions encountered counts"),
  .counter(0x08, 192, "secondaryAirMonitorCompletionCounts", "Secondary air monitor completion counts"),
  .counter(
    0x08, 208, "secondaryAirMonitorConditionsEncounteredCounts", "Secondary air monitor conditions encountered counts"),
  .counter(0x08, 224, "evapMonitorCompletionCounts", "EVAP monitor completion counts"),
  .counter(0x08, 240, "evapMonitorConditionsEncounteredCounts", "EVAP monitor conditions encountered counts"),
  .counter(
    0x08, 256, "secondaryOxygenSensorMonitorCompletionCountsBank1",
    "Secondary O2 sensor monitor completion counts, bank 1"),
  .counter(
    0x08, 272, "secondaryOxygenSensorMonitorConditionsEncounteredCountsBank1",
    "Secondary O2 sensor monitor conditions encountered counts, bank 1"),
  .counter(
    0x08, 288, "secondaryOxygenSensorMonitorCompletionCountsBank2",
    "Secondary O2 sensor monitor completion counts, bank 2"),
  .counter(
    0x08, 304, "secondaryOxygenSensorMonitorConditionsEncounteredCountsBank2",
    "Secondary O2 sensor monitor conditions encountered counts, bank 2"),
  .counter(
    0x08, 320, "airFuelRatioImbalanceMonitorCompletionCountsBank1",
    "Air fuel ratio imbalance monitor completion counts, bank 1"),
  .counter(
    0x08, 336, "airFuelRatioImbalanceMonitorConditionsEncounteredCountsBank1",
    "Air fuel ratio imbalance monitor conditions encountered counts, bank 1"),
  .counter(
    0x08, 352, "airFuelRatioImbalanceMonitorCompletionCountsBank2",
    "Air fuel ratio imbalance monitor completion counts, bank 2"),
  .counter(
    0x08, 368, "airFuelRatioImbalanceMonitorConditionsEncounteredCountsBank2",
    "Air fuel ratio imbalance monitor conditions encountered counts, bank 2"),
  .counter(0x08, 384, "particulateFilterMonitorCompletionCountsBank1", "PM filter monitor completion counts, bank 1"),
  .counter(
    0x08, 400, "particulateFilterMonitorConditionsEncounteredCountsBank1",
    "PM filter monitor conditions encountered counts, bank 1"),
  .counter(0x08, 416, "particulateFilterMonitorCompletionCountsBank2", "PM filter monitor completion counts, bank 2"),
  .counter(
    0x08, 432, "particulateFilterMonitorConditionsEncounteredCountsBank2",
    "PM filter monitor conditions encountered counts, bank 2"),
  .counter(
    0x0B, 0, "obdMonitoringConditionsEncounteredCountsCompressionIgnition",
    "OBD monitoring conditions encountered counts (compression ignition)"),
  .counter(0x0B, 16, "ignitionCycleCounterCompressionIgnition", "Ignition cycle counter (compression ignition)"),
  .counter(0x0B, 32, "nmhcCatalystMonitorCompletionCounts", "NMHC catalyst monitor completion counts"),
  .counter(
    0x0B, 48, "nmhcCatalystMonitorConditionsEncounteredCounts", "NMHC catalyst monitor conditions encountered counts"),
  .counter(0x0B, 64, "noxScrCatalystMonitorCompletionCounts", "NOx/SCR catalyst monitor completion counts"),
  .counter(
    0x0B, 80, "noxScrCatalystMonitorConditionsEncounteredCounts",
    "NOx/SCR catalyst monitor conditions encountered counts"),
  .counter(0x0B, 96, "noxAdsorberMonitorCompletionCounts", "NOx adsorber monitor completion counts"),
  .counter(
    0x0B, 112, "noxAdsorberMonitorConditionsEncounteredCounts", "NOx adsorber monitor conditions encountered counts"),
  .counter(0x0B, 128, "pmFilterMonitorCompletionCounts", "PM filter monitor completion counts"),
  .counter(0x0B, 144, "pmFilterMonitorConditionsEncounteredCounts", "PM filter monitor conditions encountered counts"),
  .counter(0x0B, 160, "exhaustGasSensorMonitorCompletionCounts", "Exhaust gas sensor monitor completion counts"),
  .counter(
    0x0B, 176, "exhaustGasSensorMonitorConditionsEncounteredCounts",
    "Exhaust gas sensor monitor conditions encountered counts"),
  .counter(
    0x0B, 192, "egrAndOrVvtMonitorCompletionCountsCompressionIgnition",
    "EGR and/or VVT monitor completion counts (compression ignition)"),
  .counter(
    0x0B, 208, "egrAndOrVvtMonitorConditionsEncounteredCountsCompressionIgnition",
    "EGR and/or VVT monitor conditions encountered counts (compression ignition)"),
  .counter(0x0B, 224, "boostPressureMonitorCompletionCounts", "Boost pressure monitor completion counts"),
  .counter(
    0x0B, 240, "boostPressureMonitorConditionsEncounteredCounts", "Boost pressure monitor conditions encountered counts"
  ),
  .counter(0x0B, 256, "fuelSystemMonitorCompletionCounts", "Fuel system monitor completion counts"),
  .counter(
    0x0B, 272, "fuelSystemMonitorConditionsEncounteredCounts", "Fuel system monitor conditions encountered counts"),
  .counter(0x12, 0, "fueledEngineOperationIgnitionCycleCounter", "Fueled engine operation ignition cycle counter"),
  .vehicleInformation(
    0x14, 0, 16, "distanceSinceEvapMonitoringDecision", "Distance travelled since evap monitoring decision", .kilometre),
]

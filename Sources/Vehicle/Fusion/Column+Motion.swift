import OBDWire

extension Column {
  /// The quantity that a column provides for the detection of trips and driving events; `none` if it provides none.
  enum Motion: UInt8, BitwiseCopyable {
    case none, engineSpeed, speed, batteryVoltage, controlModuleVoltage, odometer
    case fuelRate, fuelMassRate, cylinderFuelRate, massAirFlow, manifoldPressure, intakeTemperature
    case commandedLambda, measuredLambda, fuelType, ignition
  }
}

extension Column.Motion {
  /// Determines the quantity from the signal's service, PID and bit position in the answer (SAE J1979-DA).
  init(_ definition: SignalDefinition) {
    self =
      switch (definition.service, definition.identifier, definition.bitOffset) {
      case (0, _, _): .batteryVoltage
      case (1, 0x01, 12): .ignition
      case (1, 0x0B, _): .manifoldPressure
      case (1, 0x0C, _): .engineSpeed
      case (1, 0x0D, _): .speed
      case (1, 0x0F, _): .intakeTemperature
      case (1, 0x10, _): .massAirFlow
      // This sensor is the first one of bank 1, which is upstream of the catalyst.
      case (1, 0x24, 0), (1, 0x34, 0), (1, 0x8C, 72): .measuredLambda
      case (1, 0x42, _): .controlModuleVoltage
      case (1, 0x44, _): .commandedLambda
      case (1, 0x51, _): .fuelType
      case (1, 0x5E, _): .fuelRate
      case (1, 0x9D, 0): .fuelMassRate
      case (1, 0xA2, _): .cylinderFuelRate
      case (1, 0xA6, _): .odometer
      default: .none
      }
  }
}

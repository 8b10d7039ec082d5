import AdapterSession

extension PowerConfiguration {
  /// Creates, from the configuration's `power`, the rules by which a session stops polling a vehicle and probes it
  /// again.
  init(_ power: GatewayConfiguration.Power) {
    self.init()
    isEnabled = power.isEnabled
    usesLowPower = power.usesLowPower
    cutOffVoltage = power.cutOffVoltage ?? cutOffVoltage
    restingVoltage = power.restingVoltage ?? restingVoltage
    wakeRise = power.wakeRise ?? wakeRise
    heavySystemVoltage = power.heavySystemVoltage ?? heavySystemVoltage
    calibrationLimit = power.calibrationLimit ?? calibrationLimit
    cutOffTime = Self.nanoseconds(power.cutOffTime) ?? cutOffTime
    electricCutOffTime = Self.nanoseconds(power.electricCutOffTime) ?? electricCutOffTime
    silentTime = Self.nanoseconds(power.silentTime) ?? silentTime
    asleepPeriod = Self.nanoseconds(power.asleepPeriod) ?? asleepPeriod
    wakeInterval = Self.nanoseconds(power.wakeInterval) ?? wakeInterval
  }

  private static func nanoseconds(_ seconds: Double?) -> Int64? { seconds.map { Int64($0 * 1e9) } }
}

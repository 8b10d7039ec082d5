import AdapterSession

extension SessionMemory {
  /// Whether the difference to `other` is so small that `other` need not be stored.
  func isSame(as other: SessionMemory) -> Bool {
    // A change of less than 0.1 V in the voltage's correction is too small to be stored.
    guard abs(voltageOffset - other.voltageOffset) < 0.1 else { return false }
    guard baud == other.baud, protocolDigit == other.protocolDigit, quirks == other.quirks, vinCount == other.vinCount,
      silentPIDs == other.silentPIDs, measuresVoltage == other.measuresVoltage
    else { return false }
    for index in 0..<vinCount where vin[index] != other.vin[index] { return false }
    return true
  }
}

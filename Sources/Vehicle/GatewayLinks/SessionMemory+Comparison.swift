import AdapterSession

extension SessionMemory {
  /// Whether `other` is so similar that it need not be written.
  func isSame(as other: SessionMemory) -> Bool {
    // A voltage that changes by hundredths need not be written.
    guard abs(voltageOffset - other.voltageOffset) < 0.1 else { return false }
    guard baud == other.baud, protocolDigit == other.protocolDigit, quirks == other.quirks, vinCount == other.vinCount,
      silentPIDs == other.silentPIDs, measuresVoltage == other.measuresVoltage
    else { return false }
    for index in 0..<vinCount where vin[index] != other.vin[index] { return false }
    return true
  }
}

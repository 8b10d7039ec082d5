/// The enumerations of SAE J1979-DA whose codes have texts. A ``SignalDefinition`` refers to one by its raw value.
public enum SAEEnumeration: UInt16, BitwiseCopyable, Sendable {
  /// PID 03.
  case fuelSystemStatus = 1
  /// PID 12.
  case secondaryAirStatus
  /// PID 1C.
  case obdRequirements
  /// PID 51.
  case fuelType
  /// PID 5F.
  case emissionRequirements
  /// PIDs 01 and 41, bit 3 of byte B.
  case ignitionType
  /// PIDs 70 and 71: control of boost pressure and variable geometry turbo.
  case controlLoopStatus
  /// PID 8B.
  case dpfRegenerationType
  /// PID 90.
  case miDisplayStrategy
  /// PIDs 90 and 91.
  case miActivationMode
  /// PID 94.
  case inducementStatus
  /// PID 9A.
  case chargingState
}

/// The texts of the codes of each ``SAEEnumeration``. They are not quoted from the standard.
public enum SAEEnumerations {
  /// Returns the text of a code.
  ///
  /// - Parameters:
  ///   - enumeration: the value of ``SignalDefinition/enumeration`` in a row of ``saeSignals``.
  ///   - code: the code.
  /// - Returns: the text; `nil` if the standard reserves the code, or if there is no such enumeration.
  public static func text(enumeration: UInt16, code: UInt32) -> StaticString? {
    guard code <= 0xFF else { return nil }
    let wanted = UInt32(enumeration) << 8 | code
    var low = 0
    var high = saeEnumerationTexts.count
    while low < high {
      let middle = (low + high) / 2
      let row = saeEnumerationTexts.span[middle]
      if row.key == wanted { return row.text }
      if row.key < wanted { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}

/// A code and its text.
struct SAEEnumerationText: BitwiseCopyable, Sendable {
  var enumeration: SAEEnumeration
  var code: UInt8
  var text: StaticString

  var key: UInt32 { UInt32(enumeration.rawValue) << 8 | UInt32(code) }

  init(_ enumeration: SAEEnumeration, _ code: UInt8, _ text: StaticString) {
    self.enumeration = enumeration
    self.code = code
    self.text = text
  }
}

/// Services 03, 04, 07, 0A (SAE J1979) and 14, 19 (SAE J1979-2).
extension ECU {
  /// Returns the stored (confirmed) trouble codes.
  func stored(_ view: ECUView) -> [TroubleCode] {
    troubleCodes.filter { $0.isStored(at: view.time, cleared: cleared) }
  }

  /// Returns the pending trouble codes.
  func pending(_ view: ECUView) -> [TroubleCode] {
    troubleCodes.filter { $0.isPending(at: view.time, cleared: cleared) }
  }

  /// Returns the permanent trouble codes.
  func permanent(_ view: ECUView) -> [TroubleCode] { troubleCodes.filter { $0.isPermanent(at: view.time) } }

  /// Returns the time at which a stored code turned on the MIL; `nil` if the MIL is off.
  func lampSince(_ view: ECUView) -> Duration? {
    stored(view).filter(\.lightsLamp).compactMap(\.storedAt).min()
  }

  /// Answers services 03, 07 and 0A. On CAN, the answer contains the number of codes and then the codes: `43 01 04 20`.
  /// On other buses, each message has three codes; zeros replace missing codes.
  func codes(_ request: [UInt8], _ view: ECUView, _ codes: [TroubleCode]) -> ECUAnswer {
    guard request.count == 1 else { return .refusal(Refusal.subFunctionNotSupported) }
    let service = request[0] + 0x40
    if view.isCAN { return .message([service, UInt8(codes.count)] + codes.flatMap { $0.bytes.prefix(2) }) }
    var messages: [[UInt8]] = []
    for start in stride(from: 0, to: max(codes.count, 1), by: 3) {
      let bytes = codes[min(start, codes.count)..<min(start + 3, codes.count)].flatMap { $0.bytes.prefix(2) }
      messages.append([service] + bytes + [UInt8](repeating: 0, count: 6 - bytes.count))
    }
    return .messages(messages)
  }

  /// Answers service 04: `04` → `44`. While the car moves, the ECU answers "conditions not correct".
  mutating func clear(_ request: [UInt8], _ view: ECUView) -> ECUAnswer {
    guard request.count == 1 else { return .refusal(Refusal.subFunctionNotSupported) }
    guard view.state.speed == 0 else { return .refusal(Refusal.conditionsNotCorrect) }
    cleared = view.time
    return .message([0x44])
  }

  /// Answers service 14: `14 FF FF 33` (clear all emissions-related codes) → `54`.
  mutating func clearAll(_ request: [UInt8], _ view: ECUView) -> ECUAnswer {
    guard request == [0x14, 0xFF, 0xFF, 0x33] || request == [0x14, 0xFF, 0xFF, 0xFF] else {
      return .refusal(Refusal.requestOutOfRange)
    }
    guard view.state.speed == 0 else { return .refusal(Refusal.conditionsNotCorrect) }
    cleared = view.time
    return .message([0x54])
  }

  /// Returns the status bits of a code (ISO 14229-1): test failed, pending, confirmed, warning indicator requested.
  private func status(_ code: TroubleCode, _ view: ECUView) -> UInt8 {
    var status: UInt8 = 0
    if code.isPending(at: view.time, cleared: cleared) { status |= 0x05 }
    if code.isStored(at: view.time, cleared: cleared) { status |= code.lightsLamp ? 0x88 : 0x08 }
    return status
  }

  /// The functional group of emissions-related codes (SAE J1979-2).
  private static let emissions: UInt8 = 0x33
  /// The format identifier of codes with three bytes (SAE J2012-DA).
  private static let format: UInt8 = 0x04
  /// The status bits that the ECU supports.
  private static let available: UInt8 = 0x8D
  /// The severity of all codes, "check at next halt".
  private static let severity: UInt8 = 0x40

  /// Answers service 19, which reads codes and their status:
  ///
  /// - `19 42 33 mask severity`, codes of the emissions group → `59 42 33 8D E0 04` and 5 bytes for each code
  /// - `19 55 33`, permanent codes
  /// - `19 02 mask`, codes with one of the status bits in the mask
  func troubleCodesUDS(_ request: [UInt8], _ view: ECUView) -> ECUAnswer {
    switch (request.dropFirst().first, request.count) {
    case (0x42, 5):
      guard request[2] == Self.emissions else { return .refusal(Refusal.requestOutOfRange) }
      var message: [UInt8] = [0x59, 0x42, Self.emissions, Self.available, 0xE0, Self.format]
      for code in troubleCodes where status(code, view) & request[3] != 0 {
        message += [Self.severity] + code.bytes + [status(code, view)]
      }
      return .message(message)
    case (0x55, 3):
      guard request[2] == Self.emissions else { return .refusal(Refusal.requestOutOfRange) }
      var message: [UInt8] = [0x59, 0x55, Self.emissions, Self.available, Self.format]
      for code in permanent(view) { message += code.bytes + [status(code, view)] }
      return .message(message)
    case (0x02, 3):
      var message: [UInt8] = [0x59, 0x02, Self.available]
      for code in troubleCodes where status(code, view) & request[2] != 0 {
        message += code.bytes + [status(code, view)]
      }
      return .message(message)
    default: return .refusal(Refusal.subFunctionNotSupported)
    }
  }
}

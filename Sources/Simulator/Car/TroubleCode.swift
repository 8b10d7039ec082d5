/// A fault of the car that a scenario lets appear.
public struct TroubleCode: Sendable {
  /// As SAE J2012 writes it: `P0420`, `U0100`; for OBDonUDS the failure type may stand behind it: `P0420-11`.
  public let text: String
  /// The two bytes of J1979, and the failure type byte of the three-byte form (J2012-DA, format 0x04).
  let bytes: [UInt8]
  /// When it is pending (service 07); nil: from when it is stored.
  public var pendingAt: Duration?
  /// When it is stored (service 03); nil: never, it stays pending.
  public var storedAt: Duration?
  /// Stored for good (service 0A) as soon as it is stored; clearing does not reach it there.
  public var isPermanent = false
  /// Lights the lamp as soon as it is stored.
  public var lightsLamp = true

  /// - Parameter text: `P0420` or `P0420-11`.
  /// - Returns: nil where that is no trouble code.
  public init?(_ text: String) {
    let characters = Array(text.utf8)
    guard characters.count == 5 || (characters.count == 8 && characters[5] == UInt8(ascii: "-")) else { return nil }
    guard let system = Array("PCBU".utf8).firstIndex(of: characters[0]),
      let first = Hexadecimal.value(of: characters[1]), first < 4
    else { return nil }
    var digits = [UInt8(system) << 2 | first]
    for character in characters[2..<5] + characters.dropFirst(6) {
      guard let digit = Hexadecimal.value(of: character) else { return nil }
      digits.append(digit)
    }
    if digits.count == 4 { digits += [0, 0] }
    self.text = text
    bytes = [digits[0] << 4 | digits[1], digits[2] << 4 | digits[3], digits[4] << 4 | digits[5]]
  }

  private var becomesPendingAt: Duration? { pendingAt ?? storedAt }

  func isPending(at time: Duration, cleared: Duration?) -> Bool { isPast(becomesPendingAt, time, cleared) }

  func isStored(at time: Duration, cleared: Duration?) -> Bool { isPast(storedAt, time, cleared) }

  func isPermanent(at time: Duration) -> Bool { isPermanent && isPast(storedAt, time, nil) }

  private func isPast(_ moment: Duration?, _ time: Duration, _ cleared: Duration?) -> Bool {
    guard let moment, moment <= time else { return false }
    return cleared.map { moment > $0 } ?? true
  }
}

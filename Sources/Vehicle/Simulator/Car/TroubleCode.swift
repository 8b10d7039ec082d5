/// A trouble code that appears during a scenario.
public struct TroubleCode: Sendable {
  /// The code as SAE J2012 writes it, for example `P0420`. For OBDonUDS, a failure type may follow, for example
  /// `P0420-11`.
  public let text: String
  /// The two bytes of the code (SAE J1979), and the byte of its failure type (J2012-DA, format 04).
  let bytes: [UInt8]
  /// Time at which the code becomes pending (service 07); `nil` if it becomes pending and stored at the same time.
  public var pendingAt: Duration?
  /// Time at which the code is stored (service 03); `nil` if it remains pending.
  public var storedAt: Duration?
  /// Whether the code also becomes permanent (service 0A) when it is stored. A request to clear codes does not remove a
  /// permanent code.
  public var isPermanent = false
  /// Whether the code turns on the MIL when it is stored.
  public var lightsLamp = true

  /// Parses a code; `nil` if it is invalid.
  ///
  /// - Parameter text: the code, for example `P0420` or `P0420-11`.
  public init?(_ text: String) {
    let characters = Array(text.utf8)
    guard characters.count == 5 || (characters.count == 8 && characters[5] == UInt8(ascii: "-")) else { return nil }
    guard let system = Array("PCBU".utf8).firstIndex(of: characters[0]),
      let first = HexDigits.value(of: characters[1]), first < 4
    else { return nil }
    var digits = [UInt8(system) << 2 | first]
    for character in characters[2..<5] + characters.dropFirst(6) {
      guard let digit = HexDigits.value(of: character) else { return nil }
      digits.append(digit)
    }
    if digits.count == 4 { digits += [0, 0] }
    self.text = text
    bytes = [digits[0] << 4 | digits[1], digits[2] << 4 | digits[3], digits[4] << 4 | digits[5]]
  }

  private var becomesPendingAt: Duration? { pendingAt ?? storedAt }

  /// Whether the code is pending at `time`. `cleared` is the time at which codes were last cleared; `nil` if never.
  func isPending(at time: Duration, cleared: Duration?) -> Bool { isPast(becomesPendingAt, time, cleared) }

  /// Whether the code is stored at `time`. `cleared` is the time at which codes were last cleared; `nil` if never.
  func isStored(at time: Duration, cleared: Duration?) -> Bool { isPast(storedAt, time, cleared) }

  /// Whether the code is permanent at `time`.
  func isPermanent(at time: Duration) -> Bool { isPermanent && isPast(storedAt, time, nil) }

  private func isPast(_ moment: Duration?, _ time: Duration, _ cleared: Duration?) -> Bool {
    guard let moment, moment <= time else { return false }
    return cleared.map { moment > $0 } ?? true
  }
}

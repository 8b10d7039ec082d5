/// One attempt to find the vehicle: the protocol to select, and the service of the request.
///
/// If no protocol is configured, the first round leaves the search to the adapter, which tries the last good protocol
/// first (ATSPA). If no vehicle answers, this takes up to 12 s, and an ignition that is switched on meanwhile is not
/// detected. Therefore, all later rounds select protocols explicitly, and are shorter. Each of these rounds tries:
///
/// 1. the last good protocol
/// 2. the four protocols of CAN, which take a quarter of a second each
/// 3. one of the slow protocols, a different one in each round
/// 4. OBDonUDS (SAE J1979-2: 22 F400)
///
/// This also helps with clones whose own search is unreliable.
struct SearchStep: BitwiseCopyable, Equatable {
  /// ELM digits of the protocols on CAN, the most common one first.
  private static let fast: InlineArray<4, UInt8> = [0x36, 0x37, 0x38, 0x39]
  /// ELM digits of the protocols on older buses, the most common one first.
  private static let slow: InlineArray<5, UInt8> = [0x35, 0x34, 0x33, 0x32, 0x31]

  /// Position of the attempt in a round that selects protocols, 0…6; -1 if the adapter's current selection is used.
  var index = -1
  /// ELM digit of the protocol to select; `nil` to use the protocol that the adapter has selected.
  var digit: UInt8?
  /// Whether ATSP has already selected the protocol of this attempt.
  var isSelected = true
  /// Whether 22 F400 is sent instead of 01 00, for example after the ECUs refused service 01.
  var isUDS = false
  /// Whether the ECUs refused service 01 on this protocol.
  var wasRefused = false

  /// Returns the first attempt of a round that selects protocols explicitly; `nil` if the round has no attempts.
  ///
  /// - Parameters:
  ///   - round: number of the round.
  ///   - known: ELM digit of the last good protocol; 0 if none is known.
  static func first(round: Int, known: UInt8) -> SearchStep? {
    SearchStep().next(configured: nil, round: max(round, 1), known: known)
  }

  /// Returns the attempt after this one; `nil` at the end of the round.
  ///
  /// - Parameters:
  ///   - configured: ELM digit of the configured protocol; `nil` if none is configured.
  ///   - round: number of the round; 0 for the adapter's own search.
  ///   - known: ELM digit of the last good protocol; 0 if none is known.
  func next(configured: UInt8?, round: Int, known: UInt8) -> SearchStep? {
    if let configured {
      // Only the configured protocol is tried. If it is a CAN protocol, the vehicle may use OBDonUDS.
      guard !isUDS, configured >= UInt8(ascii: "6"), configured <= UInt8(ascii: "9") else { return nil }
      return SearchStep(index: index, digit: digit, isSelected: isSelected, isUDS: true, wasRefused: wasRefused)
    }
    guard round > 0 else { return nil }
    var following = index + 1
    while following < 7 {
      if let digit = Self.digit(at: following, round, known) {
        return SearchStep(index: following, digit: digit, isSelected: false, isUDS: following == 6)
      }
      following += 1
    }
    return nil
  }

  /// Returns the ELM digit of the protocol to try at a position in the round; `nil` if that position is left out.
  private static func digit(at place: Int, _ round: Int, _ known: UInt8) -> UInt8? {
    switch place {
    case 0: return known > 0x30 ? known : nil
    case 1...4: return fast[place - 1] == known ? nil : fast[place - 1]
    case 5:
      let digit = slow[(round - 1) % 5]
      // A try on a slow protocol takes seconds. If the last good protocol is slow, another slow one is tried only in
      // every second round.
      let isKnownSlow = known > 0x30 && known < 0x36
      return digit == known || isKnownSlow && round % 2 == 0 ? nil : digit
    default: return fast[(round - 1) % 4]
    }
  }
}

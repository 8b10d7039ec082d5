/// One try to find the vehicle: which protocol is selected, and by which service it is asked.
///
/// The first round without a configured protocol is the adapter's own search, which tries the last good protocol first
/// (ATSPA). It takes up to 12 s where no vehicle answers, and a vehicle whose ignition is switched on meanwhile waits for
/// its end. So all further rounds go by hand, and are short: the last good protocol, the four of CAN, where a try takes
/// a quarter of a second, then one of the slow ones, another one each time, and one try by OBDonUDS (SAE J1979-2:
/// 22 F400). Clones that search badly are helped by the same.
struct SearchStep: BitwiseCopyable, Equatable {
  /// ELM digits in the order of how many vehicles speak them.
  private static let fast: InlineArray<4, UInt8> = [0x36, 0x37, 0x38, 0x39]
  private static let slow: InlineArray<5, UInt8> = [0x35, 0x34, 0x33, 0x32, 0x31]

  /// Place in the round; -1: as the adapter is set now.
  var index = -1
  /// The protocol's digit; nil: as it is set.
  var digit: UInt8?
  /// ATSP was sent for it.
  var isSelected = true
  /// 22 F400 is asked instead of 01 00: also within a step, where the ECUs refused service 01.
  var isUDS = false
  /// The ECUs answered, though by refusing.
  var wasRefused = false

  /// The first try of a round by hand.
  static func first(round: Int, known: UInt8) -> SearchStep? {
    SearchStep().next(configured: nil, round: max(round, 1), known: known)
  }

  /// The next try; nil: the round is over.
  ///
  /// - Parameters:
  ///   - configured: the protocol's digit, where it is told from outside.
  ///   - round: 0: the adapter searches by itself.
  ///   - known: digit of the protocol that worked last; 0: none did.
  func next(configured: UInt8?, round: Int, known: UInt8) -> SearchStep? {
    if let configured {
      // What is configured is not replaced; OBDonUDS may speak on it.
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

  /// nil: nothing is tried at this place.
  private static func digit(at place: Int, _ round: Int, _ known: UInt8) -> UInt8? {
    switch place {
    case 0: return known > 0x30 ? known : nil
    case 1...4: return fast[place - 1] == known ? nil : fast[place - 1]
    case 5:
      let digit = slow[(round - 1) % 5]
      // One slow try in a round is enough: known, or another one each second time.
      let isKnownSlow = known > 0x30 && known < 0x36
      return digit == known || isKnownSlow && round % 2 == 0 ? nil : digit
    default: return fast[(round - 1) % 4]
    }
  }
}

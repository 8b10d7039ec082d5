/// One try to find the vehicle: which protocol is selected, and by which service it is asked.
///
/// A round without a configured protocol: the last good protocol first (ATSPA, which searches on by itself), the
/// adapter's own search, then each protocol by hand, since some clones search badly, then OBDonUDS (SAE J1979-2: 22 F400)
/// on the four CAN protocols. The tries by hand cost up to a minute on K-lines, so only each eighth round makes them.
struct SearchStep: BitwiseCopyable, Equatable {
  /// ELM digits in the order of how many vehicles speak them.
  private static let byHand: InlineArray<13, UInt8> = [
    0x36, 0x37, 0x38, 0x39, 0x35, 0x34, 0x33, 0x32, 0x31, 0x36, 0x37, 0x38, 0x39,
  ]
  private static let firstUDS = 9

  /// -1: as the adapter is set now; 0: the adapter's own search; 1…13: by hand.
  var index = -1
  /// ATSP was sent for it.
  var isSelected = true
  /// 22 F400 is asked instead of 01 00: also within a step, where the ECUs refused service 01.
  var isUDS = false
  /// The ECUs answered, though by refusing.
  var wasRefused = false

  /// The protocol's digit; nil: as it is set.
  var digit: UInt8? {
    switch index {
    case 0: UInt8(ascii: "0")
    case 1...13: Self.byHand[index - 1]
    default: nil
    }
  }

  /// The next try; nil: the round is over.
  func next(configured: UInt8?, round: Int, tried: UInt8) -> SearchStep? {
    if let configured {
      // What is configured is not replaced; OBDonUDS may speak on it.
      guard !isUDS, configured >= UInt8(ascii: "6"), configured <= UInt8(ascii: "9") else { return nil }
      return SearchStep(index: index, isSelected: isSelected, isUDS: true, wasRefused: wasRefused)
    }
    var following = index + 1
    if following == 0, tried == UInt8(ascii: "0") { following = 1 }
    guard following <= 0 || following <= 13 && round % 8 == 0 else { return nil }
    return SearchStep(index: following, isSelected: false, isUDS: following > Self.firstUDS)
  }
}

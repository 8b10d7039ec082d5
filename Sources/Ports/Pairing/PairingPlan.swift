/// How far one adapter is: which PIN is next, when it is tried, when it is given up. Moments in, decisions out.
struct PairingPlan {
  enum State { case open, paired, givenUp }
  enum Question { case pin, passkey, consent }
  enum Answer: Equatable {
    case pin(String)
    case passkey(UInt32)
    case yes
    case no
  }

  /// What adapters are sold with, most frequent first.
  static let usualPINs = ["1234", "0000"]
  /// How often each PIN is tried: a refusal may have been the radio's.
  private static let rounds = 2
  private static let shortestPause: Int64 = 5_000_000_000
  private static let longestPause: Int64 = 300_000_000_000

  let wish: PairingWish
  private(set) var state = State.open
  /// When it is tried next, ns of the boot clock.
  private(set) var due = Int64.min
  private var refusals = 0
  private var misses = 0
  private var isToldOf = false
  /// It was seen to be connected unpaired: it may be one that wants no pairing.
  private(set) var hasConnected = false

  /// - Parameter moment: ns of the boot clock: until then one of classic Bluetooth without a configured PIN is left to
  ///   its line, which opens where no key is wanted. Of one with Bluetooth LE, where there is a wish at all, a key is
  ///   configured, or its line was refused for want of one.
  init(_ wish: PairingWish, notBefore moment: Int64 = .min) {
    self.wish = wish
    if wish.pin == nil, !wish.isLowEnergy { due = moment }
  }

  private var pins: [String] { wish.pin.map { [$0] } ?? Self.usualPINs }
  private var isExhausted: Bool { refusals >= pins.count * Self.rounds }

  func answer(_ question: Question) -> Answer {
    guard state != .givenUp else { return .no }
    let pin = pins[refusals % pins.count]
    switch question {
    case .consent: return .yes
    case .pin: return .pin(pin)
    case .passkey:
      // Core Specification, volume 3, part H, 2.3.5.3: six digits.
      guard let number = UInt32(pin), number <= 999_999 else { return .no }
      return .passkey(number)
    }
  }

  /// Whether it was given up, told once.
  mutating func takesNoPIN() -> Bool {
    defer { isToldOf = state == .givenUp }
    return state == .givenUp && !isToldOf
  }

  mutating func succeeded() { state = .paired }

  /// The adapter did not take the PIN, or wanted no pairing.
  mutating func refused(at now: Int64) {
    misses = 0
    refusals += 1
    if isExhausted { state = .givenUp }
    due = now + Self.shortestPause << Int64(refusals - 1)
  }

  /// It is no time for a try, and none is counted.
  mutating func postpone(until moment: Int64) { due = moment }

  /// Nobody was there.
  ///
  /// - Returns: whether that is news.
  mutating func missed(at now: Int64) -> Bool {
    misses += 1
    due = now + min(Self.longestPause, 6 * Self.shortestPause << Int64(min(misses - 1, 10)))
    return misses == 1 && !hasConnected
  }

  /// It is connected: a line that is open needs no key, and is not to be disturbed.
  mutating func connected(at now: Int64) {
    hasConnected = true
    _ = missed(at: now)
  }
}

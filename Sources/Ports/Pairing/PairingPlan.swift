/// A Bluetooth adapter that is to be paired where it is not.
public struct PairingWish: Hashable, Sendable {
  public var address: BluetoothAddress
  /// Bluetooth LE, where a PIN has six digits at most; else classic Bluetooth, where it has 1 to 16 characters.
  public var isLowEnergy: Bool
  /// nil: the usual ones are tried.
  public var pin: String?

  public init(address: BluetoothAddress, isLowEnergy: Bool, pin: String? = nil) {
    self.address = address
    self.isLowEnergy = isLowEnergy
    self.pin = pin
  }

  /// How messages call it; the PIN is in none of them.
  var name: String {
    let port: PortAddress = isLowEnergy ? .ble(address) : .rfcomm(address, channel: nil)
    return port.description
  }
}

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

  /// - Parameter moment: ns of the boot clock: until then one without a configured PIN is left to its line, which opens
  ///   where no key is wanted.
  init(_ wish: PairingWish, notBefore moment: Int64 = .min) {
    self.wish = wish
    if wish.pin == nil { due = moment }
  }

  /// Most adapters with Bluetooth LE want no pairing: one is asked for it only where a PIN is configured. Should it ask
  /// for it, it is answered.
  var waitsToBeAsked: Bool { wish.isLowEnergy && wish.pin == nil }

  private var pins: [String] { wish.pin.map { [$0] } ?? Self.usualPINs }
  private var isExhausted: Bool { refusals >= pins.count * Self.rounds }

  mutating func answer(_ question: Question) -> Answer {
    guard state != .givenUp else { return .no }
    let pin = pins[refusals % pins.count]
    switch question {
    case .consent: return .yes
    case .pin:
      count()
      return .pin(pin)
    case .passkey:
      // Core Specification, volume 3, part H, 2.3.5.3: six digits.
      guard let number = UInt32(pin), number <= 999_999 else { return .no }
      count()
      return .passkey(number)
    }
  }

  /// Who asks us again had no use for the answer before; nobody tells us.
  private mutating func count() {
    guard waitsToBeAsked else { return }
    refusals += 1
    if isExhausted { state = .givenUp }
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

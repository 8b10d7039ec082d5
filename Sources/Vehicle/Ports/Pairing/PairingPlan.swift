/// The state of one adapter's pairing: the next PIN, the time of the next attempt, and whether to stop. It has no clock
/// and no I/O.
struct PairingPlan {
  enum State { case open, paired, givenUp }
  enum Question { case pin, passkey, consent }
  enum Answer: Equatable {
    case pin(String)
    case passkey(UInt32)
    case yes
    case no
  }

  /// The PINs that adapters usually have, the most common one first.
  static let usualPINs = ["1234", "0000"]
  /// Number of attempts with each PIN. There is more than one, because a radio problem may look like a rejection.
  private static let rounds = 2
  private static let shortestPause: Int64 = 5_000_000_000
  private static let longestPause: Int64 = 300_000_000_000

  let request: PairingRequest
  private(set) var state = State.open
  /// Time of the next attempt; boot time, ns.
  private(set) var due = Int64.min
  private var refusals = 0
  private var misses = 0
  private var isToldOf = false
  /// Whether the adapter has connected without pairing. It then possibly needs no pairing.
  private(set) var hasConnected = false

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - request: the adapter.
  ///   - moment: boot time of the first attempt, ns. Until then, an adapter of classic Bluetooth without a configured
  ///     PIN can connect without pairing. It does not apply to Bluetooth LE, whose adapters are paired only if a PIN is
  ///     configured or the adapter has rejected a connection without a key.
  init(_ request: PairingRequest, notBefore moment: Int64 = .min) {
    self.request = request
    if request.pin == nil, !request.isLowEnergy { due = moment }
  }

  private var pins: [String] { request.pin.map { [$0] } ?? Self.usualPINs }
  private var isExhausted: Bool { refusals >= pins.count * Self.rounds }

  func answer(_ question: Question) -> Answer {
    guard state != .givenUp else { return .no }
    let pin = pins[refusals % pins.count]
    switch question {
    case .consent: return .yes
    case .pin: return .pin(pin)
    case .passkey:
      // A passkey has six digits (Core Specification, volume 3, part H, 2.3.5.3).
      guard let number = UInt32(pin), number <= 999_999 else { return .no }
      return .passkey(number)
    }
  }

  /// Whether the adapter has rejected all PINs. Returns `true` only once.
  mutating func takesNoPIN() -> Bool {
    defer { isToldOf = state == .givenUp }
    return state == .givenUp && !isToldOf
  }

  mutating func succeeded() { state = .paired }

  /// Remembers that the adapter rejected the PIN or the pairing.
  mutating func refused(at now: Int64) {
    misses = 0
    refusals += 1
    if isExhausted { state = .givenUp }
    due = now + Self.shortestPause << Int64(refusals - 1)
  }

  /// Postpones the next attempt. The postponed attempt is not counted.
  mutating func postpone(until moment: Int64) { due = moment }

  /// Remembers that the adapter could not be reached.
  ///
  /// - Returns: whether to report this.
  mutating func missed(at now: Int64) -> Bool {
    misses += 1
    due = now + min(Self.longestPause, 6 * Self.shortestPause << Int64(min(misses - 1, 10)))
    return misses == 1 && !hasConnected
  }

  /// Remembers that the adapter is connected. An open connection needs no key, and pairing must not disturb it.
  mutating func connected(at now: Int64) {
    hasConnected = true
    _ = missed(at: now)
  }
}

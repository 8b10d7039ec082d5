/// The state of one adapter's pairing: which PIN to try next, when to try it, and whether to stop. It has no clock and
/// no I/O.
struct PairingPlan {
  enum State { case open, paired, givenUp }
  enum Question { case pin, passkey, consent }
  enum Answer: Equatable {
    case pin(String)
    case passkey(UInt32)
    case yes
    case no
  }

  /// The PINs that most adapters have, most common first.
  static let usualPINs = ["1234", "0000"]
  /// Number of attempts with each PIN. One attempt is not enough, because a radio problem may look like a rejection.
  private static let rounds = 2
  private static let shortestPause: Int64 = 5_000_000_000
  private static let longestPause: Int64 = 300_000_000_000

  let request: PairingRequest
  private(set) var state = State.open
  /// Time of the next attempt, ns since boot.
  private(set) var due = Int64.min
  private var refusals = 0
  private var misses = 0
  private var isToldOf = false
  /// Whether the adapter has connected without pairing, and therefore perhaps needs no pairing.
  private(set) var hasConnected = false

  /// Creates a plan for one adapter.
  ///
  /// - Parameters:
  ///   - request: the adapter to pair.
  ///   - moment: earliest time of the first attempt, ns since boot. Until then, an adapter of classic Bluetooth without
  ///     a configured PIN can connect without pairing. For other adapters, the time is ignored. Adapters with Bluetooth
  ///     LE are paired only if a PIN is configured or the adapter has rejected a connection without a key.
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

  /// Whether the adapter has rejected all PINs, which must be reported. Returns `true` only once.
  mutating func takesNoPIN() -> Bool {
    defer { isToldOf = state == .givenUp }
    return state == .givenUp && !isToldOf
  }

  mutating func succeeded() { state = .paired }

  /// Handles an attempt in which the adapter rejected the PIN or the pairing.
  mutating func refused(at now: Int64) {
    misses = 0
    refusals += 1
    if isExhausted { state = .givenUp }
    due = now + Self.shortestPause << Int64(refusals - 1)
  }

  /// Postpones the next attempt until `moment` (ns since boot). This is not counted as an attempt.
  mutating func postpone(until moment: Int64) { due = moment }

  /// Handles an attempt in which the adapter could not be reached.
  ///
  /// - Returns: whether to report this. It is reported only the first time.
  mutating func missed(at now: Int64) -> Bool {
    misses += 1
    due = now + min(Self.longestPause, 6 * Self.shortestPause << Int64(min(misses - 1, 10)))
    return misses == 1 && !hasConnected
  }

  /// Handles the report that the adapter is connected, and postpones the next attempt. An open connection needs no key,
  /// and a pairing must not disturb it.
  mutating func connected(at now: Int64) {
    hasConnected = true
    _ = missed(at: now)
  }
}

/// The state of one adapter's pairing: the next PIN, the time of the next attempt, and when to stop. It uses no clock
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

  /// The usual PINs of adapters, most frequent first.
  static let usualPINs = ["1234", "0000"]
  /// Number of attempts with each PIN. A rejection may be caused by a radio problem.
  private static let rounds = 2
  private static let shortestPause: Int64 = 5_000_000_000
  private static let longestPause: Int64 = 300_000_000_000

  let request: PairingRequest
  private(set) var state = State.open
  /// Time of the next attempt, ns of the boot clock.
  private(set) var due = Int64.min
  private var refusals = 0
  private var misses = 0
  private var isToldOf = false
  /// Whether the adapter has connected without pairing, and so may not need it.
  private(set) var hasConnected = false

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - request: the adapter.
  ///   - moment: ns of the boot clock. Until then, a classic Bluetooth adapter without a configured PIN can connect
  ///     without pairing. The delay does not apply to Bluetooth LE, whose adapters are paired only if a PIN is
  ///     configured or a connection was rejected without a key.
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
      // Core Specification, volume 3, part H, 2.3.5.3: six digits.
      guard let number = UInt32(pin), number <= 999_999 else { return .no }
      return .passkey(number)
    }
  }

  /// Returns `true` once if the adapter rejected all PINs.
  mutating func takesNoPIN() -> Bool {
    defer { isToldOf = state == .givenUp }
    return state == .givenUp && !isToldOf
  }

  mutating func succeeded() { state = .paired }

  /// Records that the adapter rejected the PIN or the pairing.
  mutating func refused(at now: Int64) {
    misses = 0
    refusals += 1
    if isExhausted { state = .givenUp }
    due = now + Self.shortestPause << Int64(refusals - 1)
  }

  /// Postpones the next attempt without counting one.
  mutating func postpone(until moment: Int64) { due = moment }

  /// Records that the adapter could not be reached.
  ///
  /// - Returns: whether to report it.
  mutating func missed(at now: Int64) -> Bool {
    misses += 1
    due = now + min(Self.longestPause, 6 * Self.shortestPause << Int64(min(misses - 1, 10)))
    return misses == 1 && !hasConnected
  }

  /// Records that the adapter is connected. An open connection needs no key and must not be disturbed.
  mutating func connected(at now: Int64) {
    hasConnected = true
    _ = missed(at: now)
  }
}

import OBDWire

/// Earlier events of the session. What is reported depends on them, and so does the length of pauses.
struct SessionHistory: BitwiseCopyable {
  /// If a vehicle is lost within this time after it was found, the loss counts as a repeated loss, ns.
  private static let shortConnection: Int64 = 60_000 * Limit.millisecond
  private static let longestLossPause: Int64 = 30_000 * Limit.millisecond

  /// Whether an adapter was found, and whether a vehicle was connected.
  var wasFound = false
  var wasConnected = false
  /// The loss that was reported last; `nil` if the adapter or the vehicle has answered since.
  var lastLoss: LossReason?
  /// Number of times that the port was reopened since an adapter was last found.
  var reopenings = 0
  /// How often in a row the link broke during ATZ.
  var lostResets = 0
  /// Number of times that the adapter did not answer at a speed set by ATBRD or STBR.
  var baudReturns = 0
  /// Number of losses in a row that followed soon after the vehicle was found.
  private var repeatedLosses = 0

  /// Counts the loss of a vehicle.
  ///
  /// - Returns: the pause before the next search, ns. For the second loss in a row that followed soon after the vehicle
  ///   was found, it is 0.5 s. Each further such loss doubles it, up to 30 s. Otherwise, it is 0.
  mutating func recordLoss(connectedSince since: Int64, at now: Int64) -> Int64 {
    repeatedLosses = now - since < Self.shortConnection ? repeatedLosses + 1 : 0
    guard repeatedLosses > 1 else { return 0 }
    let pause = Limit.shortestSearchPause << Int64(min(repeatedLosses - 2, 6))
    return min(pause, Self.longestLossPause)
  }
}

/// Rounds of the search for a vehicle, counted since a vehicle was last found.
struct SearchRounds: BitwiseCopyable {
  /// Number of rounds that found no vehicle.
  var count = 0
  /// Start of the current round.
  var began: Int64 = 0
}

/// Facts about the port that hold until it is opened again.
struct OpenPort: BitwiseCopyable {
  var openedAt: Int64 = 0
  /// Baud rate of the port; `nil` if the port has none.
  var baud: Int?
  /// Baud rate before a change by ATBRD or STBR; `nil` if it was not changed.
  var formerBaud: Int?
  /// Quirks that were confirmed since the port was opened. Each other known quirk is tested once more.
  var confirmedQuirks: Quirks = []
}

/// The search for the adapter's baud rate.
struct BaudSearch: BitwiseCopyable {
  /// Index in the list of baud rates; `nil` for the rate that worked before.
  var index: Int?
  /// Index in the list of baud rates: the rate that was tried last for a device that sends nothing; -1 if none was.
  var spare = -1
  /// Number of completed passes through the list.
  var pass = 0
}

/// The adapter's name, as in its banner: `ELM327 v1.5`.
struct AdapterIdentity: BitwiseCopyable {
  private(set) var text = InlineArray<40, UInt8>(repeating: 0)
  private(set) var count = 0
  /// Hash of the last banner; 0 if none was read. A different banner means a different adapter.
  private var banner: UInt32 = 0

  mutating func store(_ reply: ReplyObserver) {
    guard reply.textCount > 0 else { return }
    text = reply.text
    count = reply.textCount
  }

  /// Stores the name of a banner.
  ///
  /// - Returns: whether the banner differs from the previous one.
  mutating func storeBanner(_ reply: ReplyObserver) -> Bool {
    store(reply)
    var hash: UInt32 = 2_166_136_261
    for i in 0..<reply.textCount { hash = (hash ^ UInt32(reply.text[i])) &* 16_777_619 }
    defer { banner = hash }
    return banner != 0 && banner != hash
  }
}

import OBDWire

/// Earlier events of the session. They determine which events are reported, and how long pauses are.
struct SessionHistory: BitwiseCopyable {
  /// If a vehicle stops answering within this time after it was found, `repeatedLosses` counts this, ns.
  private static let shortConnection: Int64 = 60_000 * Limit.millisecond
  private static let longestLossPause: Int64 = 30_000 * Limit.millisecond

  /// Whether an adapter was found in this session.
  var wasFound = false
  /// Whether a vehicle was connected in this session.
  var wasConnected = false
  /// The loss that was reported last; `nil` if the adapter or the vehicle has answered since.
  var lastLoss: LossReason?
  /// Number of times that the port was reopened since the adapter last answered ATZ.
  var reopenings = 0
  /// Number of times in a row that the link was lost while the session waited for the answer to ATZ.
  var lostResets = 0
  /// Number of times that the adapter stopped answering at a baud rate set by ATBRD or STBR.
  var baudReturns = 0
  /// Number of times in a row that the vehicle stopped answering soon after it was found.
  private var repeatedLosses = 0

  /// Counts that a vehicle has stopped answering.
  ///
  /// - Returns: the pause before the next search, ns. The pause is 0 if the vehicle answered for long enough, or if
  ///   this is the first time that it stopped answering soon after it was found. The pause is 0.5 s for the second time
  ///   in a row, and each further time doubles it, up to 30 s.
  mutating func recordLoss(connectedSince since: Int64, at now: Int64) -> Int64 {
    repeatedLosses = now - since < Self.shortConnection ? repeatedLosses + 1 : 0
    guard repeatedLosses > 1 else { return 0 }
    let pause = Limit.shortestSearchPause << Int64(min(repeatedLosses - 2, 6))
    return min(pause, Self.longestLossPause)
  }
}

/// The rounds of the search for a vehicle since a vehicle was last found.
struct SearchRounds: BitwiseCopyable {
  /// Number of rounds that found no vehicle.
  var count = 0
  /// Time at which the current round began, ns since boot.
  var began: Int64 = 0
}

/// Facts about the port. They are discarded when the port is opened again.
struct OpenPort: BitwiseCopyable {
  var openedAt: Int64 = 0
  /// Baud rate of the port; `nil` if the port has none.
  var baud: Int?
  /// Baud rate of the port before ATBRD or STBR changed it; `nil` if it was not changed.
  var formerBaud: Int?
  /// Quirks that were confirmed since the port was opened. All other known quirks are tested once more.
  var confirmedQuirks: Quirks = []
}

/// The progress of the search for the adapter's baud rate.
struct BaudSearch: BitwiseCopyable {
  /// Index (in the list of baud rates) of the rate that is tried; `nil` for the rate that worked in an earlier session.
  var index: Int?
  /// Index (in the list of baud rates) of the rate that was last tried for a device that sends nothing; -1 if none was
  /// tried.
  var spare = -1
  /// Number of completed passes through the list of baud rates.
  var pass = 0
}

/// The adapter's name as in its banner, for example `ELM327 v1.5`.
struct AdapterIdentity: BitwiseCopyable {
  private(set) var text = InlineArray<40, UInt8>(repeating: 0)
  private(set) var count = 0
  /// Hash of the last banner; 0 if none was read. If it changes, the adapter is a different one.
  private var banner: UInt32 = 0

  mutating func store(_ reply: ReplyObserver) {
    guard reply.textCount > 0 else { return }
    text = reply.text
    count = reply.textCount
  }

  /// Stores the name in a banner.
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

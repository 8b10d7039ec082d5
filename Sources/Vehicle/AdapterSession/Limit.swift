/// Times of the dialogue, ns.
enum Limit {
  static let millisecond: Int64 = 1_000_000
  /// Answer to a setting.
  static let setting: Int64 = 1_500 * millisecond
  /// Answer to ATZ: clones take up to 2 s. While the speed is searched, the first tries are shorter.
  static let reset: Int64 = 4_000 * millisecond
  static let resetWhileLooking: Int64 = 1_500 * millisecond
  static let resetAtKnownBaud: Int64 = 2_500 * millisecond
  /// Answer to 0100 after ATSP0: all nine protocols, including slow initializations.
  static let search: Int64 = 30_000 * millisecond
  /// How long the caller may take to store codes before the session checks again.
  static let saving: Int64 = 60_000 * millisecond
  /// Shortest pause between two rounds of the search, however long the first one took.
  static let shortestSearchPause: Int64 = 500 * millisecond
  /// Answer to 0100 on one protocol: a K-line's 5-baud initialization takes 3 s and is tried three times.
  static let searchOne: Int64 = 12_000 * millisecond
  static let poll: Int64 = 2_500 * millisecond
  /// The adapter first initializes a K-line again if it fell asleep.
  static let pollKLine: Int64 = 7_000 * millisecond
  /// Response code 0x78 extends the time limit to five times the usual (SAE J1979, 5.2.2.6), each time it is sent.
  static let slowAnswer: Int64 = 8_000 * millisecond
  /// Without bytes for this long, a reply without a reliable prompt is complete.
  static let quiet: Int64 = 100 * millisecond
  /// A stream that is closed this soon after it was opened was not closed because of ATZ.
  static let hangUpAtOnce: Int64 = 200 * millisecond
  /// Bytes of a device that never stops sending are discarded for at most this long.
  static let longestDrain: Int64 = 10_000 * millisecond
  /// P3min: pause between a K-line's last answer and the next request (ISO 14230-2, 4.4.1; ISO 9141-2, 6.2.2).
  static let p3min: Int64 = 55 * millisecond
  /// ATLP takes effect a second after its OK; a character sent sooner has no effect.
  static let lowPower: Int64 = 2_000 * millisecond
}

/// Time limits of the dialogue, ns.
enum Limit {
  static let millisecond: Int64 = 1_000_000
  /// Answer to a setting.
  static let setting: Int64 = 1_500 * millisecond
  /// Answer to ATZ: clones take up to 2 s. During the search for the speed, the first tries are shorter.
  static let reset: Int64 = 4_000 * millisecond
  static let resetWhileLooking: Int64 = 1_500 * millisecond
  static let resetAtKnownBaud: Int64 = 2_500 * millisecond
  /// Answer to 0100 after ATSP0: all nine protocols, including slow initializations.
  static let search: Int64 = 30_000 * millisecond
  /// Maximum time for the caller to store the codes; after that, the session checks speed and engine speed again.
  static let saving: Int64 = 60_000 * millisecond
  /// Shortest pause between two rounds of the search, regardless of the duration of the first one.
  static let shortestSearchPause: Int64 = 500 * millisecond
  /// Answer to 0100 on one protocol: a K-line's 5-baud initialization takes 3 s and is tried three times.
  static let searchOne: Int64 = 12_000 * millisecond
  static let poll: Int64 = 2_500 * millisecond
  /// Answer on a K-line: if the line has timed out, the adapter initializes it again first.
  static let pollKLine: Int64 = 7_000 * millisecond
  /// Answer after response code 0x78, which extends the time limit to five times the usual one each time it is sent
  /// (SAE J1979, 5.2.2.6).
  static let slowAnswer: Int64 = 8_000 * millisecond
  /// A reply without a reliable prompt is complete after this long without bytes.
  static let quiet: Int64 = 100 * millisecond
  /// If a stream is closed this soon after it was opened, ATZ is not the reason.
  static let hangUpAtOnce: Int64 = 200 * millisecond
  /// Maximum time for which bytes of a device that never stops sending are discarded.
  static let longestDrain: Int64 = 10_000 * millisecond
  /// P3min: pause between a K-line's last answer and the next request (ISO 14230-2, 4.4.1; ISO 9141-2, 6.2.2).
  static let p3min: Int64 = 55 * millisecond
  /// ATLP takes effect one second after its OK; a character sent before that does not wake the adapter.
  static let lowPower: Int64 = 2_000 * millisecond
}

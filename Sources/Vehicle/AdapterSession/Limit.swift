/// Time limits of the dialogue, ns.
enum Limit {
  static let millisecond: Int64 = 1_000_000
  /// Time limit for the answer to a setting.
  static let setting: Int64 = 1_500 * millisecond
  /// Time limit for the answer to ATZ: clones take up to 2 s. While the baud rate is being searched, the first tries
  /// are shorter.
  static let reset: Int64 = 4_000 * millisecond
  static let resetWhileLooking: Int64 = 1_500 * millisecond
  static let resetAtKnownBaud: Int64 = 2_500 * millisecond
  /// Time limit for the answer to 0100 after ATSP0, in which the adapter tries all nine protocols, including slow
  /// initializations.
  static let search: Int64 = 30_000 * millisecond
  /// The longest single wait while the caller stores the codes; afterwards, the session waits again.
  static let saving: Int64 = 60_000 * millisecond
  /// Shortest pause between two rounds of the search, no matter how long the last round took.
  static let shortestSearchPause: Int64 = 500 * millisecond
  /// Time limit for the answer to 0100 on one protocol: a K-line's 5-baud initialization takes 3 s and is tried three
  /// times.
  static let searchOne: Int64 = 12_000 * millisecond
  static let poll: Int64 = 2_500 * millisecond
  /// Time limit for an answer on a K-line. If the ECUs have ended the communication, the adapter first initializes it
  /// again.
  static let pollKLine: Int64 = 7_000 * millisecond
  /// Time limit for an answer after response code 0x78. Each 0x78 extends the ECU's time to five times the usual one
  /// (SAE J1979, 5.2.2.6).
  static let slowAnswer: Int64 = 8_000 * millisecond
  /// If a reply has no reliable prompt, it is complete when no bytes have arrived for this time.
  static let quiet: Int64 = 100 * millisecond
  /// If the peer closes a stream within this time after it was opened, ATZ did not cause this.
  static let hangUpAtOnce: Int64 = 200 * millisecond
  /// Maximum time for which bytes of a device that never stops sending are discarded.
  static let longestDrain: Int64 = 10_000 * millisecond
  /// P3min: pause between a K-line's last answer and the next request (ISO 14230-2, 4.4.1; ISO 9141-2, 6.2.2).
  static let p3min: Int64 = 55 * millisecond
  /// ATLP takes effect one second after its OK. A character that is sent before that does not wake the adapter, so the
  /// session waits this long.
  static let lowPower: Int64 = 2_000 * millisecond
}

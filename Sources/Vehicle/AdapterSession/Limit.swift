/// Time limits and pauses of the dialogue, ns.
enum Limit {
  static let millisecond: Int64 = 1_000_000
  /// Time limit for the answer to a command that sets or queries the adapter.
  static let setting: Int64 = 1_500 * millisecond
  /// Time limit for the answer to ATZ, because clones take up to 2 s.
  static let reset: Int64 = 4_000 * millisecond
  /// Time limit for the answer to ATZ during the first pass through the baud rates, and for the answer to ATWS.
  static let resetWhileLooking: Int64 = 1_500 * millisecond
  /// Time limit for the answer to ATZ at the baud rate that worked in an earlier session, if the rate is not
  /// configured.
  static let resetAtKnownBaud: Int64 = 2_500 * millisecond
  /// Time limit for the answer to 0100 if the adapter searches all protocols (ATSP0), including those with slow
  /// initializations.
  static let search: Int64 = 30_000 * millisecond
  /// Maximum time of one `wait` while the caller stores the codes. Afterwards, the session waits again.
  static let saving: Int64 = 60_000 * millisecond
  /// Minimum pause between two rounds of the search for a vehicle, no matter how long the last round took.
  static let shortestSearchPause: Int64 = 500 * millisecond
  /// Time limit for the answer to 0100 on a single protocol. The 5-baud initialization of a K-line takes 3 s and is
  /// tried three times.
  static let searchOne: Int64 = 12_000 * millisecond
  /// Time limit for an answer on CAN, or on an unknown bus.
  static let poll: Int64 = 2_500 * millisecond
  /// Time limit for an answer on a bus older than CAN. If the ECUs on a K-line have ended the communication, the
  /// adapter must first initialize it again.
  static let pollKLine: Int64 = 7_000 * millisecond
  /// Time limit for an answer that may be delayed by response code 0x78. Each 0x78 extends the ECU's time to five times
  /// the usual one (SAE J1979, 5.2.2.6).
  static let slowAnswer: Int64 = 8_000 * millisecond
  /// If no bytes have arrived for this time, the adapter counts as quiet, and bytes are no longer discarded.
  static let quiet: Int64 = 100 * millisecond
  /// If the peer closes a connection within this time after it was opened, ATZ was not the cause.
  static let hangUpAtOnce: Int64 = 200 * millisecond
  /// Maximum time for which received bytes are discarded, because some devices never stop sending.
  static let longestDrain: Int64 = 10_000 * millisecond
  /// P3min: minimum pause on a K-line between the last answer and the next request (ISO 14230-2, 4.4.1; ISO 9141-2,
  /// 6.2.2).
  static let p3min: Int64 = 55 * millisecond
  /// Minimum time between ATLP and the next command. ATLP takes effect one second after its `OK`, and a character that
  /// is sent earlier does not wake the adapter.
  static let lowPower: Int64 = 2_000 * millisecond
}

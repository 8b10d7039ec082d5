/// The ways in which programs write down what passed between themselves and an adapter, a bus or a receiver.
///
/// A format is found by content, never by file name. Its reader's file shows a true sample line.
public enum CaptureFormat: UInt8, CaseIterable, Sendable {
  /// obdgate's own: `0.328114 < 41 0C 0A A0\r\r>` under `# obdgate-capture 1`.
  case capture
  /// The adapter's bytes themselves: `010C⏎41 0C 1A F8 ⏎⏎>`, with echo or without, lines ended by CR, CR LF or LF.
  case raw
  /// python-OBD's debug log: `[obd.elm327] write: b'010C\r'`.
  case pythonOBD
  /// The log of Ircama's ELM327-emulator: `2026-11-21 09:41:34,434  root  run  DEBUG  Received '010C'`.
  case elm327Emulator
  /// AndrOBD's log: `2017-11-09⇥06:25:41.243⇥FINE⇥com.fr3ts0n.prot⇥…ElmProt@3536fcc3 TX:'ATZ'`.
  case androbd
  /// obdgpslogger's serial log (`-l`): the bytes of both sides in one stream, each command in front of its reply.
  case obdgpslogger
  /// obd2-core's `.obd2raw`: `0.200 W 010C\r`.
  case obd2raw
  /// `>` and `<` in front of each line, as ddt4all, K-line tools and app logs have it; Car Scanner's terminal log.
  case appLog
  /// can-utils' `candump`: `(1436509052.249713) can0 7E8#064100BE3FA813`, or the default `can0  7E8   [8]  06 41 …`.
  case candump
  /// Open Vehicles' CRTD: `1320745424.002 1R11 7E8 06 41 00 BE 3F A8 13`.
  case crtd
  /// `socat -v` (or `-x`): `> 2015/07/10 05:57:32.249713  length=5 from=0 to=4`, then the bytes.
  case socat
  /// A GNSS receiver's bytes: `$GPRMC,…*6A`.
  case nmea

  /// The name that a command line uses (`--format`).
  public var name: StaticString {
    switch self {
    case .capture: "capture"
    case .raw: "raw"
    case .pythonOBD: "python-obd"
    case .elm327Emulator: "elm327-emulator"
    case .androbd: "androbd"
    case .obdgpslogger: "obdgpslogger"
    case .obd2raw: "obd2raw"
    case .appLog: "app-log"
    case .candump: "candump"
    case .crtd: "crtd"
    case .socat: "socat"
    case .nmea: "nmea"
    }
  }

  /// The format of that name; upper and lower case, `-` and `_` do not matter. Nil for no such name.
  public init?(name: some StringProtocol) {
    for format in Self.allCases where Self.sameName("\(format.name)", name) {
      self = format
      return
    }
    return nil
  }

  private static func sameName(_ known: String, _ given: some StringProtocol) -> Bool {
    func plain(_ text: some StringProtocol) -> [UInt8] {
      text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.map {
        (0x41...0x5A) ~= $0 ? $0 + 0x20 : $0
      }
    }
    return plain(known) == plain(given)
  }

  /// A line as it should be: what an error about a damaged line shows beside it.
  public var sample: StaticString {
    switch self {
    case .capture: #"0.328114 < 41 0C 0A A0\r\r>"#
    case .raw: "41 0C 1A F8"
    case .pythonOBD: #"[obd.elm327] write: b'010C\r'"#
    case .elm327Emulator: "2026-11-21 09:41:34,434 - root - DEBUG - Received '010C'"
    case .androbd: "2017-11-09 06:25:41.243 FINE com.fr3ts0n.prot ElmProt@3536fcc3 TX:'010C'"
    case .obdgpslogger: "010C1"
    case .obd2raw: #"0.200 W 010C\r"#
    case .appLog: "12:34:56.789 > 010C"
    case .candump: "(1436509052.249713) can0 7E8#064100BE3FA813"
    case .crtd: "1320745424.002 1R11 7E8 06 41 00 BE 3F A8 13"
    case .socat: "> 2015/07/10 05:57:32.249713  length=5 from=0 to=4"
    case .nmea: "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A"
    }
  }

  /// True where a command can be told from a reply, or the reply's time is known; false for bare byte streams.
  public var hasEvents: Bool { self != .raw && self != .nmea }
}

/// The formats in which programs log a dialogue with an adapter, a bus or a receiver.
///
/// The format is detected from the content, never from the file name. The source file of each format's reader shows a
/// sample.
public enum CaptureFormat: UInt8, CaseIterable, Sendable {
  /// obdgate's own format: `0.328114 < 41 0C 0A A0\r\r>` after `# obdgate-capture 1`.
  case capture
  /// The bytes of the adapter's serial line, unmodified: `010C⏎41 0C 1A F8 ⏎⏎>`, with or without the echo of commands,
  /// with CR, CR LF or LF as line ends.
  case raw
  /// The debug log of python-OBD: `[obd.elm327] write: b'010C\r'`.
  case pythonOBD
  /// The log of Ircama's ELM327-emulator: `2026-11-21 09:41:34,434  root  run  DEBUG  Received '010C'`.
  case elm327Emulator
  /// The log of AndrOBD: `2017-11-09⇥06:25:41.243⇥FINE⇥com.fr3ts0n.prot⇥…ElmProt@3536fcc3 TX:'ATZ'`.
  case androbd
  /// The serial log of obdgpslogger (option `-l`): both directions in one stream, each command followed by its reply.
  case obdgpslogger
  /// The format of obd2-core with the extension `.obd2raw`: `0.200 W 010C\r`.
  case obd2raw
  /// Lines marked with `>` and `<`, as in logs of ddt4all, K-line tools and apps; also Car Scanner's terminal log.
  case appLog
  /// The log of can-utils' `candump`: `(1436509052.249713) can0 7E8#064100BE3FA813`, or candump's default output:
  /// `can0  7E8   [8]  06 41 …`.
  case candump
  /// The CRTD format of Open Vehicles: `1320745424.002 1R11 7E8 06 41 00 BE 3F A8 13`.
  case crtd
  /// The output of `socat -v` or `-x`: `> 2015/07/10 05:57:32.249713  length=5 from=0 to=4`, then the bytes.
  case socat
  /// The bytes of a GNSS receiver: `$GPRMC,…*6A`.
  case nmea

  /// The name on the command line (`--format`).
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

  /// Finds a format by its name, ignoring case, `-` and `_`; `nil` if there is none.
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

  /// A valid line of this format. The error message for an invalid line shows it as an example.
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

  /// Whether the log is divided into events, by direction or time; `false` for streams of bytes.
  public var hasEvents: Bool { self != .raw && self != .nmea }
}

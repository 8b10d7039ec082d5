/// The expected results of a reader for one exchange of `elm/transcripts.jsonl`. They were derived by hand from the
/// bytes and the standards, never from the reader's output.
///
/// Rules of the table:
/// - One reader reads all exchanges of a transcript in order, without settings (protocol and headers automatic). `tx`
///   is the command, and `rx` the bytes (U+00FC is the byte FC). If the prompt is missing, the reply ends with the
///   exchange. `datasheet` is an exception: its examples are from different buses, so each has its own reader.
/// - `messages`: sender (nil without headers) and payload in upper case, in the order of completion. On legacy buses,
///   each frame is a message. A negative response is a message, too.
/// - `readings`: in any order, without support bitmaps (PIDs 00, 20, …) and without flags that only say which other
///   values of the same answer exist. For ``partialPIDs``, other readings of the same PID may occur as well. Service 06
///   is written as `06` and the monitor ID (CAN) or test ID (legacy).
/// - `errors`: kinds as `obdgate decode` names them, in order.
struct ExpectedExchange: Sendable {
  var id: String
  var index: Int
  var messages: [(String?, String)]
  var readings: [(pid: String, value: ExpectedValue)]
  var errors: [String]

  init(
    _ id: String, _ index: Int, _ messages: [(String?, String)] = [],
    _ readings: [(pid: String, value: ExpectedValue)] = [], _ errors: [String] = []
  ) {
    self.id = id
    self.index = index
    self.messages = messages
    self.readings = readings
    self.errors = errors
  }

  /// Returns exchanges in which the adapter reports only about itself: no message, no reading, no error.
  static func quiet(_ id: String, _ indices: Int...) -> [ExpectedExchange] {
    indices.map { ExpectedExchange(id, $0) }
  }
}

/// One value by the formula of SAE J1979-DA, in the unit of the formula.
enum ExpectedValue: Equatable, Sendable {
  /// A quantity, or the code of an enumeration.
  case number(Double)
  /// One bit; compared as a number, it is 0 or 1.
  case flag(Bool)
  /// A text such as the VIN, with every character as it was sent.
  case text(String)
  /// Trouble codes of one ECU, in the order of arrival; empty if the answer contains none.
  case codes([String])
}

/// PIDs for which the table contains only the most important values.
///
/// 0101: the lamp and the number of codes. The support and readiness bits after them have a separate test.
let partialPIDs: Set<String> = ["0101"]

/// Every exchange of every transcript, in the file's order.
let transcriptExpectations: [ExpectedExchange] =
  kLineConnections + canConnections + canAnswers + dodgeSprinter + runTogether + troubleCodes + simulators
  + oddForms + shortFieldLogs + datasheetExamples

private let kLineConnections: [ExpectedExchange] =
  // FC in front of the banner is noise; the echo of ATE0 and its OK are the adapter's own words.
  ExpectedExchange.quiet("volvo-v40-2003", 0, 1, 2) + [
    // ISO 9141-2; the sum AD is right. The source 13 is valid, because no rule requires the engine's ECU to be 10.
    ExpectedExchange("volvo-v40-2003", 3, [("13", "4100BE1FB811")])
  ] + ExpectedExchange.quiet("toyota-yaris-2008-fail", 0, 1) + [
    ExpectedExchange("toyota-yaris-2008-fail", 2, [], [], ["busInit"]),
    ExpectedExchange("toyota-yaris-2008-fail", 3, [], [], ["noData"]),
  ] + ExpectedExchange.quiet("renault-espace-iv", 0, 1, 2, 3, 4) + [
    // A bitmap of zeros is an answer, which means that nothing is supported.
    ExpectedExchange("renault-espace-iv", 5, [("7A", "410000000000")])
  ] + ExpectedExchange.quiet("renault-espace-iv", 6)

private let canConnections: [ExpectedExchange] =
  ExpectedExchange.quiet("mercedes-sprinter-2015", 0, 1, 2, 3) + [
    ExpectedExchange("mercedes-sprinter-2015", 4, [], [("ATRV", .number(14.1))])
  ] + ExpectedExchange.quiet("mercedes-sprinter-2015", 5) + [
    // 7F 01 7F: serviceNotSupportedInActiveSession (ISO 14229-1, A.1).
    ExpectedExchange("mercedes-sprinter-2015", 6, [("7EC", "7F017F")], [], ["negativeResponse"])
  ] + ExpectedExchange.quiet("mercedes-sprinter-2015", 7) + ExpectedExchange.quiet("two-ecu-can-200", 0, 1, 2, 3) + [
    ExpectedExchange("two-ecu-can-200", 4, [], [("ATRV", .number(13.4))])
  ] + ExpectedExchange.quiet("two-ecu-can-200", 5) + [
    ExpectedExchange("two-ecu-can-200", 6, [("7EA", "4100983A8013"), ("7E8", "4100BE3FA813")])
  ] + ExpectedExchange.quiet("can-167", 0, 1, 2) + [
    ExpectedExchange("can-167", 3, [], [("ATRV", .number(13.3))]),
    ExpectedExchange("can-167", 4, [("7E8", "4100BE1FA813")]),
  ] + ExpectedExchange.quiet("can-167", 5)

private let canAnswers: [ExpectedExchange] =
  [
    // The last digit of these commands is the number of answers to wait for, not part of the request.
    ExpectedExchange("can-190-live", 0, [("7E8", "41112D")], [("0111", .number(45 * 100 / 255.0))]),
    ExpectedExchange("can-190-live", 1, [("7E8", "410400")], [("0104", .number(0))]),
    ExpectedExchange("can-190-live", 2, [("7E8", "41057D")], [("0105", .number(85))]),
    ExpectedExchange("can-190-live", 3, [("7E8", "41423183")], [("0142", .number(12.675))]),
    // `?` between echo and banner: the adapter rejected a command. The banner is still ATZ's answer.
    ExpectedExchange("can29-206", 0, [], [], ["unknownCommand"]),
  ] + ExpectedExchange.quiet("can29-206", 1, 2) + [
    ExpectedExchange("can29-206", 3, [(nil, "4100BC3FA803"), (nil, "4100983A8001")])
  ] + ExpectedExchange.quiet("can29-206", 4) + [
    // 13 (hex) bytes: 46 and two results of nine. Scaling ids 81 and FE, value and limits all zero.
    ExpectedExchange(
      "hyundai-tucson-2019-302", 0, [("7E8", "463D88810000000000003D88FE000000000000")],
      [("063D", .number(0)), ("063D", .number(0))]),
    // 0A bytes announced: the last three of the consecutive frame are padding. Scaling id 2F: 0.01 %.
    ExpectedExchange("hyundai-tucson-2019-302", 1, [("7E8", "463C802F000000000000")], [("063C", .number(0))]),
    ExpectedExchange(
      "sim-porsche-vin-151", 0, [("7E8", "4902015750305A5A5A39395A5453333932313234")],
      [("0902", .text("WP0ZZZ99ZTS392124"))]),
    ExpectedExchange("duplicate-134", 0, [], [("ATRV", .number(11.4))]),
    // Identical duplicate single frames give one message.
    ExpectedExchange("duplicate-134", 1, [("7E8", "4100FFFFFFFF")]),
  ] + ExpectedExchange.quiet("duplicate-134", 2)
  // The prompt of ATE0 is late and is the whole reply to ATH1. An empty reply is no error.
  + ExpectedExchange.quiet("ate0-split-160", 0, 1, 2) + [
    ExpectedExchange(
      "bmw-328i-2016-can", 0, [("7E8", "41010007E500"), ("7E9", "410100040000")],
      [("0101", .flag(false)), ("0101", .number(0)), ("0101", .flag(false)), ("0101", .number(0))]),
    // On CAN, the byte after 43 is the number of codes (ISO 15031-5, 7.3): none, twice.
    ExpectedExchange(
      "bmw-328i-2016-can", 1, [("7E8", "4300"), ("7E9", "4300")], [("03", .codes([])), ("03", .codes([]))]),
    ExpectedExchange("bmw-328i-2016-nohdr", 0, [(nil, "4100BE3FA813"), (nil, "410098188011")]),
  ]

/// KWP without spaces. The length (format byte) and the sum of every line are right.
private let dodgeSprinter: [ExpectedExchange] = [
  ExpectedExchange("dodge-sprinter-2005-kwp", 0, [("12", "4100983B2013")]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 1, [("12", "410C0000")], [("010C", .number(0))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 2, [("12", "410D00")], [("010D", .number(0))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 3, [("12", "410539")], [("0105", .number(17))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 4, [], [("ATRV", .number(11.6))]),
  ExpectedExchange(
    "dodge-sprinter-2005-kwp", 5, [("12", "410183038000")], [("0101", .flag(true)), ("0101", .number(3))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 6, [("12", "410400")], [("0104", .number(0))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 7, [("12", "410B64")], [("010B", .number(100))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 8, [("12", "410F38")], [("010F", .number(16))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 9, [("12", "411000F1")], [("0110", .number(2.41))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 10, [("12", "411C01")], [("011C", .number(1))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 11, [("12", "411F0000")], [("011F", .number(0))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 12, [("12", "41210031")], [("0121", .number(49))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 13, [("12", "41230041")], [("0123", .number(650))]),
  // An unlikely lambda, but this is the value of the bytes. The reader does not check plausibility. 39 × 8 / 65536 V.
  ExpectedExchange(
    "dodge-sprinter-2005-kwp", 14, [("12", "412400000027")], [("0124", .number(0)), ("0124", .number(39 / 8192.0))]),
  ExpectedExchange("dodge-sprinter-2005-kwp", 15, [("12", "41301D")], [("0130", .number(29))]),
]

/// The logger removed every CR and the prompt.
private let runTogether: [ExpectedExchange] =
  ExpectedExchange.quiet("mercedes-a180d-can11", 0, 1, 2, 3) + [
    // Echo `AT@2` and answer `?` on one line: the text after the known command is the answer.
    ExpectedExchange("mercedes-a180d-can11", 4, [], [], ["unknownCommand"])
  ] + ExpectedExchange.quiet("mercedes-a180d-can11", 5, 6, 7, 8, 9, 10) + [
    // PID 00 has four bytes. 18 bytes in which 41 00 repeats every six bytes can only be three answers.
    ExpectedExchange(
      "mercedes-a180d-can11", 11, [(nil, "410098180001"), (nil, "4100983BA017"), (nil, "410098180011")])
  ] + ExpectedExchange.quiet("mercedes-a180d-can11", 12, 13, 14) + [
    // The identifier is followed by the length of a single frame, so that the start of the next frame is known (ISO
    // 15765-2, 9.6.2).
    ExpectedExchange(
      "mercedes-a180d-can11", 15, [("7EB", "410098180001"), ("7E8", "4100983BA017"), ("7E9", "410098180011")]),
    ExpectedExchange(
      "mercedes-a180d-can11", 16, [("7EB", "412080018001"), ("7E9", "412080018001"), ("7E8", "4120B819A015")]),
    ExpectedExchange(
      "mercedes-a180d-can11", 17, [("7EB", "410100040000"), ("7E8", "4101000EE968"), ("7E9", "410100040000")],
      [
        ("0101", .flag(false)), ("0101", .number(0)), ("0101", .flag(false)), ("0101", .number(0)),
        ("0101", .flag(false)), ("0101", .number(0)),
      ]),
    ExpectedExchange("jeep-wrangler-2013-canerror", 0, [], [], ["canError"]),
  ]

/// Service 03 on legacy buses: three codes a frame, no count, zeros pad (SAE J1979, 6.3). One list for each ECU.
private let troubleCodes: [ExpectedExchange] =
  ["scantool-sim-kwp", "scantool-sim-9141", "scantool-sim-vpw"].map {
    // The sum (KWP, ISO 9141-2) or the CRC (VPW) of each line is right. The first line is the echo.
    ExpectedExchange(
      $0, 0, [("10", "43010002000300"), ("10", "4343008200C100"), ("18", "43010100000000")],
      [
        ("03", .codes(["P0100", "P0200", "P0300", "C0300", "B0200", "U0100"])),
        ("03", .codes(["P0101"])),
      ])
  } + [
    // Without headers: seven bytes are service and three pairs, the legacy form; CAN's has a count and pairs, so an
    // even number of bytes.
    ExpectedExchange("toyota-camry-2003", 0, [(nil, "43000000000000")], [("03", .codes([]))]),
    ExpectedExchange(
      "impala-ss-2006", 0, [("7E8", "4300"), ("7EA", "4300")], [("03", .codes([])), ("03", .codes([]))]),
    // The source names it PWM, but header 48 6B and the sum are those of ISO 9141-2.
    ExpectedExchange("nissan-maxima-2001", 0, [("10", "43000000000000")], [("03", .codes([]))]),
  ]

private let simulators: [ExpectedExchange] = [
  ExpectedExchange("diamex-sim-kwp", 0, [("10", "4100B87B3010"), ("17", "410080008003")]),
  // Legacy service 06: test ID, component ID, value, limit. Bit 7 of the component only determines the kind of the
  // limit.
  ExpectedExchange(
    "diamex-sim-kwp", 1,
    [("10", "460603005A9C40"), ("10", "460685005A0000"), ("10", "460609096088B8"), ("10", "46068A09600000")],
    [("0606", .number(90)), ("0606", .number(90)), ("0606", .number(2400)), ("0606", .number(2400))]),
  // Three NULs in front and 17 characters, shown unaltered although `-` and `I` make it invalid.
  ExpectedExchange(
    "diamex-sim-kwp", 2,
    [
      ("10", "49020100000057"), ("10", "49020244582D53"), ("10", "490203494D3030"), ("10", "49020431393231"),
      ("10", "49020532333435"),
    ], [("0902", .text("WDX-SIM0019212345"))]),
  // Both refuse: two errors, as two ECUs gave two answers.
  ExpectedExchange(
    "diamex-sim-kwp", 3, [("10", "7F0112"), ("17", "7F0112")], [], ["negativeResponse", "negativeResponse"]),
  ExpectedExchange("diamex-sim-9141", 0, [("10", "4100B87B3010"), ("17", "410080008003")]),
  ExpectedExchange(
    "diamex-sim-9141", 1,
    [
      ("10", "49020100000057"), ("10", "49020244582D53"), ("10", "490203494D3030"), ("10", "49020431393231"),
      ("10", "49020532333435"),
    ], [("0902", .text("WDX-SIM0019212345"))]),
  // 41 6B is a J1850 PWM header and not service 01, PID 6B, because the CRC is right.
  ExpectedExchange("diamex-sim-pwm", 0, [("10", "4100B87B3010"), ("17", "410080008003")]),
]

private let oddForms: [ExpectedExchange] =
  [
    // One byte on each line. Together they are one KWP frame (three bytes announced) with the right sum DC.
    ExpectedExchange("vw-polo-kwp-45", 0, [("1A", "410D00")], [("010D", .number(0))]),
    ExpectedExchange("obd9141-9", 0, [("01", "43011300000000")], [("03", .codes(["P0113"]))]),
    ExpectedExchange("obd9141-41", 0, [("10", "4111F0")], [("0111", .number(240 * 100 / 255.0))]),
  ]
  // LF for CR ends lines just as well.
  + ExpectedExchange.quiet("freediag-1", 0, 1, 2) + [
    ExpectedExchange("freediag-1", 3, [("12", "410F41")], [("010F", .number(25))]),
    // No header has this shape, and the answer begins with 40 + 02: data alone. PID 02 is the code that stored the
    // frame, 00.
    ExpectedExchange("freediag-1", 4, [(nil, "4202001407")], [("0202", .codes(["P1407"]))]),
    // Nine bytes are announced; the FF after them is padding. PID 8B, A = 73: status, type, trigger, average time and
    // distance are supported. B = 02: not regenerating (0), active type (1); FF = 100 %; 0A64 = 2660 min; 0191 = 401
    // km.
    ExpectedExchange(
      "elmduino-285", 0, [(nil, "418B7302FF0A640191")],
      [
        ("018B", .flag(false)), ("018B", .number(1)), ("018B", .number(100)), ("018B", .number(2660)),
        ("018B", .number(401)),
      ]),
    // Nine bytes announced, six delivered (a cut answer gives an error, never a value).
    ExpectedExchange("elmduino-285", 1, [], [], ["truncated"]),
    // PID 7A, A = 01: only the pressure difference is supported, 0064 × 0.01 kPa; inlet and outlet are absent.
    ExpectedExchange("elmduino-281", 0, [(nil, "417A01006400000000")], [("017A", .number(1))]),
    // Three surplus zeros are a clone's CAN padding: PID 0C has two bytes.
    ExpectedExchange("elmduino-130", 0, [(nil, "410C0AF4")], [("010C", .number(701))]),
    ExpectedExchange("elmduino-36", 0, [], [], ["unknownCommand"]),
  ] + ExpectedExchange.quiet("elmduino-36", 1, 2) + [
    // STOPPED written over SEARCHING... on a terminal.
    ExpectedExchange("elmduino-36", 3, [], [], ["stopped"])
  ] + ExpectedExchange.quiet("lemberg-11", 0, 1) + [
    ExpectedExchange("lemberg-11", 2, [], [], ["busInit"])
  ] + ExpectedExchange.quiet("lemberg-11", 3)

private let shortFieldLogs: [ExpectedExchange] =
  [
    ExpectedExchange("field-log-1", 0, [("10", "4100BE3EB811")]),
    ExpectedExchange("field-log-2", 0, [("10", "7F0111")], [], ["negativeResponse"]),
    // The same frame twice is one message: 0 V. Trim FF means that the sensor is not used in the trim calculation (SAE
    // J1979-DA, PIDs 14–1B): it has no value.
    ExpectedExchange("field-log-3", 0, [("7E8", "411500FF")], [("0115", .number(0))]),
    // BUS INIT reports progress and is no error. The only error is its result.
    ExpectedExchange("field-log-4", 0, [], [], ["unableToConnect"]),
    ExpectedExchange("field-log-5", 0, [], [], ["stopped"]),
  ]
  // The banner after ATZ is the expected answer, not an unexpected reset.
  + ExpectedExchange.quiet("field-log-6", 0) + ExpectedExchange.quiet("field-log-7", 0) + [
    // 7F 7F is noise of a wrong baud rate; the question mark is legible.
    ExpectedExchange("field-log-8", 0, [], [], ["unknownCommand"])
  ]

private let datasheetExamples: [ExpectedExchange] = [
  ExpectedExchange("datasheet", 0, [(nil, "4100BE3EB811"), (nil, "410080108000")]),
  ExpectedExchange(
    "datasheet", 1,
    [
      (nil, "49020100000031"), (nil, "49020244344750"), (nil, "49020330305235"), (nil, "49020435423132"),
      (nil, "49020533343536"),
    ], [("0902", .text("1D4GP00R55B123456"))]),
  ExpectedExchange(
    "datasheet", 2, [(nil, "4902013144344750303052353542313233343536")], [("0902", .text("1D4GP00R55B123456"))]),
  // Two ECUs answer, and segments cannot be assigned. The second announcement interrupts the first message, and the
  // following segments may belong to either. One error, no reading.
  ExpectedExchange("datasheet", 3, [], [], ["sequence"]),
  // The legacy form by its odd length; as CAN's it would name P3300 and announce one code in the place of three.
  ExpectedExchange("datasheet", 4, [(nil, "43013300000000")], [("03", .codes(["P0133"]))]),
  // The answer was complete before the buffer overflowed: it is valid, and the loss is reported.
  ExpectedExchange("datasheet", 5, [(nil, "43013300000000")], [("03", .codes(["P0133"]))], ["bufferFull"]),
  // `<DATA ERROR` and `<RX ERROR` make the bytes of their line invalid.
  ExpectedExchange("datasheet", 6, [], [], ["dataError"]),
  ExpectedExchange("datasheet", 7, [], [], ["rxError"]),
  ExpectedExchange("datasheet", 8, [], [], ["adapterError"]),
  ExpectedExchange("datasheet", 9, [], [], ["lowVoltage"]),
  ExpectedExchange("datasheet", 10, [], [], ["stopped"]),
]

import Captures
import Testing

/// A capture in the real syntax of a program, with its expected events. It was written by hand from the programs'
/// sources and logs.
struct Sample: CustomTestStringConvertible {
  let name: String
  let format: CaptureFormat
  let text: String
  let events: [Event]
  var testDescription: String { name }

  var bytes: [UInt8] { Array(text.utf8) }
}

/// 2026-11-21T09:41:34Z
private let noon: Int64 = 1_795_254_094

let samples: [Sample] = [
  Sample(
    name: "obdgate capture", format: .capture,
    text: #"""
      # obdgate-capture 1
      # vehicle: Volvo V40 2003   adapter: ELM327 v1.5   recorded: 2026-06-27T04:04:59.906Z   provenance: own car
      0.200000 > 010C\r
      0.328114 < 41 0C 0A
      # the car was at a light
      0.331020 <  A0\r\r>
      0.350000 g $GPRMC,,V,,,,,,,,,,N*53\r\n
      0.400000 < \xFC\\\x00

      """#,
    events: [
      to("010C\r", .after(0.2)), from("41 0C 0A", .after(0.328114)), from(" A0\r\r>", .after(0.331020)),
      gps("$GPRMC,,V,,,,,,,,,,N*53\r\n", .after(0.35)),
      Event(direction: .fromAdapter, time: .after(0.4), bytes: [0xFC, 0x5C, 0x00]),
    ]),
  Sample(
    name: "raw, echo, CR", format: .raw, text: "ATE1\rOK\r\r>010C\r41 0C 1A F8 \r\r>0902\rNO DATA\r\r>",
    events: [from("ATE1\rOK\r\r>010C\r41 0C 1A F8 \r\r>0902\rNO DATA\r\r>")]),
  Sample(
    name: "raw, no echo, CR LF", format: .raw, text: "\r\n\r\nELM327 v1.5\r\n\r\n>OK\r\n\r\n>41 0C 1A F8\r\n\r\n>",
    events: [from("\r\n\r\nELM327 v1.5\r\n\r\n>OK\r\n\r\n>41 0C 1A F8\r\n\r\n>")]),
  Sample(
    name: "raw, LF", format: .raw, text: "ATZ\nELM327 v1.5\n\n>010C\n41 0C 1A F8\n\n>0105\n<RX ERROR\n\n>",
    events: [from("ATZ\nELM327 v1.5\n\n>010C\n41 0C 1A F8\n\n>0105\n<RX ERROR\n\n>")]),
  Sample(
    name: "python-OBD", format: .pythonOBD,
    text: #"""
      [obd.obd] ======================= python-OBD (v0.7.3) =======================
      [obd.elm327] Initializing ELM327: PORT=/dev/pts/0 BAUD=auto PROTOCOL=auto
      [obd.elm327] write: b'ATZ\r'
      [obd.elm327] wait: 1 seconds
      [obd.elm327] read: b'\xfc\r\r\rELM327 v1.5\r\r>'
      [obd.elm327] write: b'ATE0\r'
      [obd.elm327] read: b'ATE0\rOK'
      1303.75 revolutions_per_minute
      [obd.elm327] write: b'010C\r'
      [obd.elm327] read: b"7E8 04 41 0C 14 5F \r\r>'"

      """#,
    events: [
      to("ATZ\r"),
      Event(direction: .fromAdapter, time: .none, bytes: [0xFC] + Array("\r\r\rELM327 v1.5\r\r>".utf8)),
      to("ATE0\r"), from("ATE0\rOK"), to("010C\r"), from("7E8 04 41 0C 14 5F \r\r>'"),
    ]),
  Sample(
    name: "python-OBD, a program's own logging", format: .pythonOBD,
    text: #"""
      2026-11-21 09:41:34,434 - obd.obd - INFO - Explicit port defined
      2026-11-21 09:41:34,434 - obd.elm327 - DEBUG - write: b'010C\r'
      2026-11-21 09:41:34,460 - obd.elm327 - DEBUG - read: b'41 0C 14 5F \r\r>'

      """#,
    events: [to("010C\r", .at(noon, 434_000)), from("41 0C 14 5F \r\r>", .at(noon, 460_000))]),
  Sample(
    name: "python-OBD, Python 2", format: .pythonOBD,
    text: #"""
      [obd.elm327] write: '0100\r\n'
      [obd.elm327] read: b'41 00 BE 3F A8 13 \r\r>'

      """#, events: [to("0100\r\n"), from("41 00 BE 3F A8 13 \r\r>")]),
  Sample(
    name: "ELM327-emulator, file", format: .elm327Emulator,
    text: #"""
      2026-11-21 09:41:30,100  root       set_defaults    DEBUG    Started.
      2026-11-21 09:41:34,434  root       run             DEBUG    Received '010C'
      2026-11-21 09:41:34,434  root       handle_request  DEBUG    Handling: '010C', header '7E0', ECU '7E0'
      2026-11-21 09:41:34,435  root       handle_response DEBUG    Write: '7E8 04 41 0C 14 5F \r\r>'
      2026-11-21 09:41:34,500  root       run             DEBUG    repeating previous command: '010C'
      2026-11-21 09:41:34,501  root       handle_response DEBUG    Write: 'SEARCHING...'

      """#,
    events: [
      to("010C\r", .at(noon, 434_000)), from("7E8 04 41 0C 14 5F \r\r>", .at(noon, 435_000)),
      to("\r", .at(noon, 500_000)), from("SEARCHING...", .at(noon, 501_000)),
    ]),
  Sample(
    name: "ELM327-emulator, console", format: .elm327Emulator,
    text: #"""
      CMD> 2026-11-21 09:41:34,434 - root - DEBUG - Received 'ATZ'
      2026-11-21 09:41:34,935 - root - DEBUG - Write: '\r\rELM327 v1.5\r\r>'

      """#, events: [to("ATZ\r", .at(noon, 434_000)), from("\r\rELM327 v1.5\r\r>", .at(noon, 935_000))]),
  Sample(
    name: "AndrOBD", format: .androbd,
    text: """
      2026-11-21\t09:41:34.100\tINFO\tAndrOBD\tAndrOBD V2.5.5 starting
      2026-11-21\t09:41:34.243\tFINE\tcom.fr3ts0n.prot\tcom.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 TX:'0100'
      2026-11-21\t09:41:34.244\tFINER\tcom.fr3ts0n.prot\tcom.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 TX:30 31  : 01
      2026-11-21\t09:41:34.280\tFINER\tstream\tcom.fr3ts0n.prot.StreamHandler@1 RX: '53 : S'
      2026-11-21\t09:41:34.286\tFINE\tcom.fr3ts0n.prot\tcom.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 RX:'SEARCHING...'
      2026-11-21\t09:41:34.287\tFINE\tcom.fr3ts0n.prot\tELM rx:'SEARCHING...' (0100)
      2026-11-21\t09:41:34.290\tFINE\tcom.fr3ts0n.prot\tcom.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 RX:'4100BE3FA813'
      2026-11-21\t09:41:34.294\tFINE\tcom.fr3ts0n.prot\tcom.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 RX:'>'

      """,
    events: [
      to("0100\r", .at(noon, 243_000)), from("SEARCHING...\r", .at(noon, 286_000)),
      from("4100BE3FA813\r", .at(noon, 290_000)), from(">", .at(noon, 294_000)),
    ]),
  Sample(
    name: "AndrOBD 2015, level INFO", format: .androbd,
    text: """
      2026-11-21 09:41:34,604 - [INFO::stream::com.fr3ts0n.prot.StreamHandler] - RX Thread started
      2026-11-21 09:41:34,642 - [INFO::com.fr3ts0n.prot::com.fr3ts0n.ecu.prot.ElmProt] - ELM rx:'ELM327v2.1' (ATZ)
      2026-11-21 09:41:34,693 - [INFO::com.fr3ts0n.prot::com.fr3ts0n.ecu.prot.ElmProt] - ELM rx:'SEARCHING...' (0900)
      2026-11-21 09:41:34,800 - [INFO::com.fr3ts0n.prot::com.fr3ts0n.ecu.prot.ElmProt] - ELM rx:'UNABLETOCONNECT' (0900)

      """,
    events: [
      to("ATZ\r", .at(noon, 642_000)), from("ELM327v2.1\r", .at(noon, 642_000)),
      from("\r>", .at(noon, 693_000)), to("0900\r", .at(noon, 693_000)), from("SEARCHING...\r", .at(noon, 693_000)),
      from("UNABLETOCONNECT\r", .at(noon, 800_000)), from("\r>", .at(noon, 800_000)),
    ]),
  Sample(
    name: "obdgpslogger", format: .obdgpslogger,
    text:
      "\r?\r\r>ATZ\rATZ\r\r\rELM327 v1.5\r\r>0100\r0100\r41 00 BE 3F A8 13 \r\r>ATE0\rATE0\rOK\r\r>010C1\r410C1AF8\r\r>",
    events: [
      to("\r"), from("?\r\r>"), to("ATZ\r"), from("ATZ\r\r\rELM327 v1.5\r\r>"), to("0100\r"),
      from("0100\r41 00 BE 3F A8 13 \r\r>"), to("ATE0\r"), from("ATE0\rOK\r\r>"), to("010C1\r"), from("410C1AF8\r\r>"),
    ]),
  Sample(
    name: "obd2raw", format: .obd2raw,
    text: #"""
      # obd2-raw v1
      # transport=serial port=/dev/ttyUSB0 baud=115200
      # started=2026-06-27T04:04:59.906Z
      0.000 N command=010C
      0.200 W 010C\r
      0.310 R.chunk 41 0C 0A
      0.331 R 41 0C 0A A0\r\r>

      """#, events: [to("010C\r", .after(0.2)), from("41 0C 0A A0\r\r>", .after(0.331))]),
  Sample(
    name: "ddt4all", format: .appLog,
    text: """
      ############################################################
      #[10/17/17 14:08:17.570] Init CAN
      ############################################################
      >[10:36:50.980]ATZ
      <[0.11]ATZ

      ELM327 v1.5

      >
      #[10:36:51.000]KeepAlive
      >[10:36:51.339]010C1
      <[0.016]410C1AF8

      >

      """,
    events: [
      to("ATZ\r", .after(0)), from("ATZ\r", .after(0.11)), from("\r", .after(0.11)),
      from("ELM327 v1.5\r", .after(0.11)),
      from("\r", .after(0.11)), from(">", .after(0.11)), to("010C1\r", .after(0.359)),
      from("410C1AF8\r", .after(0.375)),
      from("\r", .after(0.375)), from(">", .after(0.375)),
    ]),
  Sample(
    name: "app log without prompts", format: .appLog,
    text: """
      [23:59:59.500] > 010C
      [23:59:59.600] < 7E8 04 41 0C 1A F8
      [23:59:59.610] < 7E9 04 41 0C 1A F8
      [00:00:00.500] > 010D
      [00:00:00.600] < 7E8 03 41 0D 32

      """,
    events: [
      to("010C\r", .after(0)), from("7E8 04 41 0C 1A F8\r", .after(0.1)), from("7E9 04 41 0C 1A F8\r", .after(0.11)),
      from("\r>", .after(1)), to("010D\r", .after(1)), from("7E8 03 41 0D 32\r", .after(1.1)),
      from("\r>", .after(1.1)),
    ]),
  Sample(
    name: "app log with escapes", format: .appLog,
    text: #"""
      >010C\r
      <41 0C 1A F8 \r\r>
      >ATRV\r
      <12.3V\r\r>

      """#, events: [to("010C\r"), from("41 0C 1A F8 \r\r>"), to("ATRV\r"), from("12.3V\r\r>")]),
  Sample(
    name: "K-line reader", format: .appLog,
    text: """
      2026-11-21 09:41:34\t>>\t\tC2 33 F1 01 05 EC
      2026-11-21 09:41:35\t<<\t\t83 F1 11 41 05 52 1D
      2026-11-21 09:41:36\t>>\t\t010C
      2026-11-21 09:41:37\t<<\t\t84 F1 11 41 0C 1A F8 E5

      """,
    events: [
      to("0105\r", .at(noon)), from("83 F1 11 41 05 52 1D\r", .at(noon + 1)), from("\r>", .at(noon + 2)),
      to("010C\r", .at(noon + 2)), from("84 F1 11 41 0C 1A F8 E5\r", .at(noon + 3)), from("\r>", .at(noon + 3)),
    ]),
  Sample(
    name: "log of replies without white space", format: .appLog,
    text: """
      2026-11-21 09:41:34\t>>\t\t0105
      2026-11-21 09:41:34\t<<\t\t7EB034105527E8034105527E903410552
      2026-11-21 09:41:35\t>>\t\t0902
      2026-11-21 09:41:35\t<<\t\t7E810144902013146547E82146573145543544

      """,
    events: [
      to("0105\r", .at(noon)), from("7EB03410552\r7E803410552\r7E903410552\r", .at(noon)), from("\r>", .at(noon + 1)),
      to("0902\r", .at(noon + 1)), from("7E81014490201314654\r7E82146573145543544\r", .at(noon + 1)),
      from("\r>", .at(noon + 1)),
    ]),
  Sample(
    name: "Car Scanner", format: .appLog,
    text: """
      ===== LOG STARTED: 16.05.2025 17:20:23=====
      =====Version=1.118.0 Build=401180 P=False NoDelayELM327Init=False
      [Connection type: WIFI]

      client = new TcpClient();
      Binding...
      ATZ
      ELM327 v1.3a

      >
      Initialize(initMode=Default)
      ATE0
      OK

      >STI
      ?

      >
      [STSupported=False(ByResponse)]0100
      7E8064100983B2013

      >
      [cmd_reply=] 7E8064100983B2013

      >

      [Trying to decode:
      OK

      >
      ELMFormat=CAN11bit]

      [DecodeResult=True]
      0120
      NO DATA

      >

      """,
    events: [
      to("ATZ\r"), from("ELM327 v1.3a\r"), from("\r"), from(">"), to("ATE0\r"), from("OK\r"), from("\r"), from(">"),
      to("STI\r"), from("?\r"), from("\r"), from(">"), to("0100\r"), from("7E8064100983B2013\r"), from("\r"), from(">"),
      to("0120\r"), from("NO DATA\r"), from("\r"), from(">"),
    ]),
  Sample(
    name: "candump -L", format: .candump,
    text: """
      (1436509052.249713) can0 7DF#0201000000000000
      (1436509052.251000) can0 1A0#0011223344556677
      (1436509052.259713) can0 7E8#064100BE3FA813
      (1436509052.349713) can0 7E0#0209020000000000
      (1436509052.359713) can0 7E8#1014490201314654
      (1436509052.360713) can0 7E0#3000000000000000
      (1436509052.369713) can0 7E8#2146573145543544
      (1436509052.400000) can0 7E0#R
      (1436509052.400000) can0 7DF##1020100

      """,
    events: [
      to("0100\r", .at(1_436_509_052, 249_713)), from("7E8 06 41 00 BE 3F A8 13\r", .at(1_436_509_052, 259_713)),
      from("\r>", .at(1_436_509_052, 349_713)), to("0902\r", .at(1_436_509_052, 349_713)),
      from("7E8 10 14 49 02 01 31 46 54\r", .at(1_436_509_052, 359_713)),
      from("7E8 21 46 57 31 45 54 35 44\r", .at(1_436_509_052, 369_713)),
      from("\r>", .at(1_436_509_052, 400_000)), to("0100\r", .at(1_436_509_052, 400_000)),
      from("\r>", .at(1_436_509_052, 400_000)),
    ]),
  Sample(
    name: "candump, 29 bits, -t z", format: .candump,
    text: """
       (000.000000)  can0  18DB33F1   [8]  02 01 00 00 00 00 00 00
       (000.020000)  can0  18DAF110   [8]  06 41 00 BE 3F A8 13 00   '.A..?...'
       (000.030000)  can0  123   [0]  remote request
       (000.040000)  can0  20000004   [8]  00 00 00 00 00 00 00 00   ERRORFRAME

      """,
    events: [
      to("0100\r", .after(0)), from("18 DA F1 10 06 41 00 BE 3F A8 13 00\r", .after(0.02)), from("\r>", .after(0.02)),
    ]),
  Sample(
    name: "candump, answers alone", format: .candump,
    text: """
        can0  7E8   [8]  04 41 0C 1A F8 00 00 00
        can0  7E9   [8]  04 41 0C 1A F8 00 00 00
        can0  7E8   [8]  04 41 0C 1A F8 00 00 00

      """,
    events: [
      from("7E8 04 41 0C 1A F8 00 00 00\r"), from("7E9 04 41 0C 1A F8 00 00 00\r"), from("\r>"),
      from("7E8 04 41 0C 1A F8 00 00 00\r"), from("\r>"),
    ]),
  Sample(
    name: "CRTD", format: .crtd,
    text: """
      1320745424.000 CXX OVMS CRTD
      1320745424.001 1CEV Event vehicle.on
      1320745424.002 1T11 7DF 02 01 0C 00 00 00 00 00
      1320745424.012 1R11 7E8 04 41 0C 1A F8
      1320745424.020 R29 18DAF110 03 41 0D 32

      """,
    events: [
      to("010C\r", .at(1_320_745_424, 2_000)), from("7E8 04 41 0C 1A F8\r", .at(1_320_745_424, 12_000)),
      from("18 DA F1 10 03 41 0D 32\r", .at(1_320_745_424, 20_000)), from("\r>", .at(1_320_745_424, 20_000)),
    ]),
  Sample(
    name: "socat -v", format: .socat,
    text: #"""
      > 2015/07/10 06:17:32.249713  length=5 from=0 to=4
      010C\r< 2015/07/10 06:17:32.331020  length=17 from=0 to=16
      41 0C 0A A0 \r
      \r
      >> 2015/07/10 06:17:32.431020  length=5 from=5 to=9
      ATI\r
      < 2015/07/10 06:17:32.531020  length=4 from=16 to=19
      OK\r>

      """#,
    events: [
      to("010C\r", .at(1_436_509_052, 249_713)), from("41 0C 0A A0 \r\n\r\n>", .at(1_436_509_052, 331_020)),
      to("ATI\r\n", .at(1_436_509_052, 431_020)), from("OK\r>", .at(1_436_509_052, 531_020)),
    ]),
  Sample(
    name: "socat -x -v", format: .socat,
    text: """
      < 2015/07/10 06:17:32.000249713  length=5 from=0 to=4
       30 31 30 43 0d                                   010C.
      --
      > 2015/07/10 06:17:32.000331020  length=17 from=0 to=16
       34 31 20 30 43 20 30 41 20 41 30 20 0d 0d 3e 0d  41 0C 0A A0 ..>.
       0a                                               .
      --

      """,
    events: [
      to("010C\r", .at(1_436_509_052, 249_713)), from("41 0C 0A A0 \r\r>\r\n", .at(1_436_509_052, 331_020)),
    ]),
  Sample(
    name: "NMEA", format: .nmea,
    text: "# a receiver\n$GPGGA,,,,,,0,,,,,,,,*66\r\n$GPRMC,,V,,,,,,,,,,N*53\r\n",
    events: [gps("# a receiver\n$GPGGA,,,,,,0,,,,,,,,*66\r\n$GPRMC,,V,,,,,,,,,,N*53\r\n")]),
]

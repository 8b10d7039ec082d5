/// Traffic for the benchmark, the same on every machine. It is the output of adapters and receivers, composed from the
/// rules of the buses and from random numbers with a fixed seed.
///
/// Bus types, spaces and headers occur about as often as in 44 published transcripts of real adapters. The bus is known
/// in 34 of the transcripts: 14 CAN with 11-bit identifiers, 2 CAN with 29-bit identifiers, 9 ISO 14230, 8 ISO 9141-2
/// and 1 J1850. 39 transcripts have spaces, and 36 have headers. Each request of service 01 in them has exactly one
/// PID.
struct BenchCorpus {
  /// The log of adapters, as users publish it: usually with spaces and echoes, and with one PID in each request.
  private(set) var adapter: [UInt8] = []
  /// The dialogue of `obdgated` with adapters: with headers, without spaces and echoes, and on CAN with several PIDs in
  /// each request.
  private(set) var live = BenchDialogue()
  private(set) var gps: [UInt8] = []
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Creates the traffic.
  ///
  /// - Parameter size: minimum number of bytes in `adapter`, in the replies of `live`, and in `gps`.
  init(size: Int) {
    adapter.reserveCapacity(size + 65_536)
    gps.reserveCapacity(size + 1024)
    var turn = 0
    while adapter.count < size {
      session(turn)
      turn += 1
    }
    live.reserve(bytes: size + 65_536)
    turn = 0
    while live.replies.count < size {
      liveSession(turn)
      turn += 1
    }
    var second = 0
    while gps.count < size {
      epoch(second)
      second += 1
    }
  }

  /// Returns a random number below `bound`. The generator is xorshift64*, which is fast and makes the same numbers on
  /// every machine.
  private mutating func random(_ bound: UInt64) -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return (state &* 0x2545_F491_4F6C_DD1D) >> 33 % bound
  }

  private mutating func byte() -> UInt8 { UInt8(random(256)) }

  // MARK: Adapter

  /// The PIDs that are polled, with the number of data bytes of each.
  private static let polled: [(pid: UInt8, length: Int)] = [
    (0x0C, 2), (0x0D, 1), (0x04, 1), (0x11, 1), (0x05, 1), (0x0F, 1), (0x10, 2), (0x2F, 1), (0x42, 2), (0x0B, 1),
  ]

  private enum Bus {
    case can11, can29, kwp, iso9141, vpw

    var isCAN: Bool { self == .can11 || self == .can29 }
  }

  private static let buses: [Bus] = [
    .can11, .kwp, .can11, .iso9141, .can29, .can11, .kwp, .can11, .iso9141, .vpw,
  ]

  /// Appends the log of a session on one bus to `adapter`: a VIN and trouble codes in some sessions, then 200 polling
  /// cycles.
  private mutating func session(_ turn: Int) {
    let bus = Self.buses[turn % Self.buses.count]
    let echoes = turn % 3 != 0
    let hasSpaces = turn % 9 != 8
    // Buses and headers repeat after different numbers of sessions, so that all combinations occur.
    let hasHeaders = (turn + turn / 10) % 5 != 4
    text("ATZ\r\r\rELM327 v1.5\r\r>")
    text(hasHeaders ? "ATH1\rOK\r\r>" : "ATH0\rOK\r\r>")
    if !hasSpaces { text("ATS0\rOK\r\r>") }
    if !echoes { text("ATE0\rOK\r\r>") }
    if bus == .can11, hasHeaders {
      exchange("0902", echoes)
      for line in ["7E8 10 14 49 02 01 31 46 54 ", "7E8 21 46 57 31 45 54 35 44 ", "7E8 22 46 43 31 30 31 32 30 "] {
        text(line + "\r")
      }
      end()
      exchange("03", echoes)
      text("7E8 04 43 01 04 20 \r7E9 02 43 00 \r")
      end()
    }
    for _ in 0..<200 {
      for parameter in Self.polled {
        exchange("01" + hexText(parameter.pid, 2), echoes)
        let data = answer([parameter])
        adapter += hasHeaders ? Self.frame(bus, data, hasSpaces) : Self.line("", data, hasSpaces)
        end()
      }
    }
  }

  /// Appends 200 polling cycles of the daemon to `live`. On CAN, a request has six or four PIDs and the number of
  /// expected frames. On other buses, it has one PID.
  private mutating func liveSession(_ turn: Int) {
    let bus = Self.buses[turn % Self.buses.count]
    for _ in 0..<200 {
      var first = 0
      while first < Self.polled.count {
        let end = min(first + (bus.isCAN ? 6 : 1), Self.polled.count)
        let asked = Self.polled[first..<end]
        let data = answer(asked)
        let reply = data.count > 7 ? Self.frames(bus, data) : Self.frame(bus, data, false)
        let count = data.count > 7 ? 1 + data.count / 7 : 1
        let request = asked.reduce("01") { $0 + hexText($1.pid, 2) }
        live.append(command: request + (bus.isCAN ? String(count) : ""), reply: reply + [0x0D, 0x3E])
        first = end
      }
    }
  }

  /// Returns a positive answer to a request for these PIDs, with random values.
  private mutating func answer(_ parameters: some Sequence<(pid: UInt8, length: Int)>) -> [UInt8] {
    var data: [UInt8] = [0x41]
    for (pid, length) in parameters {
      data.append(pid)
      for _ in 0..<length { data.append(byte()) }
    }
    return data
  }

  private mutating func exchange(_ command: String, _ echoes: Bool) { if echoes { text(command + "\r") } }

  private mutating func end() { text("\r>") }

  /// Returns a message of at most seven data bytes as one text line with its header.
  private static func frame(_ bus: Bus, _ data: [UInt8], _ hasSpaces: Bool) -> [UInt8] {
    switch bus {
    case .can11: return line("7E8", [UInt8(data.count)] + data, hasSpaces)
    case .can29: return line("", [0x18, 0xDA, 0xF1, 0x10, UInt8(data.count)] + data, hasSpaces)
    case .kwp:
      let bytes = [0x80 | UInt8(data.count), 0xF1, 0x10] + data
      return line("", bytes + [bytes.reduce(0, &+)], hasSpaces)
    case .iso9141:
      let bytes = [0x48, 0x6B, 0x10] + data
      return line("", bytes + [bytes.reduce(0, &+)], hasSpaces)
    case .vpw:
      let bytes = [0x48, 0x6B, 0x10] + data
      return line("", bytes + [crc(bytes)], hasSpaces)
    }
  }

  /// Returns a longer CAN message as text lines without spaces: a first frame, and consecutive frames. The last frame
  /// is padded with 00.
  private static func frames(_ bus: Bus, _ data: [UInt8]) -> [UInt8] {
    let identifier = bus == .can11 ? "7E8" : "18DAF110"
    var text = line(identifier, [0x10, UInt8(data.count)] + data[..<6], false)
    var first = 6
    var index: UInt8 = 1
    while first < data.count {
      var bytes = [0x20 | index] + data[first..<min(first + 7, data.count)]
      while bytes.count < 8 { bytes.append(0) }
      text += line(identifier, bytes, false)
      first += 7
      index += 1
    }
    return text
  }

  private static func line(_ identifier: String, _ bytes: [UInt8], _ hasSpaces: Bool) -> [UInt8] {
    let separator = hasSpaces ? " " : ""
    let text = bytes.reduce(identifier.isEmpty ? "" : identifier + separator) { $0 + hexText($1, 2) + separator }
    return Array(text.utf8) + [0x0D]
  }

  /// Returns the checksum of SAE J1850: polynomial 1D, initial value FF, result inverted. The bitwise algorithm is
  /// sufficient, because its time is not measured.
  private static func crc(_ bytes: [UInt8]) -> UInt8 {
    var register: UInt8 = 0xFF
    for byte in bytes {
      register ^= byte
      for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x1D }
    }
    return ~register
  }

  private mutating func text(_ text: String) { adapter.append(contentsOf: text.utf8) }

  // MARK: GPS

  /// Appends the sentences of one second to `gps`. The receiver moves north-east.
  private mutating func epoch(_ second: Int) {
    let time = padded(second / 3600 % 24, 2) + padded(second / 60 % 60, 2) + padded(second % 60, 2) + ".00"
    let latitude = "48" + padded(second / 100 % 60, 2) + "." + padded(Int(random(100_000)), 5)
    let longitude = "0115" + String(second / 200 % 10) + "." + padded(Int(random(100_000)), 5)
    let speed = padded(Int(random(70)), 3) + "." + String(random(10))
    let course = padded(Int(random(360)), 3) + ".4"
    let position = latitude + ",N," + longitude + ",E"
    sentence("GPGGA," + time + "," + position + ",1,08,0.9,545.4,M,46.9,M,,")
    sentence("GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1")
    if second % 5 == 0 {
      sentence("GPGSV,2,1,08,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45")
      sentence("GPGSV,2,2,08,09,47,051,32,24,46,325,29,27,13,134,18,30,59,227,31")
    }
    sentence("GPRMC," + time + ",A," + position + "," + speed + "," + course + ",040526,,,A")
    sentence("GPVTG," + course + ",T,,M," + speed + ",N,041.5,K,A")
  }

  private mutating func sentence(_ body: String) {
    let checksum = body.utf8.reduce(0, ^)
    gps.append(contentsOf: ("$" + body + "*" + hexText(checksum, 2) + "\r\n").utf8)
  }

  private func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}

/// Traffic for the benchmark, the same on every machine: what adapters and receivers print, composed from the rules of
/// the buses and a small generator of numbers.
struct BenchCorpus {
  private(set) var adapter: [UInt8] = []
  private(set) var gps: [UInt8] = []
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// - Parameter size: bytes of each part, at least.
  init(size: Int) {
    adapter.reserveCapacity(size + 65_536)
    gps.reserveCapacity(size + 1024)
    var turn = 0
    while adapter.count < size {
      session(turn)
      turn += 1
    }
    var second = 0
    while gps.count < size {
      epoch(second)
      second += 1
    }
  }

  /// xorshift64*: fast, and the same everywhere.
  private mutating func random(_ bound: UInt64) -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return (state &* 0x2545_F491_4F6C_DD1D) >> 33 % bound
  }

  private mutating func byte() -> UInt8 { UInt8(random(256)) }

  // MARK: Adapter

  /// The PIDs that a gateway polls, with the length of each.
  private static let polled: [(pid: UInt8, length: Int)] = [
    (0x0C, 2), (0x0D, 1), (0x04, 1), (0x11, 1), (0x05, 1), (0x0F, 1), (0x10, 2), (0x2F, 1), (0x42, 2), (0x0B, 1),
  ]

  private enum Bus { case can11, can29, kwp, iso9141, vpw }

  /// Two hundred turns of polling on one bus, with a VIN and trouble codes at their beginning.
  private mutating func session(_ turn: Int) {
    let buses: [Bus] = [.can11, .can11, .can11, .can29, .can11, .kwp, .can11, .can29, .iso9141, .vpw]
    let bus = buses[turn % buses.count]
    let echoes = turn % 3 != 0
    text("ATZ\r\r\rELM327 v1.5\r\r>ATH1\rOK\r\r>")
    if !echoes { text("ATE0\rOK\r\r>") }
    if bus == .can11 {
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
      for (pid, length) in Self.polled {
        exchange("01" + hexText(pid, 2), echoes)
        var data: [UInt8] = [0x41, pid]
        for _ in 0..<length { data.append(byte()) }
        frame(bus, data)
        end()
      }
    }
  }

  private mutating func exchange(_ command: String, _ echoes: Bool) { if echoes { text(command + "\r") } }

  private mutating func end() { text("\r>") }

  private mutating func frame(_ bus: Bus, _ data: [UInt8]) {
    var bytes: [UInt8]
    switch bus {
    case .can11:
      text("7E8 ")
      bytes = [UInt8(data.count)] + data
    case .can29: bytes = [0x18, 0xDA, 0xF1, 0x10, UInt8(data.count)] + data
    case .kwp:
      bytes = [0x80 | UInt8(data.count), 0xF1, 0x10] + data
      bytes.append(bytes.reduce(0, &+))
    case .iso9141:
      bytes = [0x48, 0x6B, 0x10] + data
      bytes.append(bytes.reduce(0, &+))
    case .vpw:
      bytes = [0x48, 0x6B, 0x10] + data
      bytes.append(Self.crc(bytes))
    }
    for byte in bytes {
      digit(byte >> 4)
      digit(byte)
      adapter.append(0x20)
    }
    adapter.append(0x0D)
  }

  /// SAE J1850: polynomial 1D, FF in front, complement at the end; bit by bit, for it is not what is measured.
  private static func crc(_ bytes: [UInt8]) -> UInt8 {
    var register: UInt8 = 0xFF
    for byte in bytes {
      register ^= byte
      for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x1D }
    }
    return ~register
  }

  private mutating func digit(_ nibble: UInt8) {
    let low = nibble & 0x0F
    adapter.append(low < 10 ? 0x30 + low : 0x37 + low)
  }

  private mutating func text(_ text: String) { adapter.append(contentsOf: text.utf8) }

  // MARK: GPS

  /// One second of a receiver driving north-east.
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

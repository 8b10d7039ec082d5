import Glibc
import NMEAWire
import OBDWire
import Telemetry

/// The result of one part of the benchmark.
struct BenchPart {
  /// Number of bytes that were parsed or written in all rounds.
  var bytes = 0
  var seconds = 0.0
  /// Number of replies, sentences or records in all rounds.
  var count = 0
  /// Number of readings, fixes or values in all rounds.
  var values = 0
  /// Checksum of the results of one round, in their order. It is the same for every round.
  var checksum: UInt64 = 0

  func row(_ what: String, _ unit: String) -> String {
    let speed = Self.rounded(Double(bytes) / seconds / 1e6)
    let rate = Self.rounded(Double(count) / seconds / 1e6)
    return "\(what): \(speed) MB/s, \(rate) M \(unit)/s, \(values) values, checksum \(hexText(checksum, 16))"
  }

  func write(_ name: StaticString, unit: StaticString, _ encoder: inout JSONLineEncoder) {
    encoder.beginObject(name)
    encoder.key("bytes")
    encoder.value(bytes)
    encoder.key("seconds")
    encoder.value(seconds)
    encoder.key(unit)
    encoder.value(count)
    encoder.key("values")
    encoder.value(values)
    encoder.key("checksum")
    encoder.value(hexText(checksum, 16))
    encoder.end()
  }

  private static func rounded(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}

/// Measures each part of the benchmark. All memory is allocated before the first round of a part.
struct BenchRun {
  /// The result for the log of adapters.
  private(set) var adapter = BenchPart()
  /// The result for the dialogue of the daemon if each read returns a whole reply; `nil` if files are measured.
  private(set) var live: BenchPart?
  /// The result for the dialogue of the daemon if reads return 1 to 64 bytes; `nil` if files are measured.
  private(set) var liveInShortReads: BenchPart?
  private(set) var nmea = BenchPart()
  private(set) var records = BenchPart()

  /// Number of bytes in one call of the reader. One read from a port returns at most this many.
  private static let chunk = 1 << 16

  init(_ traffic: BenchTraffic, iterations: Int) {
    measureAdapter(traffic.adapter, iterations)
    if let dialogue = traffic.live {
      live = Self.measured(dialogue, iterations, readsAreShort: false)
      liveInShortReads = Self.measured(dialogue, iterations, readsAreShort: true)
    }
    measureNMEA(traffic.gps, iterations)
    measureRecords(iterations)
  }

  private mutating func measureAdapter(_ bytes: [UInt8], _ iterations: Int) {
    var reader = ReplyReader()
    var tally = Tally()
    let start = Self.now()
    for _ in 0..<iterations {
      tally.checksum = 0
      Self.chunks(of: bytes) { reader.receive($0, into: &tally) }
    }
    adapter = tally.part(bytes: bytes.count * iterations, seconds: Self.now() - start)
  }

  /// Measures the reader as the daemon uses it. For each reply, the reader receives the command, then the bytes of the
  /// reply.
  private static func measured(_ dialogue: BenchDialogue, _ iterations: Int, readsAreShort: Bool) -> BenchPart {
    var reader = ReplyReader()
    var tally = Tally()
    let replies = dialogue.replies.span
    let start = now()
    for _ in 0..<iterations {
      tally.checksum = 0
      var command = 0
      var first = 0
      var size = 1
      for k in dialogue.replyEnds.indices {
        reader.sent(dialogue.commands.span.extracting(command..<dialogue.commandEnds[k]), into: &tally)
        command = dialogue.commandEnds[k]
        let end = dialogue.replyEnds[k]
        while first < end {
          let next = readsAreShort ? min(first + size, end) : end
          reader.receive(replies.extracting(first..<next), into: &tally)
          first = next
          // The sizes form a sequence that contains each number from 1 to 64 once and then repeats.
          size = (size * 5 + 2) % 64 + 1
        }
      }
    }
    return tally.part(bytes: dialogue.replies.count * iterations, seconds: now() - start)
  }

  private mutating func measureNMEA(_ bytes: [UInt8], _ iterations: Int) {
    var tally = Tally()
    let start = Self.now()
    for _ in 0..<iterations {
      var reader = FixReader()
      tally.checksum = 0
      Self.chunks(of: bytes) { reader.receive($0, into: &tally) }
      reader.finish(into: &tally)
    }
    nmea = tally.part(bytes: bytes.count * iterations, seconds: Self.now() - start)
  }

  /// Measures how fast telemetry records with 15 values are encoded, including their heads.
  private mutating func measureRecords(_ iterations: Int) {
    var encoder = JSONLineEncoder()
    let epoch = UUIDv7(milliseconds: 0, seed: 1, number: 0)
    var part = BenchPart()
    let start = Self.now()
    for _ in 0..<iterations {
      part.checksum = 0
      for sequence in 1...20_000 {
        let time = Int64(sequence) * 1_000_000_000
        let head = RecordHead(
          type: .telemetry, id: UUIDv7(milliseconds: UInt64(sequence) * 1000, seed: 1, number: UInt64(sequence)),
          time: .wall(Timestamp(nanoseconds: time), .system), gatewayId: "gw-17", vehicleId: "VAN-001", epoch: epoch,
          sequence: UInt64(sequence))
        encoder.begin()
        head.write(to: &encoder)
        Self.writeValues(Double(sequence), &encoder)
        encoder.finish()
        part.bytes += encoder.count
        part.checksum = part.checksum &* 31 &+ UInt64(encoder.count)
        part.count += 1
        part.values += 15
      }
    }
    part.seconds = Self.now() - start
    records = part
  }

  private static func writeValues(_ step: Double, _ encoder: inout JSONLineEncoder) {
    func value(_ name: StaticString, _ number: Double) {
      encoder.key(name)
      encoder.value(number)
    }
    value("rpm", 800 + step / 4)
    value("speed", 88)
    value("engineLoad", 100 / 255 * 87)
    value("throttlePosition", 100 / 255 * 41)
    value("coolantTemp", 89)
    value("intakeAirTemp", 24)
    value("maf", 12.34)
    value("fuelLevel", 100 / 255 * 150)
    value("controlModuleVoltage", 14.087)
    value("intakeManifoldAbsolutePressure", 64)
    value("latitude", 48.117300123)
    value("longitude", 11.516667321)
    value("altitude", 545.4)
    value("heading", 84.4)
    value("gpsSpeed", 87.6)
  }

  private static func chunks(of bytes: [UInt8], _ body: (Span<UInt8>) -> Void) {
    var first = 0
    while first < bytes.count {
      let end = min(first + chunk, bytes.count)
      body(bytes.span.extracting(first..<end))
      first = end
    }
  }

  /// Returns the processor time that this thread has used, s. It does not include the time of other work of the
  /// machine.
  private static func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Counts the results of a reader, and adds each of them to a checksum.
  private struct Tally: ReplyHandler, FixHandler {
    var count = 0
    var values = 0
    var checksum: UInt64 = 0

    @inline(__always)
    private mutating func mix(_ value: UInt64) {
      checksum = (checksum ^ value) &* 0x9E37_79B9_7F4A_7C15
      checksum ^= checksum >> 29
    }

    mutating func reading(_ reading: Reading) {
      values += 1
      mix(reading.value.bitPattern ^ UInt64(reading.signal.rawValue) << 32 ^ UInt64(reading.origin.ecu.sortKey))
    }
    mutating func failure(_ error: WireError, line: Span<UInt8>) { mix(UInt64(error.kind.rawValue) + 1) }
    mutating func endOfReply(position: UInt64) { count += 1 }

    mutating func fix(_ fix: Fix) {
      values += 1
      mix((fix.latitude ?? 0).bitPattern ^ (fix.longitude ?? 0).bitPattern &* 3)
      mix((fix.speed ?? 0).bitPattern ^ UInt64(fix.time?.secondOfDay ?? 0))
    }
    mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) {
      mix(UInt64(reason.rawValue) + 1)
    }
    mutating func accepted(_ kind: SentenceKind) { count += 1 }

    func part(bytes: Int, seconds: Double) -> BenchPart {
      BenchPart(bytes: bytes, seconds: seconds, count: count, values: values, checksum: checksum)
    }
  }
}

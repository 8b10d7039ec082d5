import ArgumentParser
import NMEAWire
import Telemetry

/// `obdgate nmea`: NMEA 0183 in, one fix a line out.
struct NMEACommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nmea",
    abstract: "Reads NMEA 0183 and writes one line for each epoch, fix or not.",
    discussion: """
      {"timestamp":"2026-05-04T10:00:00.000Z","fixType":"3d","latitude":48.1173,"longitude":11.516667,"altitude":545.4,\
      "gpsSpeed":41.5,"heading":84.4,"hdop":0.9,"satellites":8}

      No position unless the receiver calls the fix valid. Without a known date, timeOfDay stands for timestamp. \
      Rejected sentences are counted by reason on stderr at the end.
      """)

  @Argument(help: "A file of NMEA sentences; - or nothing: standard input.")
  var file = "-"

  func run() throws {
    do {
      try read()
    } catch let failure as Failure {
      throw failure.reported(by: "nmea")
    }
  }

  private func read() throws {
    let input = try InputFile(path: file)
    var block = [UInt8](repeating: 0, count: 1 << 18)
    var reader = FixReader()
    var writer = FixWriter()
    var total = 0
    while true {
      // What came is written before more is waited for: a receiver on a pipe speaks once a second.
      try writer.output.flush()
      let count = try input.read(into: &block)
      if count == 0 { break }
      total += count
      reader.receive(block.span.extracting(first: count), into: &writer)
      if let stop = writer.stop { throw stop }
    }
    reader.finish(into: &writer)
    if let stop = writer.stop { throw stop }
    try writer.output.flush()
    writer.sayRejected()
    if total == 0 { throw Failure(.badData, "\(input.path): empty: expected NMEA 0183 sentences ($GPRMC,…*hh)") }
    if writer.accepted == 0 {
      throw Failure(.badData, "\(input.path): no NMEA 0183 sentence in it: expected lines such as $GPRMC,…*hh")
    }
  }
}

/// Writes each fix as a line.
private struct FixWriter: ~Copyable, FixHandler {
  var output = OutputStream()
  private(set) var accepted = 0
  /// Why writing ended.
  private(set) var stop: (any Error)?
  private var encoder = JSONLineEncoder(capacity: 1024)
  private var rejected = [Int](repeating: 0, count: 256)
  private var reasons: [RejectReason] = []

  mutating func fix(_ fix: Fix) {
    guard stop == nil else { return }
    encoder.begin()
    FixText.write(fix, into: &encoder)
    encoder.finish()
    do { try output.write(encoder) } catch { stop = error }
  }

  mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) {
    if rejected[Int(reason.rawValue)] == 0 { reasons.append(reason) }
    rejected[Int(reason.rawValue)] += 1
  }

  mutating func accepted(_ kind: SentenceKind) { accepted += 1 }

  func sayRejected() {
    guard !reasons.isEmpty else { return }
    let counts = reasons.map { "\($0.name) \(rejected[Int($0.rawValue)])" }
    StandardError.say("obdgate nmea: rejected sentences: \(counts.joined(separator: ", "))")
  }
}

/// A fix as `nmea` writes it.
enum FixText {
  /// Writes the keys of a fix into the open object; what the receiver did not say is absent.
  static func write(_ fix: Fix, into encoder: inout JSONLineEncoder) {
    if let time = fix.time {
      let clock =
        digits(time.hour, 2) + ":" + digits(time.minute, 2) + ":" + digits(time.second, 2) + "."
        + digits(time.nanosecond / 1_000_000, 3)
      if let date = fix.date {
        encoder.key("timestamp")
        encoder.value(
          digits(date.year, 4) + "-" + digits(date.month, 2) + "-" + digits(date.day, 2) + "T" + clock + "Z")
      } else {
        encoder.key("timeOfDay")
        encoder.value(clock + "Z")
      }
    }
    encoder.key("fixType")
    encoder.value(fix.type.name)
    if let latitude = fix.latitude, let longitude = fix.longitude {
      encoder.key("latitude")
      encoder.value(latitude, decimals: 9)
      encoder.key("longitude")
      encoder.value(longitude, decimals: 9)
    }
    number("altitude", fix.altitude, &encoder)
    number("gpsSpeed", fix.speed, &encoder)
    number("heading", fix.course, &encoder)
    number("trueHeading", fix.trueHeading, &encoder)
    number("hdop", fix.hdop, &encoder)
    if let satellites = fix.satellites {
      encoder.key("satellites")
      encoder.value(satellites)
    }
    number("horizontalError", fix.horizontalError, &encoder)
  }

  private static func number(_ name: StaticString, _ value: Double?, _ encoder: inout JSONLineEncoder) {
    guard let value else { return }
    encoder.key(name)
    encoder.value(value)
  }

  private static func digits(_ value: Int, _ count: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}

import ArgumentParser
import CommandLineSupport
import Failures
import NMEAWire
import Telemetry

/// `obdgate nmea`: converts NMEA 0183 to JSON lines, one for each epoch.
struct NMEACommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nmea",
    abstract: "Reads NMEA 0183 and writes one line for each epoch, with or without a fix.",
    discussion: """
      {"timestamp":"2026-05-04T10:00:00.000Z","fixType":"3d",
       "latitude":48.1173,"longitude":11.516667,"altitude":545.4,
       "gpsSpeed":41.5,"heading":84.4,"hdop":0.9,"satellites":8}

      A line has a position only if the receiver reports a valid fix. If the date is unknown, it has timeOfDay instead of \
      timestamp. At the end, rejected sentences are counted by reason on stderr.
      """)

  @Argument(help: "A file of NMEA sentences, or - for standard input.", completion: .file())
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
      // Write the fixes before waiting for input, because a receiver that is connected by a pipe may send only once a
      // second.
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
    writer.printRejected()
    if total == 0 { throw Failure(.badData, "\(input.path): empty: expected NMEA 0183 sentences ($GPRMC,…*hh)") }
    if writer.accepted == 0 {
      throw Failure(.badData, "\(input.path): no NMEA 0183 sentence in it: expected lines such as $GPRMC,…*hh")
    }
  }
}

/// Writes each fix of a reader as one JSON line.
private struct FixWriter: ~Copyable, FixHandler {
  var output = OutputStream()
  private(set) var accepted = 0
  /// The error that ended the output; `nil` if there was none.
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

  func printRejected() {
    guard !reasons.isEmpty else { return }
    let counts = reasons.map { "\($0.name) \(rejected[Int($0.rawValue)])" }
    StandardError.print("obdgate nmea: rejected sentences: \(counts.joined(separator: ", "))")
  }
}

/// Encodes fixes in the format of `obdgate nmea`.
enum FixText {
  /// Writes the keys of a fix into the JSON object that the encoder has begun. Unknown values are left out.
  static func write(_ fix: Fix, into encoder: inout JSONLineEncoder) {
    if let time = fix.time {
      let text = text(of: time, on: fix.date)
      if fix.date != nil {
        encoder.field(JSONMemberName(",\"timestamp\":"), text: text.span)
      } else {
        encoder.field(JSONMemberName(",\"timeOfDay\":"), text: text.span.extracting(last: timeLength))
      }
    }
    encoder.field(JSONMemberName(",\"fixType\":"), text: fix.type.name)
    if let latitude = fix.latitude, let longitude = fix.longitude {
      encoder.field(JSONMemberName(",\"latitude\":"), coordinate: latitude)
      encoder.field(JSONMemberName(",\"longitude\":"), coordinate: longitude)
    }
    if let altitude = fix.altitude { encoder.field(JSONMemberName(",\"altitude\":"), altitude) }
    if let speed = fix.speed { encoder.field(JSONMemberName(",\"gpsSpeed\":"), speed) }
    if let course = fix.course { encoder.field(JSONMemberName(",\"heading\":"), course) }
    if let heading = fix.trueHeading { encoder.field(JSONMemberName(",\"trueHeading\":"), heading) }
    if let hdop = fix.hdop { encoder.field(JSONMemberName(",\"hdop\":"), hdop) }
    if let satellites = fix.satellites { encoder.field(JSONMemberName(",\"satellites\":"), Double(satellites)) }
    if let error = fix.horizontalError { encoder.field(JSONMemberName(",\"horizontalError\":"), error) }
  }

  /// Length of a time such as `10:00:00.000Z`, bytes.
  private static var timeLength: Int { 13 }

  /// Returns a time in the form `2026-05-04T10:00:00.000Z`. Without a date, only the last ``timeLength`` bytes are
  /// valid.
  @inline(__always)
  private static func text(of time: TimeOfDay, on date: CalendarDate?) -> InlineArray<24, UInt8> {
    var text = InlineArray<24, UInt8>(repeating: UInt8(ascii: "Z"))
    if let date {
      let year = UInt32(truncatingIfNeeded: date.year)
      putPair(year / 100, at: 0, &text)
      putPair(year % 100, at: 2, &text)
      text[4] = UInt8(ascii: "-")
      putPair(UInt32(truncatingIfNeeded: date.month), at: 5, &text)
      text[7] = UInt8(ascii: "-")
      putPair(UInt32(truncatingIfNeeded: date.day), at: 8, &text)
      text[10] = UInt8(ascii: "T")
    }
    putPair(UInt32(truncatingIfNeeded: time.hour), at: 11, &text)
    text[13] = UInt8(ascii: ":")
    putPair(UInt32(truncatingIfNeeded: time.minute), at: 14, &text)
    text[16] = UInt8(ascii: ":")
    putPair(UInt32(truncatingIfNeeded: time.second), at: 17, &text)
    text[19] = UInt8(ascii: ".")
    let milliseconds = UInt32(truncatingIfNeeded: time.nanosecond) / 1_000_000
    text[20] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: milliseconds / 100)
    putPair(milliseconds % 100, at: 21, &text)
    return text
  }

  /// Writes a number below 100 as two digits.
  @inline(__always)
  private static func putPair(_ number: UInt32, at index: Int, _ text: inout InlineArray<24, UInt8>) {
    text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
    text[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
  }
}

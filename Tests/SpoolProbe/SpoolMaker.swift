import Glibc
import Spool
import Telemetry

/// Prints a line on standard output in one write(2), so that it is complete even if the process is killed after it.
func printLine(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  let written = unsafe write(STDOUT_FILENO, bytes, bytes.count)
  if written != bytes.count { exit(1) }
}

/// Makes records: `"rpm":n`, about 400 bytes.
struct Maker: ~Copyable {
  private var line = JSONLineEncoder()

  /// Appends record `number`, as an event if `isEvent` is true.
  mutating func append(_ number: Int, isEvent: Bool = false, to spool: inout Spool) {
    line.begin()
    RecordHead(
      type: isEvent ? .driving : .telemetry, id: UUIDv7(milliseconds: 1, first: 2, rest: UInt64(number)),
      time: .elapsed(nanoseconds: Int64(number) * 1_000_000), gatewayId: "gw-0123456789abcdef",
      vehicleId: "WVWZZZ1KZ6W000001", epoch: UUIDv7(milliseconds: 0, first: 0, rest: 0), sequence: 1
    ).write(to: &line)
    line.field("rpm", number)
    line.field("speed", Double(number % 130) + 0.5)
    line.field("coolantTemp", 90)
    line.field("engineLoad", 31.372549, decimals: 6)
    line.field("latitude", 59.437 + Double(number % 1_000) / 1e5)
    line.field("longitude", 24.7535 + Double(number % 1_000) / 1e5)
    line.field("altitude", 38.2)
    line.field("heading", 271.5)
    line.field("gpsSpeed", 49.8)
    line.field("satellites", 12)
    line.finish()
    do throws(RecordFormError) {
      try spool.append(line.line, at: Int64(number) * 1_000_000)
    } catch {
      printLine("refused \(error)")
      exit(1)
    }
  }

  /// Appends a `gap` record for each loss.
  mutating func reportLosses(to spool: inout Spool) {
    while let loss = spool.popLoss() {
      let range = loss.sequences ?? 0...0
      printLine("loss \(loss.reason.name) \(range.lowerBound) \(range.upperBound) \(loss.count.map { "\($0)" } ?? "?")")
      guard let gap = loss.gap else { continue }
      line.record(
        RecordHead(
          type: .gap, id: UUIDv7(milliseconds: 1, first: 3, rest: range.lowerBound), time: .elapsed(nanoseconds: 0),
          gatewayId: "gw", vehicleId: "v", epoch: UUIDv7(milliseconds: 0, first: 0, rest: 0), sequence: 1), gap)
      do throws(RecordFormError) {
        try spool.append(line.line, at: 0, explaining: loss)
      } catch {
        printLine("refused \(error)")
        exit(1)
      }
    }
  }
}

extension SpoolOptions {
  init(_ folder: String, sinks: [String] = ["a"]) {
    self.init(folder: folder, sinks: sinks) {
      var random = SystemRandomNumberGenerator()
      return UUIDv7(milliseconds: 1, first: random.next(), rest: random.next())
    }
  }
}

/// The same numbers for the same seed (SplitMix64).
struct Reproducible: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}

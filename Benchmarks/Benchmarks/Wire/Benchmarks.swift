import Benchmark
import NMEAWire
import OBDWire
import Telemetry

/// Adds up what it is given, so that nothing is optimised away.
struct Sum: FixHandler, ReplyHandler {
  var total = 0.0

  mutating func fix(_ fix: Fix) { total += 1 }
  mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) { total -= 1 }
  mutating func reading(_ reading: Reading) { total += reading.value }
  mutating func failure(_ error: WireError, line: Span<UInt8>) { total -= 1 }
}

/// Instructions are what stays the same on a busy machine.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.instructions, .wallClock, .throughput], maxDuration: .seconds(5), maxIterations: 200)

  Benchmark("OBDWire: adapter transcript to readings") { benchmark in
    let bytes = Traffic.adapter
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      var reader = ReplyReader()
      var sum = Sum()
      reader.receive(bytes.span, into: &sum)
      blackHole(sum.total)
    }
  }

  Benchmark("NMEAWire: sentences to fixes") { benchmark in
    let bytes = Traffic.gps
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      var reader = FixReader()
      var sum = Sum()
      reader.receive(bytes.span, into: &sum)
      reader.finish(into: &sum)
      blackHole(sum.total)
    }
  }

  Benchmark("Telemetry: record of 15 values to a JSON line", configuration: .init(scalingFactor: .kilo)) { benchmark in
    var line = JSONLineEncoder()
    let head = RecordHead(
      type: .telemetry, id: UUIDv7(milliseconds: 1_774_260_000_000, seed: 1, number: 1),
      time: .elapsed(nanoseconds: 1_500_000_000), gatewayId: "gw-17", vehicleId: "VAN-001",
      epoch: UUIDv7(milliseconds: 1_774_260_000_000, seed: 2, number: 1), sequence: 1)
    benchmark.startMeasurement()
    for round in benchmark.scaledIterations {
      line.begin()
      head.write(to: &line)
      write(values: Double(round), to: &line)
      line.finish()
      blackHole(line.count)
    }
  }
}

private func write(values base: Double, to line: inout JSONLineEncoder) {
  line.field("rpm", 1_726.25 + base)
  line.field("speed", 87.0)
  line.field("throttlePosition", 18.823529411764707)
  line.field("engineLoad", 42.3)
  line.field("coolantTemp", 90.0)
  line.field("intakeAirTemp", 31.0)
  line.field("maf", 12.34)
  line.field("fuelLevel", 61.5)
  line.field("fuelRate", 6.85)
  line.field("controlModuleVoltage", 14.112)
  line.field("latitude", 48.1173)
  line.field("longitude", 11.522066666666667)
  line.field("altitude", 545.4)
  line.field("heading", 84.4)
  line.field("gpsSpeed", 41.4848)
}

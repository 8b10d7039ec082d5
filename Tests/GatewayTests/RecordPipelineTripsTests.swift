import AdapterSession
import Fusion
import OBDWire
import Telemetry
import TestKit
import Testing

@testable import Gateway
@testable import GatewayLinks
@testable import GatewayOutput
@testable import GatewayRecords
@testable import GatewayTestKit

/// Trips that continue over the end of a link, of the program or of the power supply.
@Suite struct RecordPipelineTripsTests {
  private struct Lines: RecordSink, ~Copyable {
    var trips: [Record] = []
    mutating func record(_ line: Span<UInt8>) {
      var bytes: [UInt8] = []
      for index in line.indices { bytes.append(line[index]) }
      if let record = try? Record(bytes.dropLast()), record.type == "trip" { trips.append(record) }
    }
  }

  private static let second: Int64 = 1_000_000_000
  /// 2026-05-04T22:00:00Z
  private static let evening: Int64 = 1_777_932_000 * second

  private func pipeline(boot: String = "a", offset: Int64 = evening) -> RecordPipeline {
    var options = RecordPipeline.Options(
      gatewayId: "gw-test", epoch: UUIDv7(milliseconds: 0, first: 1, rest: 2), idSeed: 3)
    options.bootId = boot
    options.trips?.endsWithSession = false
    var pipeline = RecordPipeline(options)
    pipeline.setMachineClock(MachineClock(offset: offset, quality: .ntp))
    return pipeline
  }

  private static func signal(_ name: String) -> SignalID {
    let row = saeSignals.span.indices.first { saeSignals.span[$0].name.description == name }
    return SignalID(rawValue: UInt16(row ?? 0))
  }

  /// Drives at 36 km/h with a running engine, one reading a second.
  private func drive(
    _ pipeline: inout RecordPipeline, _ source: Int, _ seconds: ClosedRange<Int64>, _ lines: inout Lines
  ) {
    for second in seconds {
      for (name, pid, value) in [("rpm", UInt16(0x0C), 2_000.0), ("speed", 0x0D, 36)] {
        let reading = Reading(
          origin: Origin(ecu: .can11(0x7E8), line: 0, position: 0), signal: Self.signal(name), service: 1,
          identifier: pid, value: value)
        pipeline.handle(LinkDelivery(.reading(reading), at: second * Self.second), from: source, into: &lines)
      }
    }
  }

  private func events(_ lines: borrowing Lines) -> [String?] { lines.trips.map { $0["event"] } }

  @Test func a_link_that_returns_continues_its_trip() {
    var pipeline = pipeline()
    var lines = Lines()
    let first = pipeline.addSource(device: "/dev/a", name: "usb:1", at: 0)
    drive(&pipeline, first, 0...60, &lines)
    pipeline.removeSource(first, at: 61 * Self.second, into: &lines)
    #expect(pipeline.tripMemories(at: 61 * Self.second).map(\.adapter) == ["usb:1"])
    let again = pipeline.addSource(device: "/dev/b", name: "usb:1", at: 70 * Self.second)
    drive(&pipeline, again, 71...130, &lines)
    pipeline.advance(to: 400 * Self.second, into: &lines)
    #expect(events(lines) == ["start", "end"])
    #expect(lines.trips.last?.number("distance") == 1.19)
    #expect(pipeline.tripMemories(at: 400 * Self.second).isEmpty)
  }

  /// Passes a VIN as the reader does.
  private func readVIN(
    _ vin: String, _ pipeline: inout RecordPipeline, _ source: Int, at second: Int64, _ lines: inout Lines
  ) {
    let text = TextReading(
      origin: Origin(ecu: .can11(0x7E8), line: 0, position: 0), kind: .vin, service: 9, identifier: 2, index: 0)
    let bytes = Array(vin.utf8)
    pipeline.handle(
      LinkDelivery(.text(text, ShortText(bytes.span)), at: second * Self.second), from: source, into: &lines)
  }

  @Test func a_vehicle_without_a_vin_inherits_neither_id_nor_trip() {
    var pipeline = pipeline()
    var lines = Lines()
    let source = pipeline.addSource(device: "/dev/a", name: "usb:1", at: 0)
    readVIN("1D4GP00R55B123456", &pipeline, source, at: 0, &lines)
    drive(&pipeline, source, 1...60, &lines)
    pipeline.handle(LinkDelivery(.event(.lost(.noData)), at: 62 * Self.second), from: source, into: &lines)
    pipeline.handle(LinkDelivery(.event(.vehicleUnnamed), at: 80 * Self.second), from: source, into: &lines)
    drive(&pipeline, source, 81...140, &lines)
    pipeline.advance(to: 400 * Self.second, into: &lines)
    #expect(events(lines) == ["start", "end", "start", "end"])
    let named = "1D4GP00R55B123456"
    #expect(lines.trips.map { $0["vehicleId"] } == [named, named, "gw-test", "gw-test"])
  }

  @Test func a_vehicle_that_returns_keeps_its_id_and_trip() {
    var pipeline = pipeline()
    var lines = Lines()
    let source = pipeline.addSource(device: "/dev/a", name: "usb:1", at: 0)
    readVIN("1D4GP00R55B123456", &pipeline, source, at: 0, &lines)
    drive(&pipeline, source, 1...60, &lines)
    pipeline.handle(LinkDelivery(.event(.lost(.noData)), at: 62 * Self.second), from: source, into: &lines)
    drive(&pipeline, source, 81...140, &lines)
    pipeline.advance(to: 400 * Self.second, into: &lines)
    #expect(events(lines) == ["start", "end"])
    #expect(lines.trips.allSatisfy { $0["vehicleId"] == "1D4GP00R55B123456" })
  }

  @Test func a_link_that_stays_away_ends_its_trip() {
    var pipeline = pipeline()
    var lines = Lines()
    let first = pipeline.addSource(device: "/dev/a", name: "usb:1", at: 0)
    drive(&pipeline, first, 0...60, &lines)
    pipeline.removeSource(first, at: 61 * Self.second, into: &lines)
    _ = pipeline.addSource(device: "/dev/c", name: "usb:2", at: 70 * Self.second)
    #expect(pipeline.nextDue <= 241 * Self.second)
    pipeline.advance(to: 241 * Self.second, into: &lines)
    #expect(events(lines) == ["start", "end"])
    #expect(lines.trips.last?["endTime"] == "2026-05-04T22:01:00.000Z")
    #expect(pipeline.tripMemories(at: 242 * Self.second).isEmpty)
  }

  @Test func a_power_cut_neither_loses_nor_doubles_a_trip() throws {
    let scratch = try ScratchFolder()
    var lines = Lines()
    var before = pipeline()
    let first = before.addSource(device: "/dev/a", name: "usb:1", at: 0)
    drive(&before, first, 0...60, &lines)
    var store = TripStore(folder: scratch.path)
    #expect(store.memories.isEmpty)
    var output = RecordOutput(.stdout(try RecordQueue()))
    store.save(before.tripMemories(at: 60 * Self.second), &output)
    // An hour later, after another boot.
    let kept = TripStore(folder: scratch.path)
    #expect(kept.memories.count == 1)
    var after = pipeline(boot: "b", offset: Self.evening + 3_660 * Self.second)
    after.resumeTrips(kept.memories, at: 0)
    let again = after.addSource(device: "/dev/a", name: "usb:1", at: Self.second)
    drive(&after, again, 5...65, &lines)
    after.advance(to: 400 * Self.second, into: &lines)
    #expect(events(lines) == ["start", "end", "start", "end"])
    #expect(lines.trips[0]["tripId"] == lines.trips[1]["tripId"])
    #expect(lines.trips[2]["tripId"] == lines.trips[3]["tripId"])
    #expect(lines.trips[1]["endTime"] == "2026-05-04T22:01:00.000Z")
    #expect(lines.trips.map(\.sequence).suffix(3) == lines.trips.map(\.sequence).suffix(3).sorted()[...])
    store.save(after.tripMemories(at: 400 * Self.second), &output)
    #expect(TripStore(folder: scratch.path).memories.isEmpty)
  }

  /// The trip of an earlier run ends before it is stored again. The next run must not continue it once more.
  @Test func a_trip_that_ends_before_the_first_write_is_forgotten() throws {
    let scratch = try ScratchFolder()
    var lines = Lines()
    var pipeline = pipeline()
    drive(&pipeline, pipeline.addSource(device: "/dev/a", name: "usb:1", at: 0), 0...60, &lines)
    var output = RecordOutput(.stdout(try RecordQueue()))
    var first = TripStore(folder: scratch.path)
    first.save(pipeline.tripMemories(at: 60 * Self.second), &output)
    var second = TripStore(folder: scratch.path)
    #expect(second.memories.count == 1)
    second.save([], &output)
    #expect(TripStore(folder: scratch.path).memories.isEmpty)
  }

  @Test func a_damaged_entry_affects_only_its_own_trip() throws {
    let scratch = try ScratchFolder()
    var lines = Lines()
    var pipeline = pipeline()
    for name in ["usb:1", "usb:2"] {
      drive(&pipeline, pipeline.addSource(device: name, name: name, at: 0), 0...60, &lines)
    }
    var store = TripStore(folder: scratch.path)
    let memories = pipeline.tripMemories(at: 60 * Self.second)
    var output = RecordOutput(.stdout(try RecordQueue()))
    store.save(memories, &output)
    _ = try scratch.write("trips.jsonl", memories[0].text.dropLast(9) + [0x0A] + memories[1].text)
    #expect(TripStore(folder: scratch.path).memories.map(\.adapter) == ["usb:2"])
  }

  @Test func without_a_spool_a_trip_ends_with_its_link() {
    var options = RecordPipeline.Options(
      gatewayId: "gw-test", epoch: UUIDv7(milliseconds: 0, first: 1, rest: 2), idSeed: 3)
    options.trips?.endsWithSession = true
    var pipeline = RecordPipeline(options)
    var lines = Lines()
    let first = pipeline.addSource(device: "/dev/a")
    drive(&pipeline, first, 0...60, &lines)
    pipeline.removeSource(first, at: 61 * Self.second, into: &lines)
    #expect(events(lines) == ["start", "end"])
  }
}

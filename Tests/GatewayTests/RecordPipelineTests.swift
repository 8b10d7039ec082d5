import AdapterSession
import Fusion
import OBDWire
import Telemetry
import Testing

@testable import GatewayLinks
@testable import GatewayOutput
@testable import GatewayRecords
@testable import GatewayTestKit

@Suite struct RecordPipelineTests {
  private struct Lines: RecordSink, ~Copyable {
    var records: [Record] = []
    mutating func record(_ line: Span<UInt8>) {
      var bytes: [UInt8] = []
      for index in line.indices { bytes.append(line[index]) }
      // A record with invalid JSON is counted as missing.
      if let record = try? Record(bytes.dropLast()) { records.append(record) }
    }
  }

  private func pipeline() -> RecordPipeline {
    RecordPipeline(
      RecordPipeline.Options(gatewayId: "gw-test", epoch: UUIDv7(milliseconds: 0, first: 1, rest: 2), idSeed: 3))
  }

  @Test func several_links_and_the_gateway_share_one_sequence() {
    var pipeline = pipeline()
    var lines = Lines()
    let first = pipeline.addSource(device: "/dev/a")
    let second = pipeline.addSource(device: "/dev/b")
    pipeline.handle(LinkDelivery(.event(.found), at: 1), from: first, into: &lines)
    pipeline.handle(LinkDelivery(.event(.found), at: 2), from: second, into: &lines)
    pipeline.record(GapRecord(fromSequence: 1, toSequence: 1, reason: .slowReader), at: 3, into: &lines)
    pipeline.handle(LinkDelivery(.event(.lost(.silent)), at: 4), from: first, into: &lines)
    #expect(lines.records.map(\.sequence) == [1, 2, 3, 4])
    #expect(lines.records.map { $0["device"] } == ["/dev/a", "/dev/b", nil, "/dev/a"])
    #expect(pipeline.nextSequence == 5)
  }

  private func read(_ number: Int, at time: Int64, _ pipeline: inout RecordPipeline, _ lines: inout Lines) {
    let signal = saeSignals.span.indices.first { saeSignals.span[$0].name.description == "rpm" } ?? 0
    let reading = Reading(
      origin: Origin(ecu: .can11(0x7E8), line: 0, position: 0), signal: SignalID(rawValue: UInt16(signal)), service: 1,
      identifier: 0x0C, value: 800)
    pipeline.handle(LinkDelivery(.reading(reading), at: time), from: number, into: &lines)
  }

  @Test func records_of_several_adapters_say_which_one_they_come_from() {
    var options = RecordPipeline.Options(
      gatewayId: "gw-test", epoch: UUIDv7(milliseconds: 0, first: 1, rest: 2), idSeed: 3)
    options.vehicleId = "VAN-001"
    var pipeline = RecordPipeline(options)
    var lines = Lines()
    let first = pipeline.addSource(device: "/dev/a")
    pipeline.handle(LinkDelivery(.event(.connected(protocolDigit: 0x36)), at: 1), from: first, into: &lines)
    read(first, at: 2, &pipeline, &lines)
    pipeline.advance(to: 3_000_000_000, into: &lines)
    let second = pipeline.addSource(device: "/dev/b")
    pipeline.handle(
      LinkDelivery(.event(.connected(protocolDigit: 0x36)), at: 3_000_000_001), from: second, into: &lines)
    for number in [first, second] { read(number, at: 3_000_000_002, &pipeline, &lines) }
    pipeline.advance(to: 6_000_000_000, into: &lines)
    pipeline.removeSource(second, at: 6_000_000_001, into: &lines)
    pipeline.handle(LinkDelivery(.event(.found), at: 6_000_000_002), from: first, into: &lines)
    read(first, at: 6_000_000_003, &pipeline, &lines)
    pipeline.advance(to: 9_000_000_000, into: &lines)
    let told = lines.records.filter { $0.type == "telemetry" }.map { $0["device"] }
    #expect(told == [nil, "/dev/a", "/dev/b", nil])
  }

  @Test func a_gap_record_has_its_range_and_reason() {
    var pipeline = pipeline()
    var lines = Lines()
    var gap = GapRecord(fromSequence: 3, toSequence: 9, reason: .slowReader)
    gap.count = 7
    pipeline.record(gap, at: 1, into: &lines)
    let record = lines.records[0]
    #expect(record.type == "gap" && record["reason"] == "slowReader")
    #expect(record.number("fromSeq") == 3 && record.number("toSeq") == 9 && record.number("count") == 7)
  }

  @Test func dropped_deliveries_are_reported() {
    var pipeline = pipeline()
    var lines = Lines()
    let source = pipeline.addSource(device: "/dev/a")
    pipeline.dropped(12, from: source, at: 1, into: &lines)
    #expect(lines.records.map(\.said) == ["error(overrun)"])
    #expect(lines.records[0].number("count") == 12)
  }

  @Test func pending_error_counts_are_reported_at_the_end() {
    var pipeline = pipeline()
    var lines = Lines()
    let source = pipeline.addSource(device: "/dev/a")
    pipeline.setMachineClock(MachineClock(offset: 1_800_000_000_000_000_000, quality: .ntp))
    let error = WireError(.dataError, origin: Origin(ecu: .unknown, line: 0, position: 0))
    let line = Array("41 0C".utf8)
    for second: Int64 in 1...3 {
      pipeline.handle(
        LinkDelivery(.failure(error, ShortText(line.span)), at: second * 1_000_000_000), from: source, into: &lines)
    }
    pipeline.removeSource(source, at: 4_000_000_000, into: &lines)
    #expect(lines.records.map(\.said) == ["error(dataError)", "error(dataError)"])
    #expect(lines.records.map { $0.number("count") } == [1, 2])
    #expect(lines.records.map { $0["timestamp"] } == ["2027-01-15T08:00:01.000Z", "2027-01-15T08:00:04.000Z"])
  }

  @Test func an_ended_link_frees_its_slot() {
    var pipeline = pipeline()
    var lines = Lines()
    let first = pipeline.addSource(device: "/dev/a")
    pipeline.removeSource(first, at: 1, into: &lines)
    #expect(pipeline.addSource(device: "/dev/b") == first)
    #expect(pipeline.nextDue == .max)
  }

  @Test func a_clock_before_this_program_was_made_is_not_set() {
    #expect(MachineClock.quality(of: 0, isSynchronised: true) == .unset)
    #expect(MachineClock.quality(of: Version.released - 1, isSynchronised: false) == .unset)
    #expect(MachineClock.quality(of: Version.released, isSynchronised: false) == .system)
    #expect(MachineClock.quality(of: Version.released, isSynchronised: true) == .ntp)
  }
}

import AdapterSession
import Fusion
import Geofencing
import NMEAWire
import OBDWire
import Telemetry
import Testing

@testable import GatewayLinks
@testable import GatewayOutput
@testable import GatewayRecords
@testable import GatewayTestKit

/// Positions in the pipeline: which records have them, and their precision.
@Suite struct RecordPipelinePositionTests {
  private struct Lines: RecordSink, ~Copyable {
    var records: [Record] = []
    mutating func record(_ line: Span<UInt8>) {
      var bytes: [UInt8] = []
      for index in line.indices { bytes.append(line[index]) }
      if let record = try? Record(bytes.dropLast()) { records.append(record) }
    }
  }

  private static let second: Int64 = 1_000_000_000

  private func pipeline() -> RecordPipeline {
    var options = RecordPipeline.Options(
      gatewayId: "gw-test", epoch: UUIDv7(milliseconds: 0, first: 1, rest: 2), idSeed: 3)
    options.bootId = "a"
    options.trips?.endsWithSession = false
    var pipeline = RecordPipeline(options)
    pipeline.setMachineClock(MachineClock(offset: 1_800_000_000 * Self.second, quality: .ntp))
    return pipeline
  }

  /// Drives north at 10 m/s with one fix a second.
  private func drive(
    _ pipeline: inout RecordPipeline, _ receiver: Int, _ seconds: ClosedRange<Int64>, _ lines: inout Lines
  ) {
    for second in seconds {
      var fix = Fix()
      fix.type = .threeD
      (fix.latitude, fix.longitude, fix.hdop, fix.speed) = (48 + Double(second) * 10 / 111_320, 11, 0.9, 36)
      let time = second * Self.second
      pipeline.handle(FixDelivery(.fix(fix, began: time), at: time), fromReceiver: receiver, into: &lines)
      pipeline.advance(to: time, into: &lines)
    }
  }

  @Test func an_adapter_without_a_vehicle_starts_no_second_trip() {
    var pipeline = pipeline()
    var lines = Lines()
    let used = pipeline.addSource(device: "/dev/a", name: "usb:1")
    _ = pipeline.addSource(device: "rfcomm:drawer", name: "rfcomm:drawer")
    let receiver = pipeline.addReceiver(device: "/dev/gps")
    pipeline.handle(LinkDelivery(.event(.connected(protocolDigit: 0x36)), at: 1), from: used, into: &lines)
    drive(&pipeline, receiver, 1...120, &lines)
    #expect(lines.records.filter { $0.type == "trip" }.count == 1)
    let telemetry = lines.records.filter { $0.type == "telemetry" }
    // One record a second, not two.
    #expect((100...121).contains(telemetry.count), "\(telemetry.count)")
  }

  @Test func a_gateway_without_an_adapter_keeps_its_trip() {
    var pipeline = pipeline()
    var lines = Lines()
    let receiver = pipeline.addReceiver(device: "/dev/gps")
    drive(&pipeline, receiver, 1...120, &lines)
    #expect(lines.records.filter { $0.type == "trip" }.map { $0["event"] } == ["start"])
    let kept = pipeline.tripMemories(at: 120 * Self.second)
    #expect(kept.count == 1)
    var next = self.pipeline()
    next.resumeTrips(kept, at: 121 * Self.second)
    var more = Lines()
    drive(&next, next.addReceiver(device: "/dev/gps"), 121...200, &more)
    // The trip continues: there is neither a second start nor an end.
    #expect(more.records.allSatisfy { $0.type != "trip" })
    #expect(next.tripMemories(at: 200 * Self.second).count == 1)
  }

  @Test func the_loss_and_return_of_a_receiver_are_recorded_with_its_name() {
    var pipeline = pipeline()
    var lines = Lines()
    let receiver = pipeline.addReceiver(device: "/dev/gps")
    for (step, content) in [
      FixDelivery.Content.connected(ShortText("NMEA 0183")), .lost(.silent), .connected(ShortText("NMEA 0183")),
    ].enumerated() {
      pipeline.handle(FixDelivery(content, at: Int64(step)), fromReceiver: receiver, into: &lines)
    }
    #expect(lines.records.map(\.said) == ["connected", "lost(silent)", "recovered"])
    #expect(lines.records.allSatisfy { $0["identity"] == "NMEA 0183" && $0["device"] == "/dev/gps" })
  }

  @Test func a_receiver_without_a_position_is_not_the_one_in_the_records() {
    var pipeline = pipeline()
    var lines = Lines()
    let receiver = pipeline.addReceiver(device: "/dev/gps")
    func isChosen(_ pipeline: borrowing RecordPipeline, at second: Int64) -> Bool {
      pipeline.status(of: [], made: [], at: second * Self.second).receivers[0].isChosen
    }
    // The receiver sends data but has no fix yet.
    pipeline.handle(FixDelivery(.fix(Fix(), began: 0), at: Self.second), fromReceiver: receiver, into: &lines)
    let at1 = isChosen(pipeline, at: 1)
    #expect(!at1)
    drive(&pipeline, receiver, 2...10, &lines)
    let at10 = isChosen(pipeline, at: 10)
    #expect(at10)
    // The receiver sends nothing, and is finally lost.
    let at13 = isChosen(pipeline, at: 13)
    #expect(!at13)
    pipeline.handle(FixDelivery(.lost(.silent), at: 15 * Self.second), fromReceiver: receiver, into: &lines)
    let at15 = isChosen(pipeline, at: 15)
    #expect(!at15)
    pipeline.handle(
      FixDelivery(.connected(ShortText("NMEA 0183")), at: 16 * Self.second), fromReceiver: receiver, into: &lines)
    drive(&pipeline, receiver, 17...20, &lines)
    let at20 = isChosen(pipeline, at: 20)
    #expect(at20)
  }
}

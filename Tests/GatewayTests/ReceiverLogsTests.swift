import Foundation
import Fusion
import NMEAWire
import Ports
import Telemetry
import TestKit
import Testing

@testable import Gateway
@testable import GatewayLinks
@testable import GatewayOutput
@testable import GatewayRecords
@testable import GatewayTestKit

/// Logs of real receivers, processed as in the daemon on a virtual clock: listener, ring, pipeline, records.
///
/// The records are compared with the log itself: the receiver must have sent each of their positions as valid. Wrong
/// dates after a cold start or a week rollover must not change the times of records.
@Suite struct ReceiverLogsTests {
  private static let second: Int64 = 1_000_000_000
  /// 2026-11-21T12:00:00Z at boot time 0.
  private static let machine: Int64 = 1_795_262_400 * second

  private struct Pair: Hashable {
    var latitude: Int64
    var longitude: Int64

    init(_ latitude: Double, _ longitude: Double) {
      self.latitude = Int64((latitude * 1e6).rounded())
      self.longitude = Int64((longitude * 1e6).rounded())
    }

    /// The tolerance is 2e-6°, because the sentences of an epoch may have different numbers of decimals.
    var neighbours: [Pair] {
      (Int64(-2)...2).flatMap { one in
        (Int64(-2)...2).map { two in
          var pair = self
          pair.latitude += one
          pair.longitude += two
          return pair
        }
      }
    }
  }

  /// Positions from single sentences of the log.
  private struct Given: FixHandler {
    var pairs: Set<Pair> = []
    mutating func fix(_ fix: Fix) {
      if let latitude = fix.latitude, let longitude = fix.longitude { pairs.insert(Pair(latitude, longitude)) }
    }
    mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) {}
  }

  private static func names() throws -> [String] {
    let folder = try TestData.path("nmea")
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".log") }.sorted()
  }

  /// Returns the log's bytes without comments, divided where the time of day in a sentence changes.
  private static func epochs(_ bytes: [UInt8]) -> [[UInt8]] {
    var epochs: [[UInt8]] = [[]]
    var time: Substring = ""
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) where line.first != UInt8(ascii: "#") {
      let fields = String(decoding: line, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
      let kind = fields.first?.suffix(3) ?? ""
      let place = kind == "GLL" ? 5 : 1
      if ["RMC", "GGA", "GNS", "ZDA", "GLL"].contains(kind), fields.count > place, fields[place] != time {
        time = fields[place]
        epochs.append([])
      }
      epochs[epochs.count - 1] += line + [0x0A]
    }
    return epochs
  }

  private func play(_ epochs: [[UInt8]]) throws -> [Record] {
    let ring = Ring<FixDelivery>(capacity: 4_096)
    var consumer = ring.consumer
    var receiver = ReceiverLink(
      FixDeliveryWriter(ring.producer, wakeUp: try WakeUp()), control: try LinkControl(address: nil), baud: 9_600)
    var actions = PortActions()
    var pipeline = RecordPipeline(
      RecordPipeline.Options(gatewayId: "gw-test", epoch: UUIDv7(milliseconds: 0, first: 1, rest: 2), idSeed: 3))
    var lines = KeptRecords()
    let number = pipeline.addReceiver(device: "/dev/ttyACM0")
    pipeline.setMachineClock(MachineClock(offset: Self.machine, quality: .system))
    var now: Int64 = Self.second
    receiver.opened(at: now, &actions)
    for epoch in epochs {
      // The bytes arrive as at 9600 baud, for up to half a second. Then there is silence until the next second.
      let start = now
      var at = 0
      while at < epoch.count {
        let end = min(at + 48, epoch.count)
        receiver.received(epoch.span.extracting(at..<end), at: now, &actions)
        now = min(now + 50_000_000, start + 600_000_000)
        at = end
      }
      if let deadline = actions.deadline, deadline < start + Self.second {
        actions.deadline = nil
        receiver.deadlinePassed(at: deadline, &actions)
      }
      now = start + Self.second
      while let delivery = consumer.pop() { pipeline.handle(delivery, fromReceiver: number, into: &lines) }
      pipeline.advance(to: now, into: &lines)
    }
    receiver.closed(at: now)
    while let delivery = consumer.pop() { pipeline.handle(delivery, fromReceiver: number, into: &lines) }
    pipeline.advance(to: now + 2 * Self.second, into: &lines)
    return lines.records
  }

  @Test(.needsTestData, arguments: try ReceiverLogsTests.names())
  func recorded_receivers_give_no_wrong_fix_and_no_wrong_date(_ name: String) throws {
    let path = try TestData.path("nmea/\(name)")
    let epochs = Self.epochs(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
    var given = Given()
    for sentence in epochs.joined().split(separator: UInt8(ascii: "$")) {
      var reader = FixReader()
      let whole = [UInt8(ascii: "$")] + sentence
      reader.receive(whole.span, into: &given)
      reader.finish(into: &given)
    }
    let records = try play(epochs)
    let telemetry = records.filter { $0.type == "telemetry" }
    var found = 0
    for record in telemetry {
      guard let latitude = record.number("latitude"), let longitude = record.number("longitude") else { continue }
      found += 1
      let isGiven = Pair(latitude, longitude).neighbours.contains { given.pairs.contains($0) }
      #expect(isGiven, "\(name): \(latitude), \(longitude) is no fix of the log")
    }
    // A log of one or two seconds may end before a record is due.
    if given.pairs.count >= 3 { #expect(found > 0, "\(name): no record with a position") }
    if given.pairs.isEmpty { #expect(found == 0) }
    // These logs are older than this program, so most of their dates are rejected. A date past a week rollover is
    // corrected. Neither differs from the machine's time.
    for record in records {
      let moment = try Timestamp(parsing: try #require(record["timestamp"]).utf8.span).nanoseconds
      let limits = (Self.machine - 86_400 * Self.second)...(Self.machine + 400 * 86_400 * Self.second)
      #expect(limits.contains(moment), "\(name): \(record.text)")
      if record["timeQuality"] != "gps" { #expect(moment - Self.machine <= Int64(epochs.count + 3) * Self.second) }
    }
    #expect(!records.contains { $0["timeQuality"] == "gps" } || records.contains { $0.said == "quirk(weekRollover)" })
  }
}

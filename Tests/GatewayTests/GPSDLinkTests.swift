import Fusion
import NMEAWire
import Ports
import Telemetry
import Testing

@testable import Gateway
@testable import GatewayLinks
@testable import GatewayRecords
@testable import GatewayStatus
@testable import GatewayTestKit

/// A link to gpsd, from its bytes through the pipeline to records and status.
@Suite struct GPSDLinkTests {
  private static let second: Int64 = 1_000_000_000
  private static let greeting = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
  private static let good = #"{"class":"TPV","device":"/dev/gps","mode":3,"lat":48.1,"lon":11.5,"speed":10}"#

  /// Plays one line a second and closes the connection.
  ///
  /// - Returns: the records about the receiver, and its status before the end.
  private func play(_ lines: [[UInt8]]) throws -> (told: [String], status: ReceiverStatus) {
    let ring = Ring<FixDelivery>(capacity: 1_024)
    var consumer = ring.consumer
    var client = GPSDLink(
      FixDeliveryWriter(ring.producer, wakeUp: try WakeUp()), control: try LinkControl(address: nil))
    var actions = PortActions()
    var pipeline = RecordPipeline(
      RecordPipeline.Options(gatewayId: "gw-test", epoch: UUIDv7(milliseconds: 0, first: 1, rest: 2), idSeed: 3))
    var sink = KeptRecords()
    let number = pipeline.addReceiver(device: "gpsd")
    var now = Self.second
    client.opened(at: now, &actions)
    for line in lines {
      client.received((line + [0x0A]).span, at: now, &actions)
      while let delivery = consumer.pop() { pipeline.handle(delivery, fromReceiver: number, into: &sink) }
      now += Self.second
    }
    let status = pipeline.status(of: [], made: [], at: now).receivers[0]
    client.closed(at: now)
    while let delivery = consumer.pop() { pipeline.handle(delivery, fromReceiver: number, into: &sink) }
    return (sink.records.compactMap(\.said), status)
  }

  @Test(arguments: [
    Array(#"{"class":"TPV","mode":3,"lat":95,"lon":11.5}"#.utf8),
    Array(#"{"class":"TPV","mode":3,"lat":1e999,"lon":11.5}"#.utf8),
    Array(#"{"class":"TPV","mode":3,"lat":48,"lon":11.5,"speed":-1,"track":400}"#.utf8), [0xFF] + Array("{bad".utf8),
  ])
  func an_unreadable_line_between_good_ones_is_counted_and_no_loss(_ bad: [UInt8]) throws {
    let good = Array(Self.good.utf8)
    let played = try play([Array(Self.greeting.utf8), good, bad, good, bad, good])
    #expect(played.told == ["connected", "lost(portClosed)"])
    #expect(played.status.standing.state == .connected)
    #expect(played.status.standing.reason == nil)
    #expect(played.status.fixes == 3)
    #expect(played.status.unreadable == 2)
  }

  @Test func many_unreadable_gpsd_lines_are_counted_without_displacing_fixes() throws {
    let bad = Array(repeating: Array("nonsense".utf8), count: 5_000).joined(separator: [0x0A])
    let played = try play([Array(Self.greeting.utf8), Array(bad), Array(Self.good.utf8), Array(Self.good.utf8)])
    #expect(played.status.unreadable == 5_000)
    #expect(played.status.fixes == 2)
  }

  @Test func a_server_without_gpsds_greeting_is_reported_once() throws {
    let played = try play([Array("HTTP/1.1 400 Bad Request".utf8), Array("nonsense".utf8)])
    #expect(played.told == ["error(noSentences)"])
    #expect(played.status.standing.state == .searching)
    #expect(played.status.standing.reason == "noSentences")
  }
}

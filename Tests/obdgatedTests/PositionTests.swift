import Foundation
import TestKit
import Testing

/// Receivers and fences, by the daemon itself: a receiver on a serial line, gpsd, what is kept over a restart.
@Suite struct PositionTests {
  /// 50 m/s to the north, from 100 m before the fence on; the fence reaches 60 m around its middle.
  private static let fence = """
    {"type": "FeatureCollection", "features": [{"type": "Feature",
      "properties": {"id": "depot", "name": "Depot", "radius": 60},
      "geometry": {"type": "Point", "coordinates": [11.5, 48.0009]}}]}
    """

  private static func north(_ metres: Double) -> Double { 48 + metres / 111_320 }

  private func settings(_ receiver: String, in scratch: borrowing ScratchFolder, fences: String = fence) throws
    -> String
  {
    let file = scratch.file("fences.geojson")
    try fences.write(toFile: file, atomically: true, encoding: .utf8)
    return DaemonRun.quick
      + #", "gps": [\#(receiver)], "geofences": "\#(file)", "stateDirectory": "\#(scratch.path)""#
  }

  @Test func records_have_position_and_date_of_the_receiver_and_tell_fences() async throws {
    try await aside {
      let scratch = try ScratchFolder()
      let receiver = try SimulatedReceiver { .init(latitude: Self.north(-200 + min($0, 10) * 50), longitude: 11.5) }
      defer { receiver.stop() }
      let run = try DaemonRun(settings: try settings(#"{"device": "\#(receiver.path)"}"#, in: scratch))
      let limit = Duration.seconds(20)
      let heard = try run.daemon.line(within: limit) { $0.contains(#""identity":"NMEA 0183""#) }.text
      #expect(heard.contains(#""event":"connected""#) && heard.contains(#""device":"\#(receiver.path)""#))
      // Readings and position in one record, on the day that the satellites say.
      try run.daemon.line(within: limit) {
        $0.contains(#""timestamp":"2027-03-05T12:"#) && $0.contains(#""timeQuality":"gps""#) && $0.contains(#""rpm":"#)
          && $0.contains(#""latitude":4"#) && $0.contains(#""fixType":"3d""#)
      }
      let enter = try run.daemon.line(within: limit) { $0.contains(#""type":"geofence""#) }.text
      #expect(enter.contains(#""fenceId":"depot","fenceName":"Depot","event":"enter""#), "\(enter)")
      let exit = try run.daemon.line(within: limit) { $0.contains(#""type":"geofence""#) }.text
      #expect(exit.contains(#""event":"exit""#), "\(exit)")
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(20)) == 0)
      #expect(try run.sequences == Array(1...run.daemon.output.count))
      #expect(run.daemon.output.filter { $0.text.contains(#""type":"geofence""#) }.count == 2)
    }
  }

  @Test func a_visit_goes_on_over_a_restart() async throws {
    try await aside {
      let scratch = try ScratchFolder()
      let link = scratch.file("receiver")
      let inside = try SimulatedReceiver(link: link) {
        .init(latitude: Self.north(-100 + min($0, 4) * 50), longitude: 11.5)
      }
      defer { inside.stop() }
      let text = try settings(#"{"device": "\#(link)"}"#, in: scratch)
      let first = try DaemonRun(settings: text)
      try first.daemon.line(within: .seconds(20)) { $0.contains(#""event":"enter""#) }
      first.daemon.send(SIGTERM)
      #expect(try first.daemon.end(within: .seconds(20)) == 0)
      inside.stop()
      let outside = try SimulatedReceiver(link: link) { _ in .init(latitude: Self.north(1_000), longitude: 11.5) }
      defer { outside.stop() }
      let second = try DaemonRun(settings: text)
      let told = try second.daemon.line(within: .seconds(40)) { $0.contains(#""type":"geofence""#) }.text
      #expect(told.contains(#""fenceId":"depot""#) && told.contains(#""event":"exit""#), "\(told)")
    }
  }

  @Test func broken_fences_are_named_and_the_ones_before_stay() async throws {
    try await aside {
      let scratch = try ScratchFolder()
      let receiver = try SimulatedReceiver { .init(latitude: Self.north(-500 + min($0, 20) * 40), longitude: 11.5) }
      defer { receiver.stop() }
      let run = try DaemonRun(settings: try settings(#"{"device": "\#(receiver.path)"}"#, in: scratch))
      try run.daemon.line(within: .seconds(20)) { $0.contains(#""latitude":"#) }
      let bad = Self.fence.replacingOccurrences(of: "[11.5, 48.0009]", with: "[11.5, 91]")
      try bad.write(toFile: scratch.file("fences.geojson"), atomically: true, encoding: .utf8)
      run.daemon.send(SIGHUP)
      let said = try run.daemon.errorLine(within: .seconds(5)) { _ in true }.text
      #expect(said.contains("fences.geojson") && said.contains("depot") && said.contains("stays as it was"), "\(said)")
      try run.daemon.line(within: .seconds(30)) { $0.contains(#""event":"enter""#) }
    }
  }

  @Test func of_two_receivers_the_other_takes_over_when_one_is_gone() async throws {
    try await aside {
      let scratch = try ScratchFolder()
      let good = try SimulatedReceiver { _ in .init(latitude: Self.north(5_000), longitude: 11.5, quality: 4) }
      let plain = try SimulatedReceiver { _ in .init(latitude: Self.north(6_000), longitude: 11.5) }
      defer {
        good.stop()
        plain.stop()
      }
      let run = try DaemonRun(
        settings: try settings(#"{"device": "\#(good.path)"}, {"device": "\#(plain.path)"}"#, in: scratch))
      try run.daemon.line(within: .seconds(30)) { $0.contains(#""fixType":"rtkFixed""#) }
      good.stop()
      let change = try run.daemon.line(within: .seconds(10)) {
        $0.contains(#""event":"positionSource""#) && $0.contains(#""device":"\#(plain.path)""#)
      }.text
      #expect(change.contains(#""type":"adapter""#))
      try run.daemon.line(within: .seconds(5)) { $0.contains(#""fixType":"3d""#) }
      let lost = run.daemon.output.contains {
        $0.text.contains(#""event":"lost""#) && $0.text.contains(#""device":"\#(good.path)""#)
      }
      #expect(lost)
    }
  }

  @Test func gpsd_is_a_receiver_too() async throws {
    guard let gpsfake = try Tool.required("gpsfake"), try Tool.required("gpsd") != nil else { return }
    try await aside {
      let scratch = try ScratchFolder()
      let track = scratch.file("track.nmea")
      var sentences = ""
      for second in 0..<60 {
        let body = String(format: "GPRMC,1200%02d.00,A,48%07.4f,N,01130.0000,E,20.0,0.0,050327,,,A", second, 0.005)
        sentences += String(format: "$%@*%02X\r\n", body, body.utf8.reduce(0, ^))
      }
      try sentences.write(toFile: track, atomically: true, encoding: .utf8)
      let port = 20_000 + Int(getpid()) % 20_000
      let fake = try RunningProgram(gpsfake, ["-S", "-q", "-c", "0.1", "-P", "\(port)", track])
      defer { fake.send(SIGINT) }
      let run = try DaemonRun(settings: try settings(#"{"gpsd": "127.0.0.1:\#(port)"}"#, in: scratch))
      try run.daemon.line(within: .seconds(30)) { $0.contains(#""event":"connected""#) && $0.contains(#""gpsd 3."#) }
      try run.daemon.line(within: .seconds(30)) {
        $0.contains(#""rpm":"#) && $0.contains(#""latitude":48.0000"#) && $0.contains(#""longitude":11.5,"#)
      }
      fake.send(SIGINT)
      _ = try fake.end(within: .seconds(10))
      try run.daemon.line(within: .seconds(10)) { $0.contains(#""event":"lost""#) && $0.contains(#""gpsd 3."#) }
    }
  }
}

import Foundation
import Synchronization
import TestKit
import Testing

@testable import DaemonTestKit

/// Receivers and fences with the whole daemon: a receiver on a serial line, gpsd, and the state that is kept over a
/// restart.
@Suite struct PositionTests {
  /// A fence of 60 m around its centre, which is 100 m to the north.
  private static let fence = """
    {"type": "FeatureCollection", "features": [{"type": "Feature",
      "properties": {"id": "depot", "name": "Depot", "radius": 60},
      "geometry": {"type": "Point", "coordinates": [11.5, 48.0009]}}]}
    """

  private static func north(_ metres: Double) -> Double { 48 + metres / 111_320 }

  /// A vehicle that drives north at 50 m/s up to a permitted position. The test advances this position when the daemon
  /// knows where the vehicle is. If the first fix is inside a fence, there is no `enter`.
  private final class Drive: Sendable {
    private struct Place {
      /// Distance to the north, m: the present position, and the permitted one.
      var metres: Double
      var end: Double
      /// By the receiver's clock, s.
      var time = 0.0
    }

    private let place: Mutex<Place>

    init(from metres: Double) { place = Mutex(Place(metres: metres, end: metres)) }

    func go(to metres: Double) { place.withLock { $0.end = metres } }

    /// Returns the state of the receiver a number of seconds after its creation.
    func state(at seconds: Double) -> SimulatedReceiver.State {
      let metres = place.withLock { place in
        place.metres = min(place.end, place.metres + (seconds - place.time) * 50)
        place.time = seconds
        return place.metres
      }
      return SimulatedReceiver.State(latitude: PositionTests.north(metres), longitude: 11.5)
    }
  }

  private func settings(_ receiver: String, in scratch: borrowing ScratchFolder, fences: String = fence) throws
    -> String
  {
    let file = scratch.file("fences.geojson")
    try fences.write(toFile: file, atomically: true, encoding: .utf8)
    return DaemonRun.quick
      + #", "gps": [\#(receiver)], "geofences": "\#(file)", "stateDirectory": "\#(scratch.path)""#
  }

  @Test func records_have_position_and_date_of_the_receiver_and_tell_fences() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let drive = Drive(from: -200)
      let receiver = try SimulatedReceiver { drive.state(at: $0) }
      defer { receiver.stop() }
      let run = try DaemonRun(settings: try settings(#"{"device": "\#(receiver.path)"}"#, in: scratch))
      let limit = Duration.seconds(60)
      let heard = try run.daemon.line(within: limit) { $0.contains(#""identity":"NMEA 0183""#) }.text
      #expect(heard.contains(#""event":"connected""#) && heard.contains(#""device":"\#(receiver.path)""#))
      // Readings and position in one record, with the date of the satellites.
      try run.daemon.line(within: limit) {
        $0.contains(#""timestamp":"2027-03-05T12:"#) && $0.contains(#""timeQuality":"gps""#) && $0.contains(#""rpm":"#)
          && $0.contains(#""latitude":4"#) && $0.contains(#""fixType":"3d""#)
      }
      drive.go(to: 100)
      let enter = try run.daemon.line(within: limit) { $0.contains(#""type":"geofence""#) }.text
      #expect(enter.contains(#""fenceId":"depot","fenceName":"Depot","event":"enter""#), "\(enter)")
      drive.go(to: 300)
      let exit = try run.daemon.line(within: limit) { $0.contains(#""type":"geofence""#) }.text
      #expect(exit.contains(#""event":"exit""#), "\(exit)")
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(60)) == 0)
      #expect(try run.sequences == Array(1...run.daemon.output.count))
      #expect(run.daemon.output.filter { $0.text.contains(#""type":"geofence""#) }.count == 2)
    }
  }

  @Test func a_fence_visit_continues_after_a_restart() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let link = scratch.file("receiver")
      let drive = Drive(from: -100)
      let inside = try SimulatedReceiver(link: link) { drive.state(at: $0) }
      defer { inside.stop() }
      let text = try settings(#"{"device": "\#(link)"}"#, in: scratch)
      let first = try DaemonRun(settings: text)
      try first.daemon.line(within: .seconds(60)) { $0.contains(#""latitude":"#) }
      drive.go(to: 100)
      try first.daemon.line(within: .seconds(60)) { $0.contains(#""event":"enter""#) }
      first.daemon.send(SIGTERM)
      #expect(try first.daemon.end(within: .seconds(60)) == 0)
      inside.stop()
      let outside = try SimulatedReceiver(link: link) { _ in .init(latitude: Self.north(1_000), longitude: 11.5) }
      defer { outside.stop() }
      let second = try DaemonRun(settings: text)
      let told = try second.daemon.line(within: .seconds(60)) { $0.contains(#""type":"geofence""#) }.text
      #expect(told.contains(#""fenceId":"depot""#) && told.contains(#""event":"exit""#), "\(told)")
    }
  }

  @Test func broken_fences_are_named_and_the_ones_before_stay() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let drive = Drive(from: -100)
      let receiver = try SimulatedReceiver { drive.state(at: $0) }
      defer { receiver.stop() }
      let run = try DaemonRun(settings: try settings(#"{"device": "\#(receiver.path)"}"#, in: scratch))
      try run.daemon.line(within: .seconds(60)) { $0.contains(#""latitude":"#) }
      let bad = Self.fence.replacingOccurrences(of: "[11.5, 48.0009]", with: "[11.5, 91]")
      try bad.write(toFile: scratch.file("fences.geojson"), atomically: true, encoding: .utf8)
      run.daemon.send(SIGHUP)
      let said = try run.daemon.errorLine(within: .seconds(60)) { _ in true }.text
      #expect(said.contains("fences.geojson") && said.contains("depot") && said.contains("stays as it was"), "\(said)")
      drive.go(to: 100)
      try run.daemon.line(within: .seconds(60)) { $0.contains(#""event":"enter""#) }
    }
  }

  @Test func of_two_receivers_the_other_takes_over_when_one_is_gone() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let good = try SimulatedReceiver { _ in .init(latitude: Self.north(5_000), longitude: 11.5, quality: 4) }
      let plain = try SimulatedReceiver { _ in .init(latitude: Self.north(6_000), longitude: 11.5) }
      defer {
        good.stop()
        plain.stop()
      }
      let run = try DaemonRun(
        settings: try settings(#"{"device": "\#(good.path)"}, {"device": "\#(plain.path)"}"#, in: scratch))
      try run.daemon.line(within: .seconds(60)) { $0.contains(#""fixType":"rtkFixed""#) }
      good.stop()
      let change = try run.daemon.line(within: .seconds(60)) {
        $0.contains(#""event":"positionSource""#) && $0.contains(#""device":"\#(plain.path)""#)
      }.text
      #expect(change.contains(#""type":"adapter""#))
      try run.daemon.line(within: .seconds(60)) { $0.contains(#""fixType":"3d""#) }
      func isLoss(_ text: String) -> Bool {
        text.contains(#""event":"lost""#) && text.contains(#""device":"\#(good.path)""#)
      }
      // A receiver that sends nothing may be closed even before its port is found to be missing.
      if !run.daemon.output.contains(where: { isLoss($0.text) }) {
        try run.daemon.line(within: .seconds(60), where: isLoss)
      }
    }
  }

  @Test func gpsd_is_a_receiver_too() async throws {
    let gpsfake = try Tool.required("gpsfake")
    try Tool.required("gpsd")
    try await runBlocking {
      let scratch = try ScratchFolder()
      let track = scratch.file("track.nmea")
      var sentences = ""
      for second in 0..<60 {
        let body = String(format: "GPRMC,1200%02d.00,A,48%07.4f,N,01130.0000,E,20.0,0.0,050327,,,A", second, 0.005)
        sentences += String(format: "$%@*%02X\r\n", body, body.utf8.reduce(0, ^))
      }
      try sentences.write(toFile: track, atomically: true, encoding: .utf8)
      let port = try ReservedPort()
      let fake = try RunningProgram(gpsfake, ["-S", "-q", "-c", "0.1", "-P", "\(port.number)", track])
      // After the end of the process, its number may belong to another program.
      defer { if (try? fake.end(within: .zero)) == nil { fake.send(SIGINT) } }
      let run = try DaemonRun(settings: try settings(#"{"gpsd": "127.0.0.1:\#(port.number)"}"#, in: scratch))
      try run.daemon.line(within: .seconds(60)) { $0.contains(#""event":"connected""#) && $0.contains(#""gpsd 3."#) }
      try run.daemon.line(within: .seconds(60)) {
        $0.contains(#""rpm":"#) && $0.contains(#""latitude":48.0000"#) && $0.contains(#""longitude":11.5,"#)
      }
      fake.send(SIGINT)
      _ = try fake.end(within: .seconds(60))
      try run.daemon.line(within: .seconds(60)) { $0.contains(#""event":"lost""#) && $0.contains(#""gpsd 3."#) }
    }
  }
}

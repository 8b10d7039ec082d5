import ArgumentParser
import CGateway
import Failures
import Gateway
import GeoJSON
import Geofencing

/// `obdgate fences`: evaluates fixes against geofences, and writes the events.
struct FencesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fences",
    abstract: "Evaluates fixes against geofences and writes one line for each enter, exit and dwell.",
    discussion: """
      {"type":"geofence","timestamp":"2026-05-04T10:00:03.000Z",
       "fenceId":"yard","fenceName":"Yard","event":"enter",
       "latitude":47.659490333,"longitude":9.177374333}

      FENCES is a FeatureCollection (RFC 7946): Polygon, MultiPolygon, Point with radius, LineString with radius (m); \
      properties id, name, notifyOnEntry, notifyOnExit, dwellSeconds. FIXES are lines as obdgate nmea writes them, \
      records, or NMEA 0183. A key speed (km/h, from the vehicle) in them says better than gpsSpeed whether the vehicle \
      stands. Each vehicleId is evaluated by itself; its events have it too.
      """)

  @Argument(help: "A GeoJSON file of fences.", completion: .file())
  var fences: String

  @Argument(help: "A file of fixes, or - for standard input.", completion: .file())
  var fixes = "-"

  @Flag(help: "Report an enter if the first fix is in a fence.")
  var announceFirst = false

  func validate() throws {
    if fences == "-", fixes == "-" { throw ValidationError("standard input cannot be both FENCES and FIXES") }
  }

  func run() throws {
    do {
      try FencesRun(FenceFile.read(fences), announcesFirst: announceFirst).run(over: fixes)
    } catch let failure as Failure {
      throw failure.reported(by: "fences")
    }
  }
}

/// Reads GeoJSON files that contain geofences.
enum FenceFile {
  static func read(_ path: String) throws(Failure) -> FenceSet {
    let text = try InputFile.contents(of: path, limit: FileText.fenceLimit)
    do throws(GeoJSONError) {
      let set = try FenceSet(geoJSON: text, file: path)
      // Return memory to the system that was needed only for parsing a large file.
      cgateway_give_back_memory()
      return set
    } catch {
      throw Failure(.badData, error.message)
    }
  }
}

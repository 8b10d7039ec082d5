import FleetDomain
import FleetWork

/// Reads the positions in a GPX or KML file as the rows of a table. The positions of the file are numbered from 1; the
/// line number of a row is the number of its position.
public struct TrackDocument: Sendable {
  /// The positions with their times.
  public private(set) var text: CSVText
  /// The parts of the file that are not imported: positions without times, waypoints and routes.
  public private(set) var rest: [ImportRest] = []

  private var rows: [CSVText.Row] = []
  /// Number of positions that were read so far, including those without times.
  private var count = 0

  private static let columns = [
    "deviceName", "timestamp", "latitude", "longitude", "altitude", "heading", "speed (m/s)", "satellites", "hdop",
  ]

  /// Parses a document.
  ///
  /// - Throws: ``ImportError`` if it is neither GPX nor KML, or if it has no position with a time.
  public init(_ bytes: [UInt8]) throws(ImportError) {
    text = CSVText(rows: [], isExact: true)
    let root: (name: String, content: JSON)
    do throws(XMLError) {
      root = try XMLReader.parse(bytes)
    } catch {
      throw ImportError(line: 1, column: nil, message: "byte \(error.offset): \(error.message)")
    }
    switch root.name {
    case "gpx": readGPX(root.content)
    case "kml": readKML(root.content, name: "")
    default: throw ImportError(line: 1, column: nil, message: "expected GPX or KML, found the element \(root.name)")
    }
    guard !rows.isEmpty else {
      let reasons = rest.map(\.message).joined(separator: "; ")
      throw ImportError(
        line: 1, column: nil,
        message:
          "the file has no position with a time\(reasons.isEmpty ? "" : " (\(reasons))"); export it as GPX or CSV")
    }
    text = CSVText(rows: [CSVText.Row(line: 1, cells: Self.columns)] + rows, isExact: true)
  }

  // MARK: GPX

  private mutating func readGPX(_ gpx: JSON) {
    var withoutTime = 0
    for track in XMLReader.elements(gpx["trk"]) {
      let name = XMLReader.text(track["name"])
      for point in XMLReader.elements(track["trkseg"]).flatMap({ XMLReader.elements($0["trkpt"]) }) {
        guard WorkTurn.mayContinue else { return }
        let time = XMLReader.text(point["time"])
        count += 1
        guard !time.isEmpty else {
          withoutTime += 1
          continue
        }
        // In GPX 1.0, speed and course are members of the point. In GPX 1.1, programs write them as extensions.
        let more = [point, Self.deepest(point["extensions"])]
        func value(_ key: String) -> String { more.map { XMLReader.text($0[key]) }.first { !$0.isEmpty } ?? "" }
        add([
          name, time, XMLReader.text(point["lat"]), XMLReader.text(point["lon"]), value("ele"), value("course"),
          value("speed"),
          value("sat"), value("hdop"),
        ])
      }
    }
    report(withoutTime, "positions of tracks", because: "they have no times")
    report(XMLReader.elements(gpx["wpt"]).count, "waypoints", because: "they are not positions of a vehicle")
    let planned = XMLReader.elements(gpx["rte"]).reduce(0) { $0 + XMLReader.elements($1["rtept"]).count }
    report(planned, "points of routes", because: "a route is a plan and not a drive")
  }

  /// Returns the members of an `extensions` element, and of the elements inside it such as `TrackPointExtension`.
  private static func deepest(_ json: JSON?) -> JSON {
    guard let json, case .object(let members) = json else { return .null }
    var all: [String: JSON] = [:]
    for (key, value) in members {
      if case .object(let inner) = value { all.merge(inner) { first, _ in first } } else { all[key] = value }
    }
    return .object(all)
  }

  // MARK: KML

  private mutating func readKML(_ element: JSON, name: String) {
    let own = XMLReader.text(element["name"])
    let name = own.isEmpty ? name : own
    for key in ["document", "folder"] {
      for child in XMLReader.elements(element[key]) { readKML(child, name: name) }
    }
    for mark in XMLReader.elements(element["placemark"]) { readPlacemark(mark, name: name) }
  }

  private mutating func readPlacemark(_ mark: JSON, name: String) {
    let label = XMLReader.text(mark["name"])
    for track in XMLReader.elements(mark["track"])
      + XMLReader.elements(mark["multitrack"]).flatMap({ XMLReader.elements($0["track"]) })
    {
      let times = XMLReader.elements(track["when"]).map { XMLReader.text($0) }
      let places = XMLReader.elements(track["coord"]).map { XMLReader.text($0).split(separator: " ").map(String.init) }
      for (time, place) in zip(times, places) { add(time: time, place, name: name) }
      report(abs(times.count - places.count), "positions of \(quoted(label))", because: "they have no times")
    }
    for point in XMLReader.elements(mark["point"]) {
      add(time: XMLReader.text(mark["timestamp"]?["when"]), Self.places(point).first ?? [], name: name)
    }
    let lines =
      XMLReader.elements(mark["linestring"])
      + XMLReader.elements(mark["multigeometry"]).flatMap { XMLReader.elements($0["linestring"]) }
    let count = lines.reduce(0) { $0 + Self.places($1).count }
    report(count, "positions of the line \(quoted(label))", because: "KML has no times for the points of a line")
  }

  private mutating func add(time: String, _ place: [String], name: String) {
    count += 1
    guard !time.isEmpty, place.count >= 2 else {
      return report(1, "position", because: time.isEmpty ? "it has no time" : "it has no coordinates")
    }
    add([name, time, place[1], place[0], place.count > 2 ? place[2] : "", "", "", "", ""])
  }

  /// Returns the coordinates of an element, each in the order longitude, latitude, altitude.
  private static func places(_ element: JSON) -> [[String]] {
    XMLReader.text(element["coordinates"]).split(whereSeparator: \.isWhitespace).map {
      $0.split(separator: ",").map(String.init)
    }
  }

  // MARK: Helper functions

  private mutating func add(_ cells: [String]) { rows.append(CSVText.Row(line: count, cells: cells)) }

  private mutating func report(_ count: Int, _ what: String, because reason: String) {
    guard count > 0 else { return }
    rest.append(
      ImportRest(line: max(self.count, 1), rows: count, message: "not imported: \(count) \(what), because \(reason)"))
  }

  private func quoted(_ text: String) -> String { JSON.text(text).summary }
}

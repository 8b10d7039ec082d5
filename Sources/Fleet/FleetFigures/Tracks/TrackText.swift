import FleetDomain
import Telemetry

extension Track {
  /// Returns the track as a GeoJSON geometry (RFC 7946): a LineString, or a MultiLineString if it has several lines.
  /// The member `times` has the structure of `coordinates`, with a time for each position.
  ///
  /// If a line has only one position, it is written twice, because a LineString needs two.
  ///
  /// - Parameter members: additional members of the object, as JSON with a comma before each.
  public func geoJSON(members: String = "") -> [UInt8] {
    let lines = lines.map { $0.count == 1 ? $0 + $0 : $0 }
    let isSingle = lines.count < 2
    var text = Array(
      (isSingle ? #"{"type":"LineString","coordinates":"# : #"{"type":"MultiLineString","coordinates":"#).utf8)
    func write(_ point: (TrackPoint, inout [UInt8]) -> Void) {
      func write(_ line: [TrackPoint]) {
        text.append(UInt8(ascii: "["))
        for (index, item) in line.enumerated() {
          if index > 0 { text.append(UInt8(ascii: ",")) }
          point(item, &text)
        }
        text.append(UInt8(ascii: "]"))
      }
      if isSingle { return write(lines.first ?? []) }
      text.append(UInt8(ascii: "["))
      for (index, line) in lines.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        write(line)
      }
      text.append(UInt8(ascii: "]"))
    }
    write { point, text in text += Array("[\(point.longitude),\(point.latitude)]".utf8) }
    text += Array(#","times":"#.utf8)
    write { point, text in
      text.append(UInt8(ascii: "\""))
      let time = point.time.text
      for index in 0..<24 { text.append(time[index]) }
      text.append(UInt8(ascii: "\""))
    }
    text += Array(members.utf8)
    text.append(UInt8(ascii: "}"))
    return text
  }

  /// Returns the track as GPX 1.1, with a `trkseg` for each segment.
  ///
  /// - Parameter name: the name of the track.
  public func gpx(name: String) -> [UInt8] {
    var text = Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="fleetstore" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>\(Self.xml(name))</name>
      """.utf8)
    for segment in segments {
      text += Array("<trkseg>".utf8)
      for point in segment {
        let place = #"<trkpt lat="\#(Self.decimal(point.latitude))" lon="\#(Self.decimal(point.longitude))">"#
        text += Array("\(place)<time>\(point.time.string)</time></trkpt>".utf8)
      }
      text += Array("</trkseg>".utf8)
    }
    text += Array("</trk></gpx>\n".utf8)
    return text
  }

  /// Returns a number as `xsd:decimal`, which allows no exponent, with at most 9 decimals (0.1 mm).
  private static func decimal(_ number: Double) -> String {
    let text = number.description
    guard text.contains("e") else { return text }
    // Swift writes coordinates with an exponent only if they are near 0.
    let units = Int64((number.magnitude * 1e9).rounded())
    let digits = String(units)
    return (number < 0 ? "-" : "") + "0." + String(repeating: "0", count: max(9 - digits.count, 0)) + digits
  }

  private static func xml(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }
}

import FleetDomain
import FleetStorage
import FleetWeb
import JSONText
import Logging
import Telemetry

extension TileFile: TileReader {}

/// The base map of the web app, as the configuration describes it.
///
///     {"tiles":"germany.mbtiles"}
///     {"tiles":"https://tiles.example/{z}/{x}/{y}.png","attribution":"© OpenStreetMap contributors"}
struct WebMap: Equatable {
  enum Tiles: Equatable {
    /// The path of an MBTiles file.
    case file(String)
    /// The address of tiles on another server.
    case template(String)
  }

  let tiles: Tiles
  /// The copyright notice for the map; `nil` for the notice in the file.
  let attribution: String?
  /// The maximum zoom level; `nil` for the maximum of the file or, for a template, ``usualZoom``.
  let maxZoom: Int?

  /// The maximum zoom level of a template if the configuration contains none. Most tile servers have this maximum.
  private static let usualZoom = 19

  init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    let value = try reader.required("tiles")
    attribution = try reader.optionalString("attribution")
    maxZoom = try reader.optionalInt("maxZoom", in: 0...24)
    let text = try value.requireString()
    if text.hasPrefix("https://") || text.hasPrefix("http://") {
      guard text.utf8.count < 2_048, BaseMap.origin(of: text) != nil else {
        throw value.invalid(expected: "an HTTPS address with {z}, {x} and {y}, or a path")
      }
      guard attribution != nil else {
        throw value.invalid(
          expected: "attribution beside an address: the text that the owner of the map's data requires")
      }
      tiles = .template(text)
    } else {
      tiles = .file(try Configuration.path(value, folder))
    }
    if attribution?.isEmpty ?? false { throw value.invalid(expected: "an attribution that is not empty") }
  }

  func write(to line: inout JSONLineEncoder) {
    line.beginObject("map")
    switch tiles {
    case .file(let text), .template(let text): line.field("tiles", text)
    }
    line.field("attribution", attribution)
    line.field("maxZoom", maxZoom)
    line.end()
  }

  /// Opens the map. If its file is missing or faulty, logs one warning and returns `nil`; the app then draws the
  /// outline map that the app itself contains.
  func open(_ logger: Logger) -> BaseMap? {
    switch tiles {
    case .template(let address):
      return BaseMap(
        .template(address), format: .png, attribution: attribution ?? "", zooms: 0...(maxZoom ?? Self.usualZoom))
    case .file(let path):
      do throws(StorageError) {
        let file = try TileFile(path: path)
        let name = file.metadata["format"] ?? ""
        guard let format = BaseMap.Format(rawValue: name == "jpeg" ? "jpg" : name) else {
          logger.warning(
            "no base map, the web app shows its outline: \(path): expected the format png, jpg, webp or pbf, found \"\(name)\""
          )
          return nil
        }
        let zooms = file.zooms.clamped(to: 0...max(file.zooms.lowerBound, maxZoom ?? 24))
        return BaseMap(
          .reader(file), format: format, attribution: attribution ?? file.metadata["attribution"] ?? "", zooms: zooms)
      } catch {
        logger.warning("no base map, the web app shows its outline: \(error)")
        return nil
      }
    }
  }
}

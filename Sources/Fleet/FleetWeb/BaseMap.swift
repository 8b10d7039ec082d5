/// A source of map tiles, such as a file.
public protocol TileReader: Sendable {
  /// Returns the bytes of a tile as they are stored; `nil` if there is no such tile. Row 0 is the northernmost row, as
  /// in tile URLs.
  func tile(zoom: Int, column: Int, row: Int) async throws -> [UInt8]?
}

/// The base map of the web app. Its tiles come from this server or from another server.
public struct BaseMap: Sendable {
  /// The formats of tiles.
  public enum Format: String, CaseIterable, Sendable {
    case png, jpg, webp
    /// Mapbox vector tiles.
    case pbf

    /// The value of the header `Content-Type`.
    public var type: String {
      switch self {
      case .png: "image/png"
      case .jpg: "image/jpeg"
      case .webp: "image/webp"
      case .pbf: "application/x-protobuf"
      }
    }
  }

  /// The source of the tiles.
  public enum Source: Sendable {
    case reader(any TileReader)
    /// Another server. The value is a template for the URLs of its tiles, which contains `{z}`, `{x}` and `{y}`.
    case template(String)
  }

  public let source: Source
  public let format: Format
  /// The text that the owner of the map data requires to be shown; an empty text if none is required.
  public let attribution: String
  /// The zoom levels that have tiles.
  public let zooms: ClosedRange<Int>

  public init(_ source: Source, format: Format, attribution: String, zooms: ClosedRange<Int>) {
    self.source = source
    self.format = format
    self.attribution = attribution
    self.zooms = zooms
  }

  /// The path of the JSON document in which the app reads the properties of the map.
  public static let descriptionPath = "/map/source.json"
  private static let tilesPath = "/map/tiles/"

  /// The origin of the other server, for the content security policy; `nil` if the tiles come from this server.
  public var origin: String? {
    guard case .template(let address) = source else { return nil }
    return Self.origin(of: address)
  }

  /// Returns the scheme, host and port of a template; `nil` unless it is an HTTPS URL that contains `{z}`, `{x}` and
  /// `{y}`.
  public static func origin(of template: String) -> String? {
    let scheme = "https://"
    guard template.hasPrefix(scheme), template.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 }),
      ["{z}", "{x}", "{y}"].allSatisfy({ template.contains($0) })
    else { return nil }
    let host = template.dropFirst(scheme.count).prefix { $0 != "/" }
    // A comma or a semicolon would end the origin in the content security policy.
    let isHost = host.utf8.allSatisfy {
      (0x30...0x3A).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x2E
    }
    return isHost && !host.isEmpty && template.dropFirst(scheme.count + host.count).first == "/" ? scheme + host : nil
  }

  /// The properties of the map as JSON, for the web app.
  public var description: String {
    let address =
      switch source {
      case .reader: Self.tilesPath + "{z}/{x}/{y}"
      case .template(let address): address
      }
    let members = [
      #""tiles":\#(Self.quoted(address))"#, #""isVector":\#(format == .pbf)"#,
      #""attribution":\#(Self.quoted(attribution))"#,
      #""minZoom":\#(zooms.lowerBound)"#, #""maxZoom":\#(zooms.upperBound)"#,
    ]
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\" + String(scalar)
      case _ where scalar.value < 0x20: quoted += " "
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// The zoom level, column and row of a tile.
  public struct Tile: Equatable, Sendable {
    public let zoom: Int
    public let column: Int
    public let row: Int
  }

  /// Returns the tile that a path names; `nil` if the path does not name a tile of this server.
  public func tile(at path: Substring) -> Tile? {
    guard case .reader = source, path.hasPrefix(Self.tilesPath) else { return nil }
    let parts = path.dropFirst(Self.tilesPath.count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ (1...9).contains($0.utf8.count) }), let zoom = Int(parts[0]),
      let column = Int(parts[1]), let row = Int(parts[2]), zooms.contains(zoom), zoom <= 24
    else { return nil }
    let size = 1 << zoom
    guard (0..<size).contains(column), (0..<size).contains(row) else { return nil }
    return Tile(zoom: zoom, column: column, row: row)
  }

  /// Returns the content of a tile, and whether the content is compressed with gzip, as most vector tiles are; `nil` if
  /// there is no such tile.
  public func content(of tile: Tile) async throws -> (bytes: [UInt8], isPacked: Bool)? {
    guard case .reader(let reader) = source,
      let bytes = try await reader.tile(zoom: tile.zoom, column: tile.column, row: tile.row)
    else { return nil }
    return (bytes, bytes.starts(with: [0x1F, 0x8B]))
  }
}

import FleetWeb
import Testing

/// The base map of the web app.
@Suite struct BaseMapTests {
  private struct Tiles: TileReader {
    func tile(zoom: Int, column: Int, row: Int) async throws -> [UInt8]? {
      zoom == 2 ? nil : [0x1F, 0x8B, UInt8(zoom), UInt8(column), UInt8(row)]
    }
  }

  private static let map = BaseMap(.reader(Tiles()), format: .pbf, attribution: #"© "A" \\ B"#, zooms: 1...14)

  @Test(arguments: [
    ("/map/tiles/1/0/1", true), ("/map/tiles/14/16383/16383", true), ("/map/tiles/14/16384/0", false),
    ("/map/tiles/0/0/0", false), ("/map/tiles/15/0/0", false), ("/map/tiles/1/0", false), ("/map/tiles/1/0/-1", false),
    ("/map/tiles/1/0/1.png", false), ("/map/tiles/1/0/1/", false), ("/map/tiles/1//1", false), ("/map/1/0/1", false),
    ("/map/tiles/1/0/99999999999999999999", false),
  ])
  func finds_only_tiles_that_exist(path: String, isTile: Bool) {
    #expect((Self.map.tile(at: path[...]) != nil) == isTile)
  }

  @Test func detects_whether_a_tile_is_compressed() async throws {
    let tile = try #require(Self.map.tile(at: "/map/tiles/1/0/1"))
    let content = try #require(try await Self.map.content(of: tile))
    #expect(content.isPacked && content.bytes == [0x1F, 0x8B, 1, 0, 1])
    let none = try #require(Self.map.tile(at: "/map/tiles/2/0/1"))
    #expect(try await Self.map.content(of: none) == nil)
  }

  @Test func describes_itself_in_JSON() {
    #expect(
      Self.map.description
        == #"{"tiles":"/map/tiles/{z}/{x}/{y}","isVector":true,"attribution":"© \"A\" \\\\ B","minZoom":1,"maxZoom":14}"#
    )
  }

  @Test(arguments: [
    ("https://tiles.example/{z}/{x}/{y}.png", "https://tiles.example"),
    ("https://a.b:8443/{z}/{x}/{y}?key=1", "https://a.b:8443"), ("http://tiles.example/{z}/{x}/{y}.png", nil),
    ("https://tiles.example/{z}/{x}.png", nil), ("https://a; script-src *;/{z}/{x}/{y}", nil),
    ("https://a,b/{z}/{x}/{y}", nil), ("https:///{z}/{x}/{y}", nil), ("https://{z}/{x}/{y}", nil),
    ("https://a.b{z}{x}{y}", nil),
  ])
  func accepts_templates_whose_origin_fits_a_policy(template: String, origin: String?) {
    #expect(BaseMap.origin(of: template) == origin)
  }
}

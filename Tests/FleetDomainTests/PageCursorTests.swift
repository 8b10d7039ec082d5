import FleetDomain
import Testing

@Suite struct PageCursorTests {
  private static let cursor = PageCursor(
    time: .min, sequence: .max, idHigh: 7, idLow: .max, vehicle: -1, recordClass: 255)
  private static let scope = Array("telemetry of VAN-001".utf8)

  private func key(_ byte: UInt8) throws -> CursorKey { try #require(CursorKey(Array(repeating: byte, count: 16))) }

  @Test func a_sealed_page_cursor_opens_to_its_content() throws {
    let text = Self.cursor.text(scope: Self.scope, key: try key(1))
    #expect(PageCursor(text, scope: Self.scope, key: try key(1)) == Self.cursor)
  }

  /// 40 bytes of an earlier version: time, id, vehicle, class.
  @Test func a_cursor_of_an_earlier_version_lacks_the_seq_alone() throws {
    let old = PageCursor(time: -5, sequence: nil, idHigh: 7, idLow: 8, vehicle: 9, recordClass: 3)
    let text = old.text(scope: Self.scope, key: try key(1))
    #expect(text.count == 96)
    #expect(text.hasPrefix("fffffffffffffffb0000000000000007000000000000000800000000000000090000000000000003"))
    #expect(PageCursor(text, scope: Self.scope, key: try key(1)) == old)
  }

  @Test func another_scope_or_key_opens_nothing() throws {
    let text = Self.cursor.text(scope: Self.scope, key: try key(1))
    #expect(PageCursor(text, scope: Self.scope + [0], key: try key(1)) == nil)
    #expect(PageCursor(text, scope: Self.scope, key: try key(2)) == nil)
    #expect(CursorKey([1, 2, 3]) == nil)
  }

  @Test func a_text_is_sealed_alike() throws {
    let text = PageCursor.text(after: "VAN-ä", scope: Self.scope, key: try key(1))
    #expect(PageCursor.last(of: text, scope: Self.scope, key: try key(1)) == "VAN-ä")
    #expect(PageCursor.last(of: text, scope: Self.scope, key: try key(2)) == nil)
    #expect(PageCursor.last(of: "00" + text, scope: Self.scope, key: try key(1)) == nil)
    #expect(PageCursor.last(of: String(text.dropLast(2)), scope: Self.scope, key: try key(1)) == nil)
  }
}

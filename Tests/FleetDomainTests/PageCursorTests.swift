import FleetDomain
import Testing

@Suite struct PageCursorTests {
  private static let cursor = PageCursor(time: .min, idHigh: 7, idLow: .max, vehicle: -1, recordClass: 255)
  private static let scope = Array("telemetry of VAN-001".utf8)

  private func key(_ byte: UInt8) throws -> CursorKey { try #require(CursorKey(Array(repeating: byte, count: 16))) }

  @Test func what_was_sealed_is_opened() throws {
    let text = Self.cursor.text(scope: Self.scope, key: try key(1))
    #expect(PageCursor(text, scope: Self.scope, key: try key(1)) == Self.cursor)
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

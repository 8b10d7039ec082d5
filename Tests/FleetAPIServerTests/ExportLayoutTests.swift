import FleetDomain
import Testing

@testable import FleetAPI

@Suite struct ExportLayoutTests {
  @Test func each_value_is_in_the_cell_of_its_column() {
    let columns = [["id"], ["amount", "value"], ["amount", "currency"], ["tags"], ["amount"]].map(ExportColumn.init)
    let element = JSON.object([
      "id": .text("A"), "amount": .object(["value": .integer(3), "other": .bool(true)]), "unknown": .integer(1),
      "tags": .array([.text("x"), .text("y")]),
    ])
    #expect(
      ExportLayout(columns).cells(of: element) == [
        .text("A"), .number("3"), .empty, .text("x; y"), .text(#"{"other":true,"value":3}"#),
      ])
    #expect(ExportLayout(columns).cells(of: .null) == [ExportCell](repeating: .empty, count: 5))
  }

  @Test func other_members_are_in_the_last_column() {
    let layout = ExportLayout([ExportColumn(path: ["id"]), .more])
    let element = JSON.object(["id": .text("A"), "more": .integer(1), "x": .bool(true)])
    #expect(layout.cells(of: element) == [.text("A"), .text(#"{"more":1,"x":true}"#)])
    #expect(layout.cells(of: .object(["id": .text("B")])) == [.text("B"), .empty])
  }
}

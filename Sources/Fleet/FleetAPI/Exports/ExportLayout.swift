import FleetDomain

/// Finds the cells of each row of a file. The work for a row depends on the number of members that the row's element
/// has, not on the number of columns that the file has. For each column without a value, only an empty cell is added.
struct ExportLayout: Sendable {
  let columns: [ExportColumn]
  /// For each key of an element, the columns whose values come from the member with this key: the keys that lead from
  /// the member to the value, and the index of the column.
  private let places: [String: [(path: ArraySlice<String>, column: Int)]]
  /// The index of the column ``ExportColumn/more``; `nil` if the file does not have this column.
  private let more: Int?

  init(_ columns: [ExportColumn]) {
    self.columns = columns
    more = columns.last == .more ? columns.count - 1 : nil
    var places: [String: [(path: ArraySlice<String>, column: Int)]] = [:]
    for (index, column) in columns.enumerated() where index != more {
      guard let first = column.path.first else { continue }
      places[first, default: []].append((column.path.dropFirst(), index))
    }
    self.places = places
  }

  /// Returns the cells of one row: for each column, the value that an element contains for it.
  func cells(of element: JSON) -> [ExportCell] {
    var cells = [ExportCell](repeating: .empty, count: columns.count)
    guard case .object(let members) = element else { return cells }
    var rest: [String: JSON] = [:]
    for (key, value) in members {
      guard let places = places[key] else {
        if more != nil { rest[key] = value }
        continue
      }
      for place in places { cells[place.column] = ExportCell(Self.value(value, place.path)) }
    }
    if let more, !rest.isEmpty { cells[more] = ExportCell(.object(rest)) }
    return cells
  }

  private static func value(_ json: JSON, _ path: ArraySlice<String>) -> JSON {
    guard let first = path.first else { return json }
    return json[first].map { value($0, path.dropFirst()) } ?? .null
  }
}

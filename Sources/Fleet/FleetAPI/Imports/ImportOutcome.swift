import FleetDomain
import FleetWork

/// The result of an import. For each row, it contains the action and the thing, or the error.
struct ImportOutcome: Sendable {
  enum Action: String {
    case create, change, unchanged
  }

  var rows: [(line: Int, action: Action, id: String)] = []
  var errors: [ImportError] = []
  /// One entry for each row whose thing was imported before but now has other values than the row.
  var different: [ImportError] = []

  /// Returns the body of the answer to an import request.
  func json(_ file: ImportFile, _ kind: ImportKind, isDryRun: Bool) -> JSON {
    func count(_ action: Action) -> JSON { .integer(Int64(rows.count { $0.action == action })) }
    func json(_ error: ImportError) -> JSON {
      var members: [String: JSON] = ["line": .integer(Int64(error.line)), "message": .text(error.message)]
      if let column = error.column { members["column"] = .integer(Int64(column)) }
      return .object(members)
    }
    func json(_ rest: ImportRest) -> JSON {
      var members: [String: JSON] = ["line": .integer(Int64(rest.line)), "message": .text(rest.message)]
      members["rows"] = rest.rows.map { .integer(Int64($0)) }
      if !rest.columns.isEmpty { members["columns"] = .array(rest.columns.map { .text($0) }) }
      return .object(members)
    }
    let errors = (file.errors + errors).sorted { ($0.line, $0.column ?? 0) < ($1.line, $1.column ?? 0) }
    return .object([
      "format": .text(file.format.rawValue), "kind": .text(kind.rawValue), "dryRun": .bool(isDryRun),
      "created": count(.create), "changed": count(.change), "unchanged": count(.unchanged),
      "rows": .array(
        rows.map { row in
          .object(["line": .integer(Int64(row.line)), "action": .text(row.action.rawValue), "id": .text(row.id)])
        }),
      "skipped": .array((file.skipped + different).sorted { $0.line < $1.line }.map(json)),
      "warnings": .array(file.warnings.map(json)), "notImported": .array(file.rest.map(json)),
      "errors": .array(errors.map(json)),
    ])
  }
}

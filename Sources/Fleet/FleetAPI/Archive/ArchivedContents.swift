import FleetDomain
import Telemetry

/// The contents that the files of an archive need, as the rows of the files name them.
///
/// The database may change while an archive is written. The rows have the state of one moment, so an archive has the
/// contents of that moment.
struct ArchivedContents: Sendable {
  /// The SHA-256 of the contents, each once, in the order of the rows.
  private(set) var names: [String] = []
  private var known: Set<String> = []

  /// Adds the contents that a row of a file needs. Rows of other tables need none.
  mutating func add(_ values: [JSON], of table: String, columns: [String]) {
    guard table == StoredFile.names.table else { return }
    var file = StoredFile()
    for (column, value) in zip(columns, values) {
      switch column {
      case "sha256": file.sha256 = value.textValue
      case "versions": file.versions = Self.versions(value)
      // The bytes of an upload are not in the archive; its client sends them again.
      case "status": if value == StoredFile.Status.uploading.json { return }
      default: break
      }
    }
    for name in file.contents where known.insert(name).inserted { names.append(name) }
  }

  /// Returns the copies of an image; none if they cannot be read, so that the uploaded content is needed.
  private static func versions(_ column: JSON) -> [StoredFile.Version] {
    guard let text = column.textValue, let json = try? JSON(parsing: Array(text.utf8)) else { return [] }
    return (try? [StoredFile.Version](json: json)) ?? []
  }
}

/// What was written to an archive, or read from it.
public struct ArchiveCounts: Equatable, Sendable {
  public var rows: Int64 = 0
  public var records: Int64 = 0
  /// The number of contents that files need, and that the archive lacks.
  public var missingContents = 0
}

import FleetDomain
import Telemetry

/// Collects the names (SHA-256) of the contents that the files in an archive need. These names are in the archive's
/// rows that describe the files.
///
/// The database may change while an archive is written. The names are taken from the rows of the archive, which all
/// show the state at one moment; so the names belong to the same moment.
struct ArchivedContents: Sendable {
  /// The SHA-256 of each content, without duplicates, in the order of the rows.
  private(set) var names: [String] = []
  private var known: Set<String> = []

  /// Adds the contents that a row needs. Rows of tables other than the table of files need no contents.
  mutating func add(_ values: [JSON], of table: String, columns: [String]) {
    guard table == StoredFile.names.table else { return }
    var file = StoredFile()
    for (column, value) in zip(columns, values) {
      switch column {
      case "sha256": file.sha256 = value.textValue
      case "versions": file.versions = Self.versions(value)
      // Skip unfinished uploads: the archive does not contain their bytes, and their clients send them again.
      case "status": if value == StoredFile.Status.uploading.json { return }
      default: break
      }
    }
    for name in file.contents where known.insert(name).inserted { names.append(name) }
  }

  /// Returns the stored copies of an image. If the column cannot be parsed, returns an empty array: the archive then
  /// needs only the uploaded content.
  private static func versions(_ column: JSON) -> [StoredFile.Version] {
    guard let text = column.textValue, let json = try? JSON(parsing: Array(text.utf8)) else { return [] }
    return (try? [StoredFile.Version](json: json)) ?? []
  }
}

/// How many items of each type were written to an archive, or read from it.
public struct ArchiveCounts: Equatable, Sendable {
  public var rows: Int64 = 0
  public var records: Int64 = 0
  /// The number of contents that files need but the archive does not contain.
  public var missingContents = 0
}

import FleetDomain
import Telemetry

/// Collects the contents that belong to the files in an archive. The rows of the files name them.
///
/// The database may change while an archive is written. All rows of the archive show the state at one moment, so the
/// contents that they name are those of that moment.
struct ArchivedContents: Sendable {
  /// The SHA-256 of each content, without duplicates, in the order of the rows.
  private(set) var names: [String] = []
  private var known: Set<String> = []

  /// Adds the contents that a row needs. Only rows of the table of files need contents.
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

  /// Returns the copies of an image. If they cannot be read, returns none; the archive then needs the uploaded content.
  private static func versions(_ column: JSON) -> [StoredFile.Version] {
    guard let text = column.textValue, let json = try? JSON(parsing: Array(text.utf8)) else { return [] }
    return (try? [StoredFile.Version](json: json)) ?? []
  }
}

/// The counts of what was written to an archive, or read from it.
public struct ArchiveCounts: Equatable, Sendable {
  public var rows: Int64 = 0
  public var records: Int64 = 0
  /// The number of contents that files need, but that the archive does not contain.
  public var missingContents = 0
}

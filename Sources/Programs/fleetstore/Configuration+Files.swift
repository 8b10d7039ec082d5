import FleetFiles
import JSONText

extension Configuration {
  mutating func readFiles(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    guard var object = try reader.optionalObject("files") else { return }
    var files = server.files
    if let value = object.optional("folder") { files.folder = try Self.path(value, folder) }
    files.fileBytes = try object.optionalInt("fileBytes", in: 1_024...1_099_511_627_776) ?? files.fileBytes
    files.tenantBytes = try object.optionalInt("tenantBytes", in: 1_024...1_125_899_906_842_624) ?? files.tenantBytes
    files.personBytes = try object.optionalInt("personBytes", in: 1_024...1_125_899_906_842_624) ?? files.personBytes
    files.images = try object.optionalInt("images", in: 1...64) ?? files.images
    if let value = object.optional("s3") {
      guard files.folder == nil else { throw value.invalid(expected: "no files.folder beside it", found: "one") }
      files.s3 = try bucket(value, folder: folder)
      guard files.fileBytes <= S3FileStore.mostBytes else {
        throw value.invalid(
          expected: "files.fileBytes of at most \(S3FileStore.mostBytes) beside it", found: "\(files.fileBytes)")
      }
    }
    try object.finish()
    server.files = files
  }

  /// Sets the folders of the server's helper programs. If the configuration has neither a folder nor a bucket for the
  /// contents of files, and the database is SQLite, also sets the folder for these contents: a folder beside the
  /// database. With PostgreSQL there is no default folder, because several servers may use the same database.
  mutating func useStandardFolders() {
    if server.files.folder == nil, server.files.s3 == nil, case .sqlite(let path) = database {
      server.files.folder = path + ".files"
    }
    server.files.helperFolder = ProgramFolder.path(source: "Sources/Fleet/FleetFiles/Helper", installed: "helper")
    // An administrator installs these packages (docs/FleetStore.md).
    server.files.packagesFolder = ProgramFolder.path(
      source: ".tools/models", installed: "../../local/lib/fleetstore/models")
    server.files.recognizerFolder = ProgramFolder.path(source: ".tools/recognizer", installed: "recognizer")
  }
}

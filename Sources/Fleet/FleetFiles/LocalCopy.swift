/// Makes contents readable for programs of this machine.
enum LocalCopy {
  /// The number of bytes that are copied in one step.
  private static let pieceBytes = 1 << 20

  /// Returns a file that contains the given content. If the content is not stored as a file on this machine, it is
  /// copied to a file without a name in the folder for temporary files (`TMPDIR`).
  static func file(of content: any StoredContent) async throws(FileError) -> FolderFile {
    if let local = content as? FolderContent { return local.file }
    let file = try FolderFile.temporary()
    var offset: Int64 = 0
    while offset < content.size {
      let bytes = try await content.read(at: offset, count: pieceBytes)
      guard !bytes.isEmpty else { throw .system("a content has \(offset) of \(content.size) bytes") }
      try file.write(bytes, at: offset)
      offset += Int64(bytes.count)
    }
    return file
  }
}

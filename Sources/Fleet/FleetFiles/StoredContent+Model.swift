import ModelFiles

/// The threads that check 3D models, so that a large model does not delay other files.
private let modelThreads = FileThreads(4)

extension StoredContent {
  /// Checks a 3D model, and counts its vertices, triangles and other parts. The file is read in pieces.
  ///
  /// - Throws: ``ModelError`` if it is invalid; ``FileError`` if it cannot be read.
  public func model(as format: ModelFormat) async throws -> ModelFacts {
    let (file, size) = (try await LocalCopy.file(of: self), size)
    // The random key selects any thread, because models need not be checked in order.
    let result = try await modelThreads.run(UInt64.random(in: 0 ... .max)) {
      () throws(FileError) -> Result<ModelFacts, ModelError> in
      let bytes = ModelBytes(count: Int(size)) { offset, count in
        try? file.read(at: Int64(offset), count: count)
      }
      do throws(ModelError) {
        return .success(try ModelFacts(checking: bytes, as: format))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

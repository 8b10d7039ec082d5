import Glibc
import ModelFiles

extension StoredContent {
  /// Checks a 3D model, and counts its vertices, triangles and other parts. The file is read in pieces.
  ///
  /// - Throws: ``ModelError`` if it is invalid; ``FileError`` if it cannot be read.
  public func model(as format: ModelFormat) async throws -> ModelFacts {
    let (file, size) = (file, size)
    let result = try await threads.run(sha256) { () throws(FileError) -> Result<ModelFacts, ModelError> in
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

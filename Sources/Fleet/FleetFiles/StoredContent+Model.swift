import FleetDomain
import Glibc
import ModelFiles

/// The processors that check 3D models. They serve one tenant after another, so that a large model does not delay other
/// files. The time limit is longer than the check of the largest valid file takes.
private let modelTurns = FairTurns(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1, 1), limit: .seconds(300))

extension StoredContent {
  /// Checks a 3D model, and counts its vertices, triangles and other parts. The file is read in pieces, and between two
  /// pieces, files of other tenants are checked. The check uses the turns of ``FleetDomain/StorageCaller/current``.
  ///
  /// - Throws: ``ModelError`` if it is invalid; ``FairTurns/Stop`` if the check takes too long; ``FileError`` if the
  ///   file cannot be read.
  public func model(as format: ModelFormat) async throws -> ModelFacts {
    let (file, size) = (try await LocalCopy.file(of: self), size)
    return try await modelTurns.run(for: StorageCaller.current) {
      let bytes = ModelBytes(count: Int(size)) { offset, count in
        guard WorkTurn.mayContinue else { return nil }
        return try? file.read(at: Int64(offset), count: count)
      }
      return try ModelFacts(checking: bytes, as: format)
    }
  }
}

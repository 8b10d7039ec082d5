import Failures
import Glibc

/// The storage of the fences that were last fetched from a server: `fences.geojson` in the state directory. With it,
/// the daemon has the fences at its next start even without a network.
enum ServerFences {
  /// The name of the fetched fences in messages.
  static let place = "the fleet store's fences"
  private static let name = "/fences.geojson"

  /// Replaces the stored fences.
  ///
  /// - Parameter folder: the state directory; `nil` to store nothing.
  static func store(_ text: [UInt8], in folder: String?) throws(Failure) {
    if let folder { try FileText.replace(folder + name, with: text) }
  }

  /// Reads the stored fences.
  ///
  /// - Parameter folder: the state directory; `nil` if there is none. The result is then `nil`.
  /// - Returns: the GeoJSON text of the fences; `nil` if no fences are stored.
  static func read(in folder: String?) throws(Failure) -> [UInt8]? {
    guard let path = folder.map({ $0 + name }), unsafe access(path, F_OK) == 0 else { return nil }
    return try FileText.read(path, limit: FileText.fenceLimit)
  }
}

import JSONText
import Sinks

/// Files that records must not be written to.
extension GatewayConfiguration {
  /// A `file` sink writes to whatever it is given: what the daemon reads or keeps itself would be spoilt by it.
  ///
  /// - Parameters:
  ///   - value: the `sinks`.
  ///   - file: the configuration's own path.
  func refuseOwnFiles(_ value: JSONValue, _ file: String) throws(JSONError) {
    let named = Set(filesNamed.map(\.standardPath))
    for (index, sink) in sinks.enumerated() {
      guard case .file(let output) = sink else { continue }
      let path = output.path.standardPath
      let found: String
      if path == file.standardPath {
        found = "this configuration"
      } else if named.contains(path) {
        found = "one that this configuration names"
      } else if isKept(path) {
        found = "one that the daemon keeps in its stateDirectory"
      } else {
        continue
      }
      throw (value[index]?["path"] ?? value).invalid(expected: "a file of its own", found: found)
    }
  }

  /// Files that are read because the configuration names them, and its socket.
  private var filesNamed: [String] {
    var files = adapters.map(\.pinFile) + [geofences?.file] + signalSets
    for sink in sinks {
      switch sink {
      case .fleetStore(let store): files += [store.tokenFile] + store.tls.files
      case .mqtt(let broker): files += [broker.userFile, broker.passwordFile] + broker.tls.files
      case .file, .stdout: break
      }
    }
    if case .at(let socket) = status.socket { files.append(socket) }
    return files.compactMap { $0 }
  }

  /// Whether a path, in its shortest form, is of a file that the daemon keeps in its state directory.
  private func isKept(_ path: String) -> Bool {
    guard let stateDirectory, let slash = path.lastIndex(of: "/") ?? path.indices.first else { return false }
    let name = path[slash] == "/" ? path[path.index(after: slash)...] : path[...]
    guard "\(stateDirectory)/\(name)".standardPath == path else { return false }
    // The spool with what SQLite has beside it, its lock, and what was set aside as damaged.
    if name.hasPrefix("spool.") { return true }
    // Files are written anew as drafts; of refused records the file before is kept.
    let files = ["adapters.jsonl", "trips.jsonl", "fences.json", "fences.geojson"]
    let refused = sinks.map { "refused-\($0.name).jsonl" }
    return name == "obdgated.sock" || files.contains { name == $0 || name == $0 + ".new" }
      || refused.contains { name == $0 || name == $0 + ".1" }
  }
}

extension TLSFiles {
  fileprivate var files: [String?] { [authorities, certificate, key] }
}

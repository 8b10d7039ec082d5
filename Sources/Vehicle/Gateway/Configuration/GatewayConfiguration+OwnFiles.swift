import JSONText
import Sinks

/// Checks that no sink writes to a file that the daemon itself uses.
extension GatewayConfiguration {
  /// Rejects a `file` sink that would overwrite a file that the daemon itself reads or writes.
  ///
  /// - Parameters:
  ///   - value: the array `sinks`.
  ///   - file: path of the configuration file.
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

  /// The paths of all files that the configuration names, and of the status socket. The files to which `file` sinks
  /// write are left out.
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

  /// Whether the daemon itself writes a file with this path in its state directory. The path must be in its shortest
  /// form (`standardPath`).
  private func isKept(_ path: String) -> Bool {
    guard let stateDirectory, let slash = path.lastIndex(of: "/") ?? path.indices.first else { return false }
    let name = path[slash] == "/" ? path[path.index(after: slash)...] : path[...]
    guard "\(stateDirectory)/\(name)".standardPath == path else { return false }
    // The spool, the files that SQLite creates next to it, the spool's lock, and copies of damaged spools.
    if name.hasPrefix("spool.") { return true }
    // Files are first written under a name with `.new` at the end. The previous dead-letter file has `.1` at the end of
    // its name.
    let files = ["adapters.jsonl", "trips.jsonl", "fences.json", "fences.geojson"]
    let refused = sinks.map { "refused-\($0.name).jsonl" }
    return name == "obdgated.sock" || files.contains { name == $0 || name == $0 + ".new" }
      || refused.contains { name == $0 || name == $0 + ".1" }
  }
}

extension TLSFiles {
  fileprivate var files: [String?] { [authorities, certificate, key] }
}

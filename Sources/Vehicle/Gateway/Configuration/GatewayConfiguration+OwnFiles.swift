import JSONText
import Sinks

/// Files of the daemon, to which no sink may write.
extension GatewayConfiguration {
  /// Rejects a `file` sink that would overwrite a file that the daemon reads or writes itself.
  ///
  /// - Parameters:
  ///   - value: the `sinks`.
  ///   - file: path of the configuration.
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

  /// The files that the configuration names, and the socket.
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

  /// Whether a path, in its shortest form, is that of a file that the daemon writes in its state directory.
  private func isKept(_ path: String) -> Bool {
    guard let stateDirectory, let slash = path.lastIndex(of: "/") ?? path.indices.first else { return false }
    let name = path[slash] == "/" ? path[path.index(after: slash)...] : path[...]
    guard "\(stateDirectory)/\(name)".standardPath == path else { return false }
    // The spool, SQLite's files beside it, its lock, and damaged files.
    if name.hasPrefix("spool.") { return true }
    // Each file is first written under another name. One earlier dead-letter file is kept.
    let files = ["adapters.jsonl", "trips.jsonl", "fences.json", "fences.geojson"]
    let refused = sinks.map { "refused-\($0.name).jsonl" }
    return name == "obdgated.sock" || files.contains { name == $0 || name == $0 + ".new" }
      || refused.contains { name == $0 || name == $0 + ".1" }
  }
}

extension TLSFiles {
  fileprivate var files: [String?] { [authorities, certificate, key] }
}

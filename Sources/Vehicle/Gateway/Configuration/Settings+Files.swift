import Failures
import Glibc
import Sinks

/// The files and folders that the daemon opens only after its start, checked without a start.
extension Settings {
  /// The result of ``checkFiles(of:)``, one line for each file.
  public struct FileFaults: Sendable {
    /// Files with which the daemon or a sink would not work.
    public var faults: [String] = []
    /// Files that this user cannot judge, and libraries that are missing.
    public var warnings: [String] = []
  }

  /// Checks secrets, TLS files, the folders of file sinks, the state directory, and the folder of the socket. Nothing is
  /// changed.
  ///
  /// - Parameter file: path of the configuration, for messages; `nil` for the defaults.
  public func checkFiles(of file: String?) -> FileFaults {
    var found = FileFaults()
    let prefix = file.map { "\($0): " } ?? ""
    func add(_ key: String, _ error: some CustomStringConvertible, path: String = "") {
      // systemd makes these for the service, and shows credentials only to it.
      if ["/run/credentials/", "/var/lib/obdgate", "/run/obdgate"].contains(where: { path.hasPrefix($0) }) {
        found.warnings.append("\(prefix)\(key): \(error); only the running service can use it")
      } else {
        found.faults.append("\(prefix)\(key): \(error)")
      }
    }
    if configuration.presentGatewayId == nil {
      add("gatewayId", "not configured, and this machine has no /etc/machine-id; set one")
    }
    for (index, adapter) in configuration.adapters.enumerated() where adapter.pinFile != nil {
      do throws(SinkError) {
        _ = try adapter.readPIN()
      } catch {
        add("adapters[\(index)].pinFile", error, path: error.place)
      }
    }
    let folder = configuration.stateDirectory
    let stateFault = folder.flatMap { StateFolder.fault(of: $0) }
    for (index, sink) in configuration.sinks.enumerated() {
      for (key, error) in sink.fileFaults {
        // The daemon makes its state directory before it opens the sinks.
        if stateFault == nil, error.place == folder { continue }
        add("sinks[\(index)].\(key)", error, path: error.place)
      }
    }
    if let folder, let stateFault { add("stateDirectory", stateFault, path: folder) }
    if case .at(let socket) = configuration.status.socket, let end = socket.lastIndex(of: "/"),
      let reason = StateFolder.fault(of: String(socket[..<end]), isMade: false)
    {
      add("status.socket", reason, path: socket)
    }
    found.warnings += configuration.sinks.flatMap(\.missingLibraries).map(\.description)
    return found
  }
}

extension StateFolder {
  /// Returns the reason why a folder cannot be used; `nil` if it can.
  ///
  /// - Parameter isMade: whether it is made if it does not exist, with its parents.
  static func fault(of folder: String, isMade: Bool = true) -> String? {
    var place = folder.isEmpty ? "/" : folder
    var status = stat()
    while unsafe stat(place, &status) != 0 {
      let code = errno
      guard isMade, code == ENOENT, let end = place.lastIndex(of: "/") else { return "\(place): \(systemReason(code))" }
      place = end == place.startIndex ? "/" : String(place[..<end])
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return "\(place): a file, expected a folder" }
    guard unsafe access(place, W_OK | X_OK) == 0 else {
      let what = place == folder ? "cannot be written" : "\(folder) cannot be made in it"
      return "\(place): \(what): \(systemReason(errno))"
    }
    return nil
  }
}

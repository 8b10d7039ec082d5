import Failures
import Sinks

/// Checks those files and folders that a daemon opens only after its start. No daemon needs to run during the checks.
extension Settings {
  /// The result of ``checkFiles(of:)``: one message for each file, folder or library.
  public struct FileFaults: Sendable {
    /// Messages about files and folders with which the daemon or a sink would not work.
    public var faults: [String] = []
    /// Messages about missing libraries. Also contains a message for each file that only the running service can use,
    /// and that therefore could not be checked.
    public var warnings: [String] = []
  }

  /// Checks the gateway's ID, secrets, TLS files, the folders of file sinks, the state directory, and the folder of the
  /// status socket. It changes no file.
  ///
  /// - Parameter file: path of the configuration file, for messages; `nil` if the default configuration is used.
  public func checkFiles(of file: String?) -> FileFaults {
    var found = FileFaults()
    let prefix = file.map { "\($0): " } ?? ""
    func add(_ key: String, _ error: some CustomStringConvertible, path: String = "") {
      // systemd creates these folders for the service, and shows credentials only to the service.
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
    let stateFault = folder.flatMap { FolderCheck.fault(of: $0) }
    for (index, sink) in configuration.sinks.enumerated() {
      for (key, error) in sink.fileFaults {
        // The daemon creates its state directory before it opens the sinks.
        if stateFault == nil, error.place == folder { continue }
        add("sinks[\(index)].\(key)", error, path: error.place)
      }
    }
    if let folder, let stateFault { add("stateDirectory", stateFault, path: folder) }
    if case .at(let socket) = configuration.status.socket, let end = socket.lastIndex(of: "/"),
      let reason = FolderCheck.fault(of: String(socket[..<end]), isMade: false)
    {
      add("status.socket", reason, path: socket)
    }
    found.warnings += configuration.sinks.flatMap(\.missingLibraries).map(\.description)
    return found
  }
}

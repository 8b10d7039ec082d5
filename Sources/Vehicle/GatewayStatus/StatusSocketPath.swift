import Glibc

/// Path of the status socket, as the daemon and its clients find it.
public enum StatusSocketPath {
  private static let name = "/obdgated.sock"
  private static let serviceFolder = "/run/obdgate"
  /// The path that is used by the service (systemd/obdgated.service), and by a daemon that root starts by hand.
  public static let service = serviceFolder + name
  /// Access mode of the socket: owner and group may connect.
  package static let mode: UInt32 = 0o660

  /// Returns the path at which a daemon listens by default; `nil` if none of the folders below exists. The first of
  /// these folders that exists is used:
  ///
  /// 1. the folder that the service manager made (systemd.exec(5), RuntimeDirectory=)
  /// 2. the user's folder (XDG_RUNTIME_DIR)
  /// 3. the service's folder, if root runs the daemon
  /// 4. the state directory
  ///
  /// - Parameter stateDirectory: the daemon's state directory; `nil` if none is configured.
  package static func ofDaemon(stateDirectory: String?) -> String? {
    // If there are several folders, colons separate them.
    if let folders = text(of: "RUNTIME_DIRECTORY"), let first = folders.split(separator: ":").first {
      return first + name
    }
    if let own = ofUser() { return own }
    if geteuid() == 0, makesServiceFolder() { return service }
    return stateDirectory.map { $0 + name }
  }

  /// Returns the paths at which a daemon may listen by default, in the order in which a client should try them.
  ///
  /// - Parameter stateDirectory: the daemon's state directory; `nil` if it has none, or it is not known.
  public static func ofClients(stateDirectory: String?) -> [String] {
    [service] + [ofUser(), stateDirectory.map { $0 + name }].compactMap { $0 }
  }

  /// The path for a daemon that the user started by hand; `nil` if the user has no folder for it.
  private static func ofUser() -> String? { text(of: "XDG_RUNTIME_DIR").map { $0 + name } }

  /// Creates the folder of the service.
  ///
  /// - Returns: whether the folder exists now and can be written to.
  private static func makesServiceFolder() -> Bool {
    if unsafe mkdir(serviceFolder, 0o755) == 0 { return unsafe chmod(serviceFolder, 0o755) == 0 }
    return unsafe errno == EEXIST && access(serviceFolder, W_OK | X_OK) == 0
  }

  private static func text(of variable: String) -> String? {
    guard let value = unsafe getenv(variable) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}

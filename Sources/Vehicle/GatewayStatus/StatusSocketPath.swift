import Glibc

/// Finds the path of the status socket, for the daemon and for its clients.
public enum StatusSocketPath {
  private static let name = "/obdgated.sock"
  private static let serviceFolder = "/run/obdgate"
  /// The path that the service (systemd/obdgated.service) uses. A daemon that root starts by hand also uses it.
  public static let service = serviceFolder + name
  /// Access mode of the socket: owner and group may connect.
  package static let mode: UInt32 = 0o660

  /// Returns the path at which a daemon listens by default. The path is in the first of these folders that is
  /// available; `nil` if none is:
  ///
  /// 1. the folder that the service manager has created (systemd.exec(5), RuntimeDirectory=)
  /// 2. the user's runtime folder (XDG_RUNTIME_DIR)
  /// 3. the service's folder, if root runs the daemon and the folder can be written
  /// 4. the state directory
  ///
  /// - Parameter stateDirectory: the daemon's state directory; `nil` if none is configured.
  package static func ofDaemon(stateDirectory: String?) -> String? {
    // If the variable contains several folders, colons separate them.
    if let folders = text(of: "RUNTIME_DIRECTORY"), let first = folders.split(separator: ":").first {
      return first + name
    }
    if let own = ofUser() { return own }
    if geteuid() == 0, makesServiceFolder() { return service }
    return stateDirectory.map { $0 + name }
  }

  /// Returns the paths at which a daemon may listen by default, in the order in which a client must try them.
  ///
  /// - Parameter stateDirectory: the daemon's state directory; `nil` if there is none, or if it is unknown.
  public static func ofClients(stateDirectory: String?) -> [String] {
    [service] + [ofUser(), stateDirectory.map { $0 + name }].compactMap { $0 }
  }

  /// The path for a daemon that the user starts by hand; `nil` if the user has no runtime folder.
  private static func ofUser() -> String? { text(of: "XDG_RUNTIME_DIR").map { $0 + name } }

  /// Creates the folder of the service, if it does not exist.
  ///
  /// - Returns: whether the folder exists and can be written.
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

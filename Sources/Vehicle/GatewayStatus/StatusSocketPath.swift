import Glibc

/// Path of the status socket, for the daemon and for its clients.
public enum StatusSocketPath {
  private static let name = "/obdgated.sock"
  private static let serviceFolder = "/run/obdgate"
  /// Path of the service (systemd/obdgated.service), and of a daemon that root started by hand.
  public static let service = serviceFolder + name
  /// Owner and group may connect.
  package static let mode: UInt32 = 0o660

  /// Returns where a daemon listens by default: in the folder of its service manager (systemd.exec(5),
  /// RuntimeDirectory=), otherwise in the user's (XDG_RUNTIME_DIR), otherwise, for root, where the service listens,
  /// otherwise in the state directory. `nil` if there is none of them.
  ///
  /// - Parameter stateDirectory: `nil` if none is configured.
  package static func ofDaemon(stateDirectory: String?) -> String? {
    // A colon separates several folders.
    if let folders = text(of: "RUNTIME_DIRECTORY"), let first = folders.split(separator: ":").first {
      return first + name
    }
    if let own = ofUser() { return own }
    if geteuid() == 0, makesServiceFolder() { return service }
    return stateDirectory.map { $0 + name }
  }

  /// Returns where a daemon may listen by default, in the order in which to look.
  ///
  /// - Parameter stateDirectory: of its configuration; `nil` if there is none, or it is not known.
  public static func ofClients(stateDirectory: String?) -> [String] {
    [service] + [ofUser(), stateDirectory.map { $0 + name }].compactMap { $0 }
  }

  /// Path for a daemon that the user started by hand; `nil` if there is no folder for it.
  private static func ofUser() -> String? { text(of: "XDG_RUNTIME_DIR").map { $0 + name } }

  /// Creates the folder of the service.
  ///
  /// - Returns: whether it exists and can be written to.
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

import Glibc

/// Where the daemon shows how it goes; the same for whoever looks.
public enum StatusSocketPath {
  private static let name = "/obdgated.sock"
  private static let serviceFolder = "/run/obdgate"
  /// Of the service, where systemd/obdgated.service runs it, and of one that root has started by hand.
  public static let service = serviceFolder + name
  /// Its owner and its group.
  static let mode: UInt32 = 0o660

  /// Where a daemon listens to which nothing was configured: in the folder that its service manager made for it
  /// (systemd.exec(5), RuntimeDirectory=), else in its user's own (XDG_RUNTIME_DIR), else, for root, where the service
  /// does, else in the state directory; nil: there is none of them.
  ///
  /// - Parameter stateDirectory: nil: not configured.
  static func ofDaemon(stateDirectory: String?) -> String? {
    // Several folders stand with colons between.
    if let folders = text(of: "RUNTIME_DIRECTORY"), let first = folders.split(separator: ":").first {
      return first + name
    }
    if let own = ofUser() { return own }
    if geteuid() == 0, makesServiceFolder() { return service }
    return stateDirectory.map { $0 + name }
  }

  /// Where a daemon may listen to which nothing was configured, in the order in which to look.
  ///
  /// - Parameter stateDirectory: of its configuration; nil: none, or not known.
  public static func ofClients(stateDirectory: String?) -> [String] {
    [service] + [ofUser(), stateDirectory.map { $0 + name }].compactMap { $0 }
  }

  /// Of a daemon that the user has started by hand; nil: there is no folder for it.
  private static func ofUser() -> String? { text(of: "XDG_RUNTIME_DIR").map { $0 + name } }

  /// - Returns: whether it is there now, and may be written to.
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

import Glibc

/// Where the daemon shows how it goes; the same for whoever looks.
public enum StatusPlace {
  private static let name = "/obdgated.sock"
  /// Of the service, where systemd/obdgated.service runs it.
  public static let service = "/run/obdgate" + name
  /// Its owner and its group.
  static let mode: UInt32 = 0o660

  /// Where a daemon listens to which nothing was configured: in the folder that its service manager made for it
  /// (systemd.exec(5), RuntimeDirectory=), else in its user's own (XDG_RUNTIME_DIR); nil: there is neither.
  static func ofDaemon() -> String? {
    // Several folders stand with colons between.
    if let folders = text(of: "RUNTIME_DIRECTORY"), let first = folders.split(separator: ":").first {
      return first + name
    }
    return ofUser()
  }

  /// Of a daemon that the user has started by hand; nil: there is no folder for it.
  public static func ofUser() -> String? { text(of: "XDG_RUNTIME_DIR").map { $0 + name } }

  private static func text(of variable: String) -> String? {
    guard let value = unsafe getenv(variable) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}

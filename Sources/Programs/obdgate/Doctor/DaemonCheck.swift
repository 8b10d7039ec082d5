import Gateway

/// Requests the status of the running daemon.
enum DaemonCheck {
  /// Requests the status of the running daemon.
  ///
  /// - Parameters:
  ///   - named: path of the socket that the user has named; `nil` if the user has named none.
  ///   - configured: the location of the status in the configuration, which is used if the user has named no socket.
  /// - Returns: the status, and the findings. The status is `nil` if no daemon answers.
  static func run(named: String?, configured: StatusLocation) -> (DaemonStatus?, [Finding]) {
    var path = named
    switch configured.socket {
    case .usual: break
    case .at(let place): path = path ?? place
    case .none where named == nil:
      return (nil, [Finding(.ok, "daemon", "not asked: \"status.socket\" is false in its configuration")])
    case .none: break
    }
    do throws(DaemonTrouble) {
      let status = try DaemonStatus(of: DaemonSocket.found(named: path, configured))
      return (status, findings(status))
    } catch {
      // A daemon that is not running is a problem only if the user has named its socket.
      let mayBeOff = error.kind == .notRunning && named == nil
      return (nil, [Finding(mayBeOff ? .warning : .problem, "daemon", error.description)])
    }
  }

  private static func findings(_ status: DaemonStatus) -> [Finding] {
    let unit = status.pid.map(ServiceUser.unit(of:)) ?? (ServiceUser.hasUnit ? "obdgated" : nil)
    let remedy = unit.map { "see journalctl -u \($0) -n 50" } ?? "see its output where it was started"
    let troubles = status.troubles.map { trouble in
      Finding(
        trouble.isSerious ? .problem : .warning, "daemon", trouble.text, remedy: trouble.isSerious ? remedy : nil)
    }
    let up = status.uptime.map { ", up \(Figures.duration($0))" } ?? ""
    let connected = status.adapters.filter { $0.line.state == "connected" }.count
    let lines = "\(connected) of \(status.adapters.count) adapters connected"
    return [Finding(.ok, "daemon", "obdgated \(status.version ?? "?") runs\(up), \(lines)")] + troubles
  }
}

import Failures
import Fusion
import GatewayOutput
import Geofencing

/// Reading the configuration again while the daemon runs.
extension Daemon {
  /// Reads the configuration again (SIGHUP). If the new configuration is invalid, the current one stays in use.
  mutating func reload() throws(Failure) {
    guard let path else {
      Log.write("SIGHUP: there is no configuration file to read; start with --config FILE")
      return
    }
    var new: Settings
    do throws(Failure) {
      new = try Settings(path: path)
    } catch {
      for line in error.lines { Log.write("SIGHUP: \(line); the configuration stays as it was", .warning) }
      return
    }
    for line in new.warnings { Log.write("SIGHUP: \(line)", .warning) }
    for difference in Self.needingRestart(started, new.configuration) {
      Log.write("SIGHUP: \(difference) takes effect with the next start")
    }
    // Keep the fences that were fetched from a server, because they are newer than the stored copy.
    if new.configuration.geofences == nil, settings.configuration.geofences == nil, let fetched = settings.fences,
      new.privacy.zones.allSatisfy({ fetched.has($0.fence) })
    {
      new.fences = fetched
    }
    settings = new.keepingSignalSets(of: settings)
    for step in roster.reconfigure(new.configuration) { try perform(step) }
    for link in links.values {
      if case .adapter(let control, _) = link.use { control.poll(new.poll.preferences) }
    }
    try pairAdapters(again: true)
    records.setCadence(Cadence(new.configuration.record))
    records.setWindows(new.poll.windows)
    records.setFences(new.fences, new.fenceRules, privacy: settings.presentPrivacy)
    // Fetched fences that were rejected before may be valid with the new configuration. They are fetched again.
    mailbox.countReload()
    Log.write("SIGHUP: \(path) read")
  }

  /// Returns the keys of changed settings that take effect only at the next start.
  private static func needingRestart(_ old: GatewayConfiguration, _ new: GatewayConfiguration) -> [String] {
    var names: [String] = []
    if old.gatewayId != new.gatewayId { names.append("gatewayId") }
    if old.vehicle != new.vehicle { names.append("vehicle") }
    if old.discovery.bluetooth != new.discovery.bluetooth { names.append("discovery.bluetooth") }
    if old.power != new.power { names.append("power") }
    if old.poll.dtcPeriod != new.poll.dtcPeriod { names.append("poll.dtcPeriod") }
    let added = new.poll.signals.filter { !old.poll.signals.contains($0) }
    let removed = old.poll.signals.filter { period in !new.poll.signals.contains { $0.signal == period.signal } }
    for period in added + removed {
      // A running poll plan consists of PIDs. Therefore, the periods of the adapter's voltage and of signal-set signals
      // cannot be changed while the daemon runs.
      if SignalNames.parameters(of: period.signal).isEmpty { names.append("poll.signals.\(period.signal)") }
    }
    if old.geofences != nil, new.geofences != nil, FenceRules(old.geofences) != FenceRules(new.geofences) {
      names.append("when a change counts (geofences)")
    }
    // Fences are fetched from the fleet store only if the gateway has no geofences of its own.
    if (old.geofences == nil) != (new.geofences == nil), new.sinks.contains(where: { $0.fetchesFences }) {
      names.append("geofences")
    }
    if old.trips != new.trips { names.append("trips") }
    if old.driving != new.driving { names.append("driving") }
    if old.signalSets != new.signalSets { names.append("signalSets") }
    if old.stateDirectory != new.stateDirectory { names.append("stateDirectory") }
    if old.sinks != new.sinks { names.append("sinks") }
    if old.spool != new.spool { names.append("spool") }
    if old.status != new.status { names.append("status") }
    return names
  }
}

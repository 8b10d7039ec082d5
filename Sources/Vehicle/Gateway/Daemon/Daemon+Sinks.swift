import Failures
import GatewayForwarding
import GatewayOutput
import Geofencing
import Glibc
import Ports
import Sinks
import Spool

/// Starts the sinks and handles their results.
extension Daemon {
  /// Opens the spool and starts a thread for each sink.
  ///
  /// - Parameter progress: receives the progress of the spool's thread for the watchdog; `nil` without a watchdog.
  func startSinks(_ queue: SpoolQueue, _ progress: Progress?) throws(Failure) -> Forwarding {
    let configuration = settings.configuration
    var options = SpoolOptions(
      folder: configuration.stateDirectory, sinks: configuration.sinks.map(\.name), newEpoch: GatewayIdentity.newEpoch)
    options.gatewayId = pipeline.gatewayId
    options.commitInterval = Int64(configuration.spool.commitPeriod * 1e9)
    options.maximumBytes = Int64(configuration.spool.megabytes * 1e6)
    if let days = configuration.spool.days { options.maximumAge = Int64(days * 86_400 * 1e9) }
    options.working = { [start = manager.start] in
      progress?.reportOperation(taking: 0)
      start.continues()
    }
    if configuration.stateDirectory == nil {
      Log.write("stateDirectory: not configured; what sinks have not taken when the program ends is lost")
    }
    var random = SystemRandomNumberGenerator()
    let origin = Forwarding.Origin(gatewayId: pipeline.gatewayId, vehicleId: pipeline.vehicleId, idSeed: random.next())
    let mailbox = self.mailbox
    let forwarding: Forwarding
    do throws(PortError) {
      forwarding = try Forwarding(options, bootId: pipeline.bootId, origin, queue: queue, followers: followers) {
        hasFailed in
        mailbox.post(.sinkOver(hasFailed: hasFailed))
      }
    } catch {
      throw Failure(.unavailable, error.description)
    }
    let fenceSource = configuration.fenceSource
    if let fenceSource, configuration.sinks.filter(\.fetchesFences).count > 1 {
      Log.write(
        "geofences come from the sink \(configuration.sinks[fenceSource].name); \"geofencePeriod\" selects another one")
    }
    for (index, sink) in configuration.sinks.enumerated() {
      let slot: SinkSlot
      do throws(PortError) {
        slot = try SinkSlot(reportsTo: queue.wakeUp)
      } catch {
        throw Failure(.unavailable, error.description)
      }
      try start(sink, slot, forwarding, fetchesFences: index == fenceSource)
      forwarding.add(slot, name: sink.name, limit: sink.limit, sink.batchPolicy, usesVSS: sink.usesVSS)
    }
    return forwarding
  }

  /// Starts a sink's thread. The thread is detached: it ends by itself, or with the process.
  private func start(
    _ sink: SinkConfiguration, _ slot: SinkSlot, _ forwarding: Forwarding, fetchesFences: Bool
  ) throws(Failure) {
    let state = settings.configuration.stateDirectory
    let name = "obdgated-\(sink.name)"
    switch sink {
    case .stdout:
      _ = try Thread(name, isDetached: true) { slot.run(StdoutSink()) }
    case .file(let file):
      _ = try Thread(name, isDetached: true) { slot.run(FileSink(file)) }
    case .fleetStore(var store):
      // If the configuration names a fence file, `fetchesFences` is false: configured fences take precedence over those
      // of a server.
      if fetchesFences { store.fencePeriod = store.fencePeriod ?? Self.fencePeriod }
      let mailbox = self.mailbox
      let gatewayFacts = FleetStoreSink.GatewayFacts(
        version: Version.text, stateDirectory: state, gatewayId: pipeline.gatewayId, depth: { forwarding.depth },
        takeFences: { mailbox.post(.fences($0)) }, fenceTakers: { mailbox.reloads })
      let configured = store
      _ = try Thread(name, isDetached: true) { slot.run(FleetStoreSink(configured, gatewayFacts)) }
    case .mqtt(let broker):
      let gatewayFacts = MQTTSink.GatewayFacts(
        gatewayId: pipeline.gatewayId, statusId: pipeline.vehicleId ?? pipeline.gatewayId, stateDirectory: state)
      _ = try Thread(name, isDetached: true) { slot.run(MQTTSink(broker, gatewayFacts)) }
    }
  }

  /// Default time between two requests for fences to a fleet store, ns.
  private static let fencePeriod: Int64 = 300_000_000_000

  /// Replaces the geofences by the fences that were fetched from a server. Invalid fences are logged and ignored.
  mutating func apply(fences text: [UInt8]) {
    do throws(Failure) {
      let fences = try Settings.fences(text, from: ServerFences.place)
      if let zone = settings.privacy.zones.first(where: { !fences.has($0.fence) }) {
        throw Failure(
          .badConfiguration,
          "\(ServerFences.place): no fence \"\(zone.fence)\", which privacy names; the fences stay as they were")
      }
      settings.fences = fences
      records.setFences(settings.fences, settings.fenceRules, privacy: settings.privacy)
      let count = settings.fences?.fences.count ?? 0
      Log.write("\(ServerFences.place): \(count) \(count == 1 ? "fence is" : "fences are") watched")
      try ServerFences.store(text, in: settings.configuration.stateDirectory)
    } catch {
      Log.write("\(error)", .warning)
    }
  }
}

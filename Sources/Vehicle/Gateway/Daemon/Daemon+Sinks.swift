import Failures
import GatewayForwarding
import GatewayOutput
import Geofencing
import Glibc
import Ports
import Sinks
import Spool

/// The sinks behind the spool, and their results.
extension Daemon {
  /// Opens the spool and starts a thread for each sink.
  ///
  /// - Parameter progress: of the spool's thread.
  func startSinks(_ queue: SpoolQueue, _ progress: Progress?) throws(Failure) -> Forwarding {
    let configuration = settings.configuration
    var options = SpoolOptions(
      folder: configuration.stateDirectory, sinks: configuration.sinks.map(\.name), newEpoch: GatewayIdentity.newEpoch)
    options.gatewayId = pipeline.gatewayId
    options.commitInterval = Int64(configuration.spool.commitPeriod * 1e9)
    options.maximumBytes = Int64(configuration.spool.megabytes * 1e6)
    if let days = configuration.spool.days { options.maximumAge = Int64(days * 86_400 * 1e9) }
    options.working = { [start = manager.start] in
      progress?.turn(taking: 0)
      start.goesOn()
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
      forwarding.add(slot, name: sink.name, limit: sink.limit, sink.gathering, usesVSS: sink.usesVSS)
    }
    return forwarding
  }

  /// Starts a sink's thread, which ends with the process at the latest.
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
      // Configured fences take precedence over a server's.
      if fetchesFences { store.fencePeriod = store.fencePeriod ?? Self.fencePeriod }
      let mailbox = self.mailbox
      let surroundings = FleetStoreSink.Surroundings(
        version: Version.text, stateDirectory: state, gatewayId: pipeline.gatewayId, depth: { forwarding.depth },
        takeFences: { mailbox.post(.fences($0)) }, fenceTakers: { mailbox.reloads })
      let configured = store
      _ = try Thread(name, isDetached: true) { slot.run(FleetStoreSink(configured, surroundings)) }
    case .mqtt(let broker):
      let surroundings = MQTTSink.Surroundings(
        gatewayId: pipeline.gatewayId, statusId: pipeline.vehicleId ?? pipeline.gatewayId, stateDirectory: state)
      _ = try Thread(name, isDetached: true) { slot.run(MQTTSink(broker, surroundings)) }
    }
  }

  /// How often fences are requested from a fleet store if none are configured, ns.
  private static let fencePeriod: Int64 = 300_000_000_000

  /// Watches the fences of a server; invalid ones change nothing.
  mutating func take(fences text: [UInt8]) {
    do throws(Failure) {
      let fences = try Settings.fences(text, from: FetchedFences.place)
      if let zone = settings.privacy.zones.first(where: { !fences.has($0.fence) }) {
        throw Failure(
          .badConfiguration,
          "\(FetchedFences.place): no fence \"\(zone.fence)\", which privacy names; the fences stay as they were")
      }
      settings.fences = fences
      records.setFences(settings.fences, settings.fenceRules, privacy: settings.privacy)
      let count = settings.fences?.fences.count ?? 0
      Log.write("\(FetchedFences.place): \(count) \(count == 1 ? "fence is" : "fences are") watched")
      try FetchedFences.keep(text, in: settings.configuration.stateDirectory)
    } catch {
      Log.write("\(error)", .warning)
    }
  }
}

extension SinkConfiguration {
  /// Whether its server may have fences.
  var fetchesFences: Bool { if case .fleetStore = self { true } else { false } }
}

/// The last fences of a server: `fences.geojson` in the state directory, for a start without a network.
enum FetchedFences {
  static let place = "the fleet store's fences"
  private static let name = "/fences.geojson"

  static func keep(_ text: [UInt8], in folder: String?) throws(Failure) {
    if let folder { try FileText.replace(folder + name, with: text) }
  }

  /// Reads the stored fences.
  ///
  /// - Returns: `nil` if there are none.
  static func read(in folder: String?) throws(Failure) -> [UInt8]? {
    guard let path = folder.map({ $0 + name }), unsafe access(path, F_OK) == 0 else { return nil }
    return try FileText.read(path, limit: FileText.fenceLimit)
  }
}

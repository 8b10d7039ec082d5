import FleetDomain
import HTTPTypes
import Logging
import Synchronization
import Telemetry

/// When gateways were seen and what they said of themselves: noted with each request, written down together from time to
/// time.
final class SightingBook: Sendable {
  /// From one writing to the next.
  private static let period = Duration.seconds(5)

  private let storage: any FleetStorage
  private let logger: Logger
  private let pages = Mutex<[TenantID: [String: GatewaySighting]]>([:])

  init(storage: any FleetStorage, logger: Logger) {
    self.storage = storage
    self.logger = logger
  }

  /// - Parameter headers: of a request that came with the gateway's key.
  func note(_ gateway: Gateway, _ tenant: TenantID, _ headers: HTTPFields) {
    let depth = headers[.obdgateSpoolDepth].flatMap { $0.hasPrefix("+") ? nil : Int64($0) }.flatMap {
      $0 >= 0 ? $0 : nil
    }
    let version = headers[.obdgateVersion].flatMap { Names.isPlain($0, limit: 64) && !$0.isEmpty ? $0 : nil }
    pages.withLock { pages in
      var sighting = pages[tenant]?[gateway.id] ?? GatewaySighting(at: WallClock.now)
      sighting.at = WallClock.now
      sighting.spoolDepth = depth ?? sighting.spoolDepth
      sighting.version = version ?? sighting.version
      pages[tenant, default: [:]][gateway.id] = sighting
    }
  }

  /// Writes down what has been noted since.
  func write() async {
    let noted = pages.withLock { pages in
      let noted = pages
      pages = [:]
      return noted
    }
    for (tenant, sightings) in noted {
      do {
        try await storage.gatewaysSeen(sightings, tenant: tenant)
      } catch {
        // What a gateway says next replaces it.
        logger.warning("when gateways were seen is not written down: \(error)")
      }
    }
  }

  /// Writes until the task is cancelled.
  func run() async {
    while (try? await Task.sleep(for: Self.period)) != nil { await write() }
  }
}

extension HTTPField.Name {
  /// Version of the gateway's program.
  static let obdgateVersion = HTTPField.Name("Obdgate-Version")!
  /// Of an answer: whose key the request came with.
  static let obdgateGateway = HTTPField.Name("Obdgate-Gateway")!
  /// Records that the gateway has and we have not.
  static let obdgateSpoolDepth = HTTPField.Name("Obdgate-Spool-Depth")!
}

import FleetDomain
import HTTPTypes
import Logging
import Synchronization
import Telemetry

/// Records when gateways were last seen and what they reported, and stores it at intervals.
final class SightingBook: Sendable {
  /// The time between two writes.
  private static let period = Duration.seconds(5)

  private let storage: any FleetStorage
  private let logger: Logger
  private let pages = Mutex<[TenantID: [String: GatewaySighting]]>([:])

  init(storage: any FleetStorage, logger: Logger) {
    self.storage = storage
    self.logger = logger
  }

  /// Records a request.
  ///
  /// - Parameter headers: of a request with the gateway's key.
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

  /// Records which vehicle a gateway is in.
  func note(_ vehicle: VehicleInUse, of gateway: Gateway, _ tenant: TenantID) {
    pages.withLock { pages in
      var sighting = pages[tenant]?[gateway.id] ?? GatewaySighting(at: WallClock.now)
      guard sighting.vehicle.map({ $0.at <= vehicle.at }) ?? true else { return }
      sighting.vehicle = vehicle
      pages[tenant, default: [:]][gateway.id] = sighting
    }
  }

  /// The maximum number of gateways in one transaction, so that a large fleet does not delay other writers.
  private static let most = 256

  /// Stores what was recorded since the last write.
  func write() async {
    for tenant in pages.withLock({ Array($0.keys) }) { await write(tenant) }
  }

  /// Stores what was recorded of a tenant's gateways since the last write.
  func write(_ tenant: TenantID) async {
    let noted = pages.withLock { $0.removeValue(forKey: tenant) } ?? [:]
    var rest = Array(noted)[...]
    while !rest.isEmpty {
      do {
        try await storage.gatewaysSeen(
          Dictionary(uniqueKeysWithValues: rest.prefix(Self.most).map { ($0.key, $0.value) }), tenant: tenant)
      } catch {
        // The gateway's next request replaces it.
        logger.warning("cannot store when gateways of \(tenant) were last seen: \(error)")
      }
      rest = rest.dropFirst(Self.most)
    }
  }

  /// Writes at intervals until the task is cancelled.
  func run() async {
    while (try? await Task.sleep(for: Self.period)) != nil { await write() }
  }
}

extension HTTPField.Name {
  /// Version of the gateway's program.
  static let obdgateVersion = HTTPField.Name("Obdgate-Version")!
  /// In an answer: the gateway to which the request's key belongs.
  static let obdgateGateway = HTTPField.Name("Obdgate-Gateway")!
  /// The number of records that the gateway has still to send.
  static let obdgateSpoolDepth = HTTPField.Name("Obdgate-Spool-Depth")!
}

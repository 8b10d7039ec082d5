import FleetDomain
import HTTPTypes
import Logging
import Synchronization
import Telemetry

/// Collects the time of each gateway's last request and the state that it reported, and writes them to the storage at
/// intervals.
final class LastSeenStore: Sendable {
  /// The time between two writes to the storage.
  private static let period = Duration.seconds(5)

  private let storage: any FleetStorage
  private let logger: Logger
  private let pending = Mutex<[TenantID: [String: GatewayStatus]]>([:])

  init(storage: any FleetStorage, logger: Logger) {
    self.storage = storage
    self.logger = logger
  }

  /// Records the time of a gateway's request, and the state that the request reports.
  ///
  /// - Parameter headers: the headers of the request.
  func record(_ gateway: Gateway, _ tenant: TenantID, _ headers: HTTPFields) {
    let depth = headers[.obdgateSpoolDepth].flatMap { $0.hasPrefix("+") ? nil : Int64($0) }.flatMap {
      $0 >= 0 ? $0 : nil
    }
    let version = headers[.obdgateVersion].flatMap { Names.isText($0, limit: 64) ? $0 : nil }
    pending.withLock { pending in
      var status = pending[tenant]?[gateway.id] ?? GatewayStatus(at: WallClock.now)
      status.at = WallClock.now
      status.spoolDepth = depth ?? status.spoolDepth
      status.version = version ?? status.version
      pending[tenant, default: [:]][gateway.id] = status
    }
  }

  /// Records the vehicle that a gateway uses at present.
  func record(_ vehicle: VehicleInUse, of gateway: Gateway, _ tenant: TenantID) {
    pending.withLock { pending in
      var status = pending[tenant]?[gateway.id] ?? GatewayStatus(at: WallClock.now)
      guard status.vehicle.map({ $0.at <= vehicle.at }) ?? true else { return }
      status.vehicle = vehicle
      pending[tenant, default: [:]][gateway.id] = status
    }
  }

  /// The maximum number of gateways in one transaction. A large number would delay other transactions.
  private static let most = 256

  /// Writes everything that was recorded since the last write.
  func write() async {
    for tenant in pending.withLock({ Array($0.keys) }) { await write(tenant) }
  }

  /// Writes the values that were recorded for a tenant's gateways since the last write.
  func write(_ tenant: TenantID) async {
    let noted = pending.withLock { $0.removeValue(forKey: tenant) } ?? [:]
    var rest = Array(noted)[...]
    while !rest.isEmpty {
      do {
        try await storage.storeStatus(
          of: Dictionary(uniqueKeysWithValues: rest.prefix(Self.most).map { ($0.key, $0.value) }), tenant: tenant)
      } catch {
        // The values are lost. The gateway's next request contains new ones.
        logger.warning("cannot store when gateways of \(tenant) were last seen: \(error)")
      }
      rest = rest.dropFirst(Self.most)
    }
  }

  /// Writes the recorded values to the storage at intervals, until the task is cancelled.
  func run() async {
    while (try? await Task.sleep(for: Self.period)) != nil { await write() }
  }
}

extension HTTPField.Name {
  /// A header of requests: the version of the gateway's program.
  static let obdgateVersion = HTTPField.Name("Obdgate-Version")!
  /// A header of answers: the ID of the gateway to which the request's key belongs.
  static let obdgateGateway = HTTPField.Name("Obdgate-Gateway")!
  /// A header of requests: the number of records that the gateway has not sent yet.
  static let obdgateSpoolDepth = HTTPField.Name("Obdgate-Spool-Depth")!
}

import FleetDomain
import Synchronization
import Telemetry

/// Stores the content of a connector's pages: records, meter readings, defects, charges and drivers. An asset is stored
/// as a vehicle.
///
/// The records of a page are stored first. Then one transaction stores the readings and the connector's counts of
/// records. If that transaction fails, the same records are pulled again and have the same IDs.
final class ConnectorStore: Sendable {
  /// Executes `work` in one transaction.
  typealias Change =
    @Sendable (_ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Void) async throws -> Void

  /// Maximum number of assets in one transaction.
  private static let assetsAtOnce = 200
  /// Maximum number of drivers, or of their duty periods, in one transaction.
  private static let driversAtOnce = 200
  /// The longest time by which a record's time may be in the future, ms. Records with later times are ignored.
  private static let mostAhead: Int64 = 86_400_000

  private let connector: Stored<Connector>
  private let tenant: TenantID
  private let storage: any FleetStorage
  private let now: @Sendable () -> Timestamp
  private let change: Change
  /// The assets that were already read from the database. The keys are their IDs in the other program.
  private let known = Mutex<[String: ConnectedAsset]>([:])

  init(
    connector: Stored<Connector>, tenant: TenantID, storage: any FleetStorage,
    now: @escaping @Sendable () -> Timestamp, change: @escaping Change
  ) {
    (self.connector, self.tenant, self.storage, self.now, self.change) = (connector, tenant, storage, now, change)
  }

  /// Stores a page.
  ///
  /// - Parameter finish: makes additional changes in the transaction that stores the readings.
  func store(
    _ page: PulledPage, finish: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Void = { _ in }
  ) async throws {
    var page = page
    try await place(
      page.assets, andOf: page.records.map(\.asset) + page.readings.map(\.asset) + page.charges.map(\.asset))
    let assets = known.withLock { $0 }
    let incoming = incoming(&page, assets)
    var counts = IngestCounts()
    if !incoming.isEmpty {
      counts = IngestCounts(try await storage.ingest(incoming, from: .trusted, tenant: tenant, at: now()))
    }
    if counts.refused > 0 { page.ignore("refused by the store", counts.refused) }
    let (stored, brought, vehicles) = (counts.stored, page, assets.mapValues(\.vehicle))
    try await storeDrivers(of: brought, vehicles)
    try await change { [id = connector.id] transaction throws(ThingError) in
      try transaction.add(brought.readings, of: id, vehicles: vehicles)
      try transaction.add(brought.defects, of: id, vehicles: vehicles)
      try transaction.follow(brought.charges, of: id)
      try finish(transaction)
      guard stored > 0 || !brought.ignored.isEmpty, let present = try transaction.find(id, Connector.self) else {
        return
      }
      var counted = present.value
      counted.stored += Int64(stored)
      counted.ignored = IgnoredCounts.adding(brought.ignored, to: counted.ignored)
      try transaction.refresh(present, to: counted)
    }
  }

  /// Stores drivers, and then their duty periods. If the server stops in between, both are pulled and stored again.
  private func storeDrivers(of page: PulledPage, _ vehicles: [String: String]) async throws {
    for start in stride(from: 0, to: page.drivers.count, by: Self.driversAtOnce) {
      let part = Array(page.drivers[start..<min(start + Self.driversAtOnce, page.drivers.count)])
      try await change { [id = connector.id] transaction throws(ThingError) in
        _ = try transaction.place(part, of: id)
      }
    }
    for start in stride(from: 0, to: page.duties.count, by: Self.driversAtOnce) {
      let part = Array(page.duties[start..<min(start + Self.driversAtOnce, page.duties.count)])
      try await change { [id = connector.id] transaction throws(ThingError) in
        try transaction.add(part, of: id, vehicles: vehicles)
      }
    }
  }

  /// Returns the records of a page in the format in which gateways send records. Invalid records are left out and
  /// counted.
  private func incoming(_ page: inout PulledPage, _ assets: [String: ConnectedAsset]) -> [IncomingRecord] {
    var incoming: [IncomingRecord] = []
    let latest = now().milliseconds + Self.mostAhead
    for record in page.records {
      guard let asset = assets[record.asset] else {
        page.ignore("value of an unknown vehicle")
        continue
      }
      guard record.time.milliseconds <= latest else {
        page.ignore("time in the future")
        continue
      }
      do throws(RecordRefusal) {
        incoming.append(
          try record.incoming(
            of: connector.id, gateway: Connector.gatewayName(connector.id), vehicle: asset.vehicle, vin: nil))
      } catch {
        page.ignore("refused: \(error.key.isEmpty ? "record" : error.key)")
      }
    }
    return incoming
  }

  // MARK: Assets

  /// Stores assets that are new or have changed.
  ///
  /// - Parameter others: IDs of further assets, to which values in the page belong.
  private func place(_ assets: [PulledAsset], andOf others: [String]) async throws {
    var all: [String: PulledAsset] = [:]
    for asset in assets { all[asset.id] = all[asset.id]?.completed(by: asset) ?? asset }
    for id in others where all[id] == nil { all[id] = PulledAsset(id) }
    try await load(all.keys.sorted())
    let changed = known.withLock { known in
      all.values.filter { asset in
        guard let old = known[asset.id] else { return true }
        var new = old
        new.merge(asset, of: connector.id)
        return new != old
      }
    }.sorted { $0.id < $1.id }
    for start in stride(from: 0, to: changed.count, by: Self.assetsAtOnce) {
      let part = Array(changed[start..<min(start + Self.assetsAtOnce, changed.count)])
      try await change { [connector] transaction throws(ThingError) in try transaction.place(part, of: connector) }
      known.withLock { known in for asset in part { known[asset.id] = nil } }
      try await load(part.map(\.id))
    }
  }

  /// Reads the stored assets with these IDs, except the assets that are in ``known``.
  private func load(_ ids: [String]) async throws {
    let missing = known.withLock { known in ids.filter { known[$0] == nil } }
    for start in stride(from: 0, to: missing.count, by: 100) {
      let part = missing[start..<min(start + 100, missing.count)].map { JSON.text($0) }
      let found = try await storage.view(tenant: tenant) { [id = connector.id] view throws(ThingError) in
        try view.list(
          ThingQuery<ConnectedAsset>(
            .oneOf(key: "connectorId", [id.json]), .oneOf(key: "assetId", part), limit: 1_000)
        ).items.map(\.value)
      }
      known.withLock { known in for asset in found { known[asset.assetID] = asset } }
    }
  }
}

extension PulledAsset {
  /// Returns a copy of this asset in which missing values are taken from `other`.
  func completed(by other: PulledAsset) -> PulledAsset {
    var asset = self
    (asset.vin, asset.serial, asset.name) = (vin ?? other.vin, serial ?? other.serial, name ?? other.name)
    (asset.make, asset.model) = (make ?? other.make, model ?? other.model)
    asset.modelYear = modelYear ?? other.modelYear
    asset.licencePlate = licencePlate ?? other.licencePlate
    asset.category = category ?? other.category
    return asset
  }
}

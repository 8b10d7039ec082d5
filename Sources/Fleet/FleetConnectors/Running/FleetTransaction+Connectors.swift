import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

extension SecretPlace {
  /// The name of the place where a connector's secret is stored.
  public static func connector(_ id: UUIDv7) -> String { "connector \(id.string)" }
  /// The name of the place where the key of a connector's webhooks is stored.
  public static func webhook(_ id: UUIDv7) -> String { "connector webhook \(id.string)" }
  /// The name of the place where a connector's tokens are stored.
  public static func tokens(_ id: UUIDv7) -> String { "connector tokens \(id.string)" }
}

extension FleetView {
  /// Returns the progress of a connector; `nil` if it was never active.
  public func progress(of connector: UUIDv7) throws(ThingError) -> Stored<ConnectorProgress>? {
    try find(connector, ConnectorProgress.self)
  }
}

extension FleetTransaction {
  /// Applies changed settings of a connector to its progress. An active connector becomes due immediately.
  public func follow(_ connector: Stored<Connector>) throws(ThingError) {
    if let stored = try progress(of: connector.id) {
      var progress = stored.value
      progress.nextPullAt = connector.value.isActive ? now : nil
      progress.failures = 0
      try update(stored, to: progress, action: "follow")
    } else {
      var progress = ConnectorProgress()
      progress.nextPullAt = connector.value.isActive ? now : nil
      try insert(progress, id: connector.id, action: "follow")
    }
  }

  /// Stores the encrypted tokens of a connector, if it has progress.
  public func setTokens(_ sealed: String?, of connector: UUIDv7) throws(ThingError) {
    guard let stored = try progress(of: connector) else { return }
    var progress = stored.value
    progress.tokens = sealed
    try update(stored, to: progress, action: "setTokens")
  }

  /// Removes the progress of a connector, and its entries of assets and drivers. Vehicles, drivers and records remain.
  public func removeParts(of connector: UUIDv7) throws(ThingError) {
    if let progress = try progress(of: connector) { try remove(progress, action: "remove") }
    while true {
      let page = try list(ThingQuery<ConnectedAsset>(.oneOf(key: "connectorId", [connector.json]), limit: 1_000))
      for asset in page.items { try remove(asset, action: "remove") }
      if page.items.isEmpty { break }
    }
    while true {
      let page = try list(ThingQuery<ConnectedDriver>(.oneOf(key: "connectorId", [connector.json]), limit: 1_000))
      for driver in page.items { try remove(driver, action: "remove") }
      if page.items.isEmpty { return }
    }
  }

  // MARK: Leases

  /// Gives a server the lease of the connector that has been due for the longest time, so that no other server pulls
  /// from it.
  ///
  /// - Parameters:
  ///   - server: the server that gets the lease.
  ///   - seconds: duration of the lease, after which another server may take the connector.
  /// - Returns: `nil` if no connector is due.
  func lease(
    to server: UUIDv7, seconds: Int
  ) throws(ThingError) -> (connector: Stored<Connector>, progress: Stored<ConnectorProgress>)? {
    guard let stored = try lease(ConnectorProgress.self, to: server, seconds: seconds) else { return nil }
    guard let connector = try find(stored.id, Connector.self), connector.value.isActive else {
      var progress = stored.value
      (progress.nextPullAt, progress.leaseHolder, progress.leaseUntil) = (nil, nil, nil)
      try update(stored, to: progress, action: "stop")
      return nil
    }
    return (connector, stored)
  }

  // MARK: Assets

  /// Adds new assets, and stores changed ones.
  ///
  /// An asset with a VIN belongs to the vehicle with this VIN, even if another connector or a gateway reports the same
  /// VIN. If the VIN of an asset changes, its device was moved to another vehicle. An asset without a VIN is identified
  /// by its ID, or else by its serial number.
  func place(_ assets: [PulledAsset], of connector: Stored<Connector>) throws(ThingError) {
    for asset in assets {
      let known = try first(
        ThingQuery<ConnectedAsset>(
          .oneOf(key: "connectorId", [connector.id.json]), .oneOf(key: "assetId", [.text(asset.id)])))
      var changed = known?.value ?? ConnectedAsset()
      changed.merge(asset, of: connector.id)
      if known == nil || changed.vin != known?.value.vin {
        changed.vehicle = try vehicle(for: changed, asset, of: connector, known: known?.value.vehicle)
      }
      try complete(changed.vehicle, with: asset)
      if let known { try update(known, to: changed, action: "change") } else { try insert(changed) }
    }
  }

  /// Returns the ID of the vehicle to which an asset belongs. Adds the vehicle if it is new.
  private func vehicle(
    for asset: ConnectedAsset, _ pulled: PulledAsset, of connector: Stored<Connector>, known: String?
  ) throws(ThingError) -> String {
    if let vin = asset.vin {
      if let found = try vehicle(named: vin) { return found.value.id }
      // The vehicle was added without a VIN. The VIN is known now.
      if let known, let stored = try vehicle(named: known), stored.value.vin == nil {
        var vehicle = stored.value
        vehicle.vin = vin
        try update(stored, to: vehicle, action: "change")
        return vehicle.id
      }
    } else if let serial = asset.serial {
      let same = ThingQuery<ConnectedAsset>(
        .oneOf(key: "connectorId", [connector.id.json]), .oneOf(key: "serial", [.text(serial)]),
        .oneOf(key: "vin", [.null]))
      if let found = try first(same) { return found.value.vehicle }
    }
    var id = asset.vin ?? "\(connector.value.service.rawValue)-\(asset.assetID)"
    let isTaken = asset.vin == nil ? try vehicle(named: id) != nil : false
    if !NameRules.isNewName(id) || isTaken {
      id = "\(connector.value.service.rawValue)-\(UUIDv7.random(at: now).string)"
    }
    var new = Vehicle(id: id, vin: asset.vin, registeredBy: Connector.gatewayName(connector.id))
    new.complete(with: pulled)
    try insert(new)
    return id
  }

  /// Fills a vehicle's empty fields with the values of its asset.
  private func complete(_ id: String, with asset: PulledAsset) throws(ThingError) {
    guard let stored = try vehicle(named: id) else { return }
    var vehicle = stored.value
    vehicle.complete(with: asset)
    try update(stored, to: vehicle, action: "complete")
  }

  // MARK: Readings

  /// Minimum time between two readings that a connector adds for the same odometer or hour meter, ms.
  private static var readingPause: Int64 { 86_400_000 }

  /// Adds readings of meters, at most one a day for each vehicle and meter.
  func add(
    _ readings: [PulledReading], of connector: UUIDv7, vehicles: [String: String]
  ) throws(ThingError) {
    var metered: Set<String> = []
    for reading in readings.sorted(by: { $0.at < $1.at }) {
      guard let id = vehicles[reading.asset], let vehicle = try vehicle(named: id), reading.at <= now else { continue }
      let meter: Meter = reading.meter == .odometer ? .odometer : .engineHours
      let last = reading.meter == .odometer ? vehicle.value.odometerAt : vehicle.value.engineHoursAt
      if let last, reading.at.milliseconds - last.milliseconds < Self.readingPause { continue }
      try addGatewayReading(
        of: meter, reading.value, at: reading.at, vehicle: vehicle.value.id,
        record: UUIDv7(
          milliseconds: UInt64(reading.at.milliseconds), seed: connector.low ^ vehicle.id.low,
          number: reading.meter == .odometer ? 1 : 2))
      metered.insert(vehicle.value.id)
    }
    try evaluateServices(ofVehicles: metered)
  }
}

extension ConnectedAsset {
  /// Replaces the stored values of the asset with the values in `asset`, except for values that `asset` lacks.
  mutating func merge(_ asset: PulledAsset, of connector: UUIDv7) {
    (connectorID, assetID) = (connector, asset.id)
    vin = asset.vin ?? vin
    serial = asset.serial.map { String($0.prefix(200)) } ?? serial
    name = asset.name.map { String($0.prefix(200)) } ?? name
  }
}

extension Vehicle {
  /// Fills empty fields with the values of an asset.
  mutating func complete(with asset: PulledAsset) {
    func fitting(_ text: String?, _ bytes: Int) -> String? {
      guard let text, (1...bytes).contains(text.utf8.count), NameRules.isVisible(text) else { return nil }
      return NameRules.composed(text)
    }
    name = name ?? fitting(asset.name, 256)
    make = make ?? fitting(asset.make, 256)
    model = model ?? fitting(asset.model, 256)
    modelYear = modelYear ?? asset.modelYear.flatMap { (1_900...2_100).contains($0) ? $0 : nil }
    licencePlate = licencePlate ?? fitting(asset.licencePlate, 32)
    category = category ?? asset.category
  }
}

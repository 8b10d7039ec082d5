import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

extension SecretPlace {
  /// The place of a connector's secret.
  public static func connector(_ id: UUIDv7) -> String { "connector \(id.string)" }
  /// The place of the key of a connector's webhooks.
  public static func webhook(_ id: UUIDv7) -> String { "connector webhook \(id.string)" }
  /// The place of a connector's tokens.
  public static func tokens(_ id: UUIDv7) -> String { "connector tokens \(id.string)" }
}

extension FleetView {
  /// Returns the progress of a connector; `nil` if it was never active.
  public func progress(of connector: UUIDv7) throws(ThingError) -> Stored<ConnectorProgress>? {
    try find(connector, ConnectorProgress.self)
  }
}

extension FleetTransaction {
  /// Makes a connector's progress agree with its settings: an active one is pulled at once.
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

  /// Stores the first refresh token of a connector.
  public func setTokens(_ sealed: String?, of connector: UUIDv7) throws(ThingError) {
    guard let stored = try progress(of: connector) else { return }
    var progress = stored.value
    progress.tokens = sealed
    try update(stored, to: progress, action: "setTokens")
  }

  /// Removes what belongs to a connector. Vehicles and records stay.
  public func removeParts(of connector: UUIDv7) throws(ThingError) {
    if let progress = try progress(of: connector) { try remove(progress, action: "remove") }
    while true {
      let page = try list(ThingQuery<ConnectedAsset>(.oneOf(key: "connectorId", [connector.json]), limit: 1_000))
      for asset in page.items { try remove(asset, action: "remove") }
      if page.items.isEmpty { return }
    }
  }

  // MARK: Leases

  /// Takes the connector that waits longest, so that no other server works on it.
  ///
  /// - Parameters:
  ///   - server: the server that takes it.
  ///   - seconds: the time after which another server may take it, if this one does not come back.
  /// - Returns: `nil` if none is due.
  func lease(
    to server: UUIDv7, seconds: Int
  ) throws(ThingError) -> (connector: Stored<Connector>, progress: Stored<ConnectorProgress>)? {
    let query = ThingQuery<ConnectorProgress>(
      .atMost(key: "nextPullAt", now.json),
      .anyOf([[.oneOf(key: "leaseUntil", [.null])], [.below(key: "leaseUntil", now.json)]]),
      order: [.init("nextPullAt")])
    guard let stored = try first(query) else { return nil }
    guard let connector = try find(stored.id, Connector.self), connector.value.isActive else {
      var progress = stored.value
      progress.nextPullAt = nil
      try update(stored, to: progress, action: "stop")
      return nil
    }
    var progress = stored.value
    (progress.leaseHolder, progress.leaseUntil) = (server, now.adding(seconds: seconds))
    return (connector, try update(stored, to: progress, action: "lease"))
  }

  /// Returns the progress of a connector if a server still has the lease.
  func leased(_ connector: UUIDv7, to server: UUIDv7) throws(ThingError) -> Stored<ConnectorProgress>? {
    guard let progress = try progress(of: connector), progress.value.leaseHolder == server else { return nil }
    return progress
  }

  // MARK: Assets

  /// Adds assets that are new, and changes those that have changed.
  ///
  /// An asset is the vehicle with its VIN, even if another connector or a gateway reports that VIN, too. If the VIN of an asset changes, the device was moved
  /// to another vehicle. An asset without VIN is recognised by its id, or else by its serial number.
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

  /// Returns the id of the vehicle that an asset is, and adds the vehicle if it is new.
  private func vehicle(
    for asset: ConnectedAsset, _ pulled: PulledAsset, of connector: Stored<Connector>, known: String?
  ) throws(ThingError) -> String {
    if let vin = asset.vin {
      if let found = try vehicle(named: vin) { return found.value.id }
      // The VIN of a vehicle that was known without one.
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
    if !NameRules.isName(id) || isTaken {
      id = "\(connector.value.service.rawValue)-\(UUIDv7.random(at: now).string)"
    }
    var new = Vehicle(id: id, vin: asset.vin, registeredBy: Connector.gatewayName(connector.id))
    new.complete(with: pulled)
    try insert(new)
    return id
  }

  /// Adds what an asset says about its vehicle, if nobody has said it before.
  private func complete(_ id: String, with asset: PulledAsset) throws(ThingError) {
    guard let stored = try vehicle(named: id) else { return }
    var vehicle = stored.value
    vehicle.complete(with: asset)
    try update(stored, to: vehicle, action: "complete")
  }

  // MARK: Readings

  /// The least time between two readings of a meter that a connector adds, ms.
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
  /// Takes over what a page says about the asset.
  mutating func merge(_ asset: PulledAsset, of connector: UUIDv7) {
    (connectorID, assetID) = (connector, asset.id)
    vin = asset.vin ?? vin
    serial = asset.serial.map { String($0.prefix(200)) } ?? serial
    name = asset.name.map { String($0.prefix(200)) } ?? name
  }
}

extension Vehicle {
  /// Sets the fields that have no value.
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

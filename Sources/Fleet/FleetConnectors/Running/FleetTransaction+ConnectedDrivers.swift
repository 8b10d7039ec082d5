import FleetDomain
import FleetWork
import Telemetry

extension FleetTransaction {
  // MARK: Drivers

  /// Adds new drivers, and fills in missing values of known ones.
  ///
  /// When a connector reports a driver for the first time, the function searches the fleet for a driver with the same
  /// licence number, or with the same name and phone number. If it finds none, or more than one, it adds a new driver.
  /// A stored value is never replaced.
  ///
  /// - Returns: for each driver's ID in the other program, the ID of the driver in the fleet.
  @discardableResult
  func place(_ drivers: [PulledDriver], of connector: UUIDv7) throws(ThingError) -> [String: UUIDv7] {
    var placed: [String: UUIDv7] = [:]
    // All drivers of the tenant, read once if a driver is new to the connector.
    var all: [Stored<Driver>]?
    for pulled in drivers where placed[pulled.id] == nil {
      let known = try first(
        ThingQuery<ConnectedDriver>(
          .oneOf(key: "connectorId", [connector.json]), .oneOf(key: "sourceId", [.text(pulled.id)])))
      if let known, let driver = try find(known.value.driver, Driver.self) {
        try complete(driver, with: pulled)
        placed[pulled.id] = driver.id
        continue
      }
      guard let fitting = pulled.fitting else { continue }
      let driver: Stored<Driver>
      if all == nil { all = try listAll(ThingQuery<Driver>()) }
      let same = all?.filter { fitting.isCertainly($0.value) } ?? []
      if same.count == 1 {
        driver = try complete(same[0], with: fitting)
      } else {
        var new = Driver()
        (new.name, new.phone, new.licenceNumber) = (fitting.name, fitting.phone, fitting.licenceNumber)
        driver = try insert(new, id: nil, action: "connect")
        all?.append(driver)
      }
      var entry = ConnectedDriver()
      (entry.connectorID, entry.sourceID, entry.driver) = (connector, pulled.id, driver.id)
      if let known {
        try update(known, to: entry, action: "change")
      } else {
        try insert(entry, id: nil, action: "connect")
      }
      placed[pulled.id] = driver.id
    }
    return placed
  }

  @discardableResult
  private func complete(_ stored: Stored<Driver>, with pulled: PulledDriver) throws(ThingError) -> Stored<Driver> {
    guard let fitting = pulled.fitting else { return stored }
    var driver = stored.value
    driver.phone = driver.phone ?? fitting.phone
    driver.licenceNumber = driver.licenceNumber ?? fitting.licenceNumber
    return try update(stored, to: driver, action: "complete")
  }

  // MARK: Hours of service

  /// Stores periods of drivers' hours of service, and updates each driver's status from the driver's newest period.
  ///
  /// - Parameter vehicles: for the ID of each asset, the ID of its vehicle in the fleet.
  func add(_ duties: [PulledDuty], of connector: UUIDv7, vehicles: [String: String]) throws(ThingError) {
    let drivers = try place(duties.map(\.driver), of: connector)
    var changed: Set<UUIDv7> = []
    for duty in duties {
      guard let driver = drivers[duty.driver.id], duty.from <= now else { continue }
      var period = DutyPeriod()
      (period.connectorID, period.driver, period.status) = (connector, driver, duty.status)
      (period.from, period.to) = (duty.from, duty.to)
      period.vehicle = duty.asset.flatMap { vehicles[$0] }
      // A log that is pulled again has the same ID, even if it has ended or was corrected meanwhile.
      let id = UUIDv7(
        milliseconds: UInt64(duty.from.milliseconds), seed: connector.low ^ driver.low, number: driver.high)
      if let stored = try find(id, DutyPeriod.self) {
        try update(stored, to: period, action: "change")
      } else {
        try insert(period, id: id, action: "log")
      }
      changed.insert(driver)
    }
    for id in changed.sorted(by: { $0.string < $1.string }) { try setStatus(ofDriver: id) }
  }

  /// Sets a driver's state from the newest period. Drivers who are on a journey or suspended are not changed.
  private func setStatus(ofDriver id: UUIDv7) throws(ThingError) {
    let newest = ThingQuery<DutyPeriod>(
      .oneOf(key: "driverId", [id.json]), order: [.init("from", isDescending: true)])
    guard let period = try first(newest), let stored = try find(id, Driver.self),
      stored.value.status == .available || stored.value.status == .offDuty
    else { return }
    var driver = stored.value
    driver.status = period.value.status.isOff ? .offDuty : .available
    try update(stored, to: driver, action: "dutyStatus")
  }

  // MARK: Defects

  /// Adds the defects that the other program reports. A stored defect becomes repaired if the program reports it as
  /// resolved.
  func add(_ defects: [PulledDefect], of connector: UUIDv7, vehicles: [String: String]) throws(ThingError) {
    for pulled in defects {
      guard let id = vehicles[pulled.asset], let vehicle = try vehicle(named: id), pulled.at <= now else { continue }
      let defectID = UUIDv7(
        milliseconds: UInt64(pulled.at.milliseconds), seed: connector.low ^ vehicle.id.low,
        number: pulled.id.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
      if let stored = try find(defectID, Defect.self) {
        guard pulled.isResolved, [.open, .acknowledged].contains(stored.value.status) else { continue }
        var defect = stored.value
        defect.status = .repaired
        try update(stored, to: defect, action: DefectCommand.repair.rawValue)
      } else if !pulled.isResolved {
        var defect = Defect()
        (defect.vehicle, defect.source) = (vehicle.value.id, .inspection)
        defect.severity = pulled.isUnsafe ? .unsafe : .major
        defect.text = NameRules.composed(String(pulled.text.prefix(500)))
        try insert(defect, id: defectID, action: "report")
      }
    }
  }

  // MARK: Charges

  /// Follows the charging of assets, and adds a fuel entry for each charge that has ended.
  func follow(_ charges: [PulledCharge], of connector: UUIDv7) throws(ThingError) {
    for (asset, reports) in Dictionary(grouping: charges, by: \.asset).sorted(by: { $0.key < $1.key }) {
      let found = try first(
        ThingQuery<ConnectedAsset>(
          .oneOf(key: "connectorId", [connector.json]), .oneOf(key: "assetId", [.text(asset)])))
      guard let stored = found else { continue }
      var follower = ChargeFollower(json: stored.value.charge)
      for report in reports.sorted(by: { $0.at < $1.at }) where report.at <= now {
        guard let charge = follower.add(report) else { continue }
        try add(charge, vehicle: stored.value.vehicle, seed: connector.low ^ stored.id.low)
      }
      var changed = stored.value
      changed.charge = follower.json
      try update(stored, to: changed, action: "charge")
    }
  }

  private func add(_ charge: ChargeFollower.Charge, vehicle: String, seed: UInt64) throws(ThingError) {
    guard let energy = charge.energy, try self.vehicle(named: vehicle) != nil else { return }
    var entry = FuelEntry()
    (entry.vehicle, entry.at, entry.energy) = (vehicle, charge.to, .electric)
    entry.quantity = (energy * 1_000).rounded() / 1_000
    entry.odometer = charge.odometer
    try entry.complete()
    let id = UUIDv7(milliseconds: UInt64(charge.from.milliseconds), seed: seed, number: 3)
    guard try find(id, FuelEntry.self) == nil else { return }
    try followReadings(of: try insert(entry, id: id, action: "charge"))
  }
}

extension PulledDriver {
  /// A copy of the driver without values that are too long or have invisible characters; `nil` if the name is such a
  /// value.
  fileprivate var fitting: PulledDriver? {
    func fitting(_ text: String?, _ bytes: Int) -> String? {
      guard let text, (1...bytes).contains(text.utf8.count), NameRules.isVisible(text) else { return nil }
      return NameRules.composed(text)
    }
    guard let name = fitting(name, 400), name.unicodeScalars.count <= 100 else { return nil }
    return PulledDriver(id: id, name: name, phone: fitting(phone, 40), licenceNumber: fitting(licenceNumber, 40))
  }

  /// Whether this driver is certainly the same person as a driver of the fleet: the licence numbers are equal or, if
  /// one of them is unknown, both the names and the phone numbers are equal.
  fileprivate func isCertainly(_ driver: Driver) -> Bool {
    if let one = driver.licenceNumber?.comparable, let other = licenceNumber?.comparable { return one == other }
    guard let one = driver.phone?.comparable, let other = phone?.comparable else { return false }
    return one == other && driver.name.comparable == name.comparable
  }
}

extension String {
  /// The letters and digits in lower case, so that texts with different separators are equal; `nil` if there are none.
  fileprivate var comparable: String? {
    let text = lowercased().filter { $0.isLetter || $0.isNumber }
    return text.isEmpty ? nil : text
  }
}

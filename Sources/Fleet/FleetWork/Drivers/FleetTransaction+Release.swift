import FleetDomain
import Telemetry

extension FleetTransaction {
  /// Separates drivers from the account of a person who will be erased. Without the account, a driver cannot end a
  /// journey in the app. Therefore the assignments and journeys of the drivers end, and an event is added for each
  /// assignment that ends. The drivers are kept, because older entries refer to them.
  ///
  /// - Returns: the ids of the drivers.
  public func releaseDrivers(of person: UUIDv7) throws(ThingError) -> [UUIDv7] {
    let drivers = try self.drivers(of: person).map(\.id)
    // All of this happens in one transaction, for which other tenants wait, so the number of things is limited.
    var most = 1_000
    for id in drivers {
      try endDuty(where: "driverId", is: id.json, reason: "the account of the driver was erased", atMost: &most)
      let driver = try existing(id, Driver.self)
      var free = driver.value
      free.personID = nil
      try update(driver, to: free, action: "releaseAccount")
    }
    return drivers
  }
}

import FleetDomain
import Telemetry

extension FleetTransaction {
  /// Ends the assignments and journeys of a driver whose account is erased. Without the account, a driver cannot end a
  /// journey in the app. An event is added for each assignment that ends.
  ///
  /// - Parameter rest: the maximum number of things that may be changed. The function subtracts the number of changed
  ///   things. If it is 0 afterwards, more assignments and journeys may be left, and the function must be called again
  ///   in another transaction. In SQLite, all other tenants wait for the transaction.
  public func endDuty(ofErased driver: UUIDv7, atMost rest: inout Int) throws(ThingError) {
    try endDuty(where: "driverId", is: driver.json, reason: "the account of the driver was erased", atMost: &rest)
  }

  /// Separates a driver from the account of a person who is erased. The driver remains, because entries of the past
  /// name it.
  public func releaseAccount(of driver: UUIDv7) throws(ThingError) {
    let stored = try existing(driver, Driver.self)
    var free = stored.value
    free.personID = nil
    try update(stored, to: free, action: "releaseAccount")
  }
}

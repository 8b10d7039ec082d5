import FleetDomain
import FleetWork
import Telemetry

extension FleetStorage {
  /// The maximum number of telemetry records that are read for one check.
  private static var mostRecords: Int { 20_000 }

  /// Compares a fuel entry with what the vehicle reported around its time.
  ///
  /// - Parameter hidden: times whose records are left out of the comparison.
  /// - Returns: a check without data if the entry's energy is not compared.
  public func check(
    of entry: Stored<FuelEntry>, without hidden: HiddenTimes = HiddenTimes([]), tenant: TenantID
  ) async throws -> FuelEntry.Check {
    let (capacity, others) = try await view(tenant: tenant) { view throws(ThingError) in
      try view.checkData(of: entry)
    }
    let reach = Int(TankRise.reach)
    let samples =
      entry.value.isComparedWithTank
      ? try await telemetry(
        of: entry.value.vehicle, from: entry.value.at.adding(seconds: -reach),
        to: entry.value.at.adding(seconds: reach), most: Self.mostRecords, tenant: tenant) : []
    return FuelEntry.Check(
      of: entry.value, capacity: capacity, others: others,
      samples.filter { !hidden.contains($0.at, of: entry.value.vehicle) })
  }
}

import Telemetry

extension FleetStorage {
  /// Returns the values of a vehicle's telemetry, oldest first. Records without a credible time are left out.
  ///
  /// - Parameters:
  ///   - vehicle: the ID of the vehicle. The result is empty if there is no such vehicle.
  ///   - from: the start of the time range.
  ///   - to: the end of the time range.
  ///   - most: maximum number of records that are read.
  public func telemetry(
    of vehicle: String, from: Timestamp, to: Timestamp, most: Int, tenant: TenantID
  ) async throws(StorageError) -> [TelemetrySample] {
    var found: [TelemetrySample] = []
    var query = RecordQuery.telemetry(of: vehicle, from: from, to: to, limit: min(most, 1_000))
    var count = 0
    while count < most {
      let page: Page<StoredRecord>
      do throws(StorageError) {
        page = try await records(query, tenant: tenant)
      } catch {
        guard error.kind == .notFound else { throw error }
        return []
      }
      count += page.items.count
      found += page.items.compactMap { record in
        guard !record.isTimeAhead, let time = record.time else { return nil }
        return TelemetrySample(at: time, TelemetryValues(record: record.body))
      }
      guard let next = page.next else { break }
      query.cursor = next
    }
    return found
  }
}

import FleetDomain
import Telemetry

@testable import FleetStorage

/// Telemetry in memory: a model of the results of the storage, which must not depend on whether rows or runs are
/// stored.
struct StorageModel {
  struct Record {
    var record: StoredRecord
    var sequence: UInt64
    var hasPosition: Bool

    var order: (Int64, UInt64, UInt64, UInt64) {
      (StoredTime.column(record.time), sequence, record.id.high, record.id.low)
    }
  }

  private var vehicles: [String: [UUIDv7: Record]] = [:]

  /// Stores a batch.
  ///
  /// - Returns: the result of each record, and the records that are in the feed.
  mutating func store(_ records: [IncomingRecord], at now: Timestamp) throws -> ([IngestOutcome], Set<UUIDv7>) {
    var changed: Set<UUIDv7> = []
    let outcomes = try records.map { incoming throws -> IngestOutcome in
      let isAhead = (incoming.time?.milliseconds ?? 0) > now.milliseconds + 86_400_000
      guard var known = vehicles[incoming.vehicleId]?[incoming.id] else {
        let stored = StoredRecord(
          vehicle: incoming.vehicleId, recordClass: .known(.telemetry), id: incoming.id,
          time: isAhead ? now : incoming.time, quality: isAhead ? .unset : incoming.quality, receivedAt: now,
          isTimeAhead: isAhead, body: incoming.body)
        vehicles[incoming.vehicleId, default: [:]][incoming.id] = Record(
          record: stored, sequence: incoming.sequence, hasPosition: incoming.hasPosition)
        changed.insert(incoming.id)
        return .stored
      }
      let wasWorse = known.record.isTimeAhead || incoming.quality.isBetter(than: known.record.quality)
      guard let time = incoming.time, !isAhead, wasWorse else { return .duplicate }
      known.record.body = try RecordBodyTime.replacing(in: known.record.body, time: time, quality: incoming.quality)
      (known.record.time, known.record.quality, known.record.isTimeAhead) = (time, incoming.quality, false)
      vehicles[incoming.vehicleId]?[incoming.id] = known
      changed.insert(incoming.id)
      return .improved
    }
    return (outcomes, changed)
  }

  /// Returns the records of a vehicle, oldest first.
  func records(of vehicle: String) -> [Record] {
    vehicles[vehicle, default: [:]].values.sorted { $0.order < $1.order }
  }

  func record(_ vehicle: String, _ id: UUIDv7) -> StoredRecord? { vehicles[vehicle]?[id]?.record }

  func newest(of vehicle: String, withPosition: Bool) -> StoredRecord? {
    records(of: vehicle).last { item in
      !item.record.isTimeAhead && (!withPosition || (item.hasPosition && item.record.time != nil))
    }?.record
  }

  mutating func remove(before cutoff: Timestamp, at now: Timestamp) {
    let bounds = RetentionBounds(before: cutoff, at: now)
    for vehicle in vehicles.keys {
      let newest = [false, true].compactMap { self.newest(of: vehicle, withPosition: $0)?.id }
      vehicles[vehicle] = vehicles[vehicle]?.filter { id, item in
        guard let time = item.record.time, time.milliseconds < bounds.time, !newest.contains(id) else { return true }
        let isOld = bounds.firstKept.map { id.isBefore($0) } ?? false
        let isAhead = bounds.firstAhead.map { !id.isBefore($0) } ?? false
        return !isOld && !isAhead
      }
    }
  }

  mutating func remove(vehicle: String) { vehicles[vehicle] = nil }
}

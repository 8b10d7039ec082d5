import FleetDomain
import Telemetry

/// Determines the partition into which each row is inserted, and the range of times of the rows of each partition.
struct PostgreSQLPlacement {
  struct Part {
    let name: PostgreSQLPartitions.Name
    fileprivate(set) var rows: [Int] = []
    fileprivate(set) var least: Int64
    fileprivate(set) var most: Int64
  }

  /// The partitions, in the order of their first rows.
  private(set) var parts: [Part] = []
  private let partitions: PostgreSQLPartitions
  /// The partition of the previous row; `nil` before the first row. The next row usually has the same partition.
  private var last: (recordClass: Int16, ids: Range<UInt64>, part: Int)?

  init(_ partitions: PostgreSQLPartitions) { self.partitions = partitions }

  /// Adds a row to its partition.
  ///
  /// - Parameter row: index of the row.
  /// - Throws: a retryable error if the partition is unknown, because another thread has cleared the cache.
  mutating func add(_ row: Int, _ key: RowKey, time: Int64) throws(StoreFailure) {
    let part: Int
    if let last, last.recordClass == key.recordClass, last.ids.contains(key.idHigh) {
      part = last.part
    } else {
      part = try place(key, time)
    }
    parts[part].rows.append(row)
    parts[part].least = min(parts[part].least, time)
    parts[part].most = max(parts[part].most, time)
  }

  private mutating func place(_ key: RowKey, _ time: Int64) throws(StoreFailure) -> Int {
    guard let recordClass = RecordClass(number: key.recordClass), let id = UUIDv7(high: key.idHigh, low: key.idLow)
    else { throw StoreFailure(.system, "record", "invalid key") }
    let month = IdMonth(of: id)
    guard let name = partitions.place(recordClass, month) else {
      throw StoreFailure(.unavailable, "record", "its partition changed meanwhile", mayRetry: true)
    }
    let index = parts.firstIndex { $0.name == name } ?? parts.count
    if index == parts.count { parts.append(Part(name: name, least: time, most: time)) }
    last = (key.recordClass, PostgreSQLPartitions.ids(of: month), index)
    return index
  }
}

import FleetDomain
import Telemetry

/// Which partitions rows go into, and from when to when their times are in each.
struct PostgreSQLPlacement {
  struct Part {
    let name: PostgreSQLPartitions.Name
    fileprivate(set) var rows: [Int] = []
    fileprivate(set) var least: Int64
    fileprivate(set) var most: Int64
  }

  /// In the order in which their first rows came.
  private(set) var parts: [Part] = []
  private let partitions: PostgreSQLPartitions
  /// Where the row before went: the next one goes there as a rule.
  private var last: (recordClass: Int16, ids: Range<UInt64>, part: Int)?

  init(_ partitions: PostgreSQLPartitions) { self.partitions = partitions }

  /// - Parameter row: its index.
  /// - Throws: what may be tried again, where another thread has found out meanwhile that nothing is known any more.
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
    else { throw StoreFailure(.system, "record", "a key that none has") }
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

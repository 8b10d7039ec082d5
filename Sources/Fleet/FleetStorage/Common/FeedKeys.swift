import FleetDomain

/// The keys of the records in one row of the table `feed`. A key has 22 bytes: vehicle, class and ID, big-endian.
enum FeedKeys {
  static let width = 22

  static func column(_ keys: [RowKey]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(keys.count * width)
    for key in keys {
      append(UInt64(UInt32(bitPattern: key.vehicle)), 4, to: &bytes)
      append(UInt64(UInt16(bitPattern: key.recordClass)), 2, to: &bytes)
      append(key.idHigh, 8, to: &bytes)
      append(key.idLow, 8, to: &bytes)
    }
    return bytes
  }

  static func keys(_ column: [UInt8], tenant: Int32) -> [RowKey] {
    stride(from: 0, to: column.count - column.count % width, by: width).map { start in
      RowKey(
        tenant: tenant, vehicle: Int32(truncatingIfNeeded: number(column, start, 4)),
        recordClass: Int16(truncatingIfNeeded: number(column, start + 4, 2)), idHigh: number(column, start + 6, 8),
        idLow: number(column, start + 14, 8))
    }
  }

  private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[start + $1]) }
  }
}

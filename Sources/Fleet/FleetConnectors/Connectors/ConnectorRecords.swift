import Crypto
import FleetDomain
import Telemetry

extension PulledRecord {
  /// Returns the record in the format in which gateways send records.
  ///
  /// - Parameters:
  ///   - source: the ID of the connector or phone. It becomes the epoch of the record.
  ///   - gateway: the gateway ID that the record contains.
  /// - Throws: the reason why the store would reject the record.
  func incoming(of source: UUIDv7, gateway: String, vehicle: String, vin: String?) throws(RecordRefusal)
    -> IncomingRecord
  {
    let milliseconds = UInt64(max(time.milliseconds, 1))
    var members = values
    members["type"] = .text(type)
    members["id"] = Self.id(source, asset, series, milliseconds).json
    members["timestamp"] = Timestamp(limiting: time.milliseconds).json
    members["timeQuality"] = .text("system")
    members["gatewayId"] = .text(gateway)
    members["vehicleId"] = .text(vehicle)
    members["epoch"] = source.json
    members["seq"] = .integer(Int64(milliseconds))
    if type == "telemetry", let vin { members["vin"] = .text(vin) }
    return try IncomingRecord(parsing: Array(JSON.object(members).canonicalText.utf8).span)
  }

  /// Returns the ID of a record. The same arguments always give the same ID.
  private static func id(_ source: UUIDv7, _ asset: String, _ series: String, _ milliseconds: UInt64) -> UUIDv7 {
    let text = "\(source.string)\n\(asset)\n\(series)\n\(milliseconds)"
    let digest = Array(SHA256.hash(data: Array(text.utf8)))
    func number(_ start: Int) -> UInt64 { digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
    return UUIDv7(milliseconds: milliseconds, first: number(0), rest: number(8))
  }
}

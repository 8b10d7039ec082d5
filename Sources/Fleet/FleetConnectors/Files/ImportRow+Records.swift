import FleetDomain
import FleetWork
import Telemetry

extension ImportRow {
  /// The gateway ID in records that were imported from files.
  public static let gateway = "import"

  /// Returns the row of a file as a record of its vehicle. The same row always becomes the same record.
  ///
  /// - Parameters:
  ///   - vehicle: the ID of the vehicle.
  ///   - now: the current time.
  /// - Throws: ``ImportError`` if values are missing or impossible.
  public func record(
    _ kind: ImportKind, vehicle: String, before now: Timestamp
  ) throws(ImportError) -> IncomingRecord {
    var values = self.values
    values["vehicleId"] = nil
    guard let time = values[kind.timeKey].flatMap({ try? Timestamp(json: $0) }) else {
      throw error(kind.timeKey, "expected a time, found none")
    }
    guard time.milliseconds >= SourceTime.first, time <= now.adding(seconds: 300) else {
      throw error(kind.timeKey, "expected a time from 2000 on that is not in the future, found \(time.string)")
    }
    if kind == .trips {
      guard let start = values["startTime"].flatMap({ try? Timestamp(json: $0) }), start <= time else {
        throw error("startTime", "expected a time that is not after endTime")
      }
      values["event"] = .text("end")
      values["startTime"] = start.json
      values["endTime"] = time.json
      values["tripId"] = .text("import-\(start.milliseconds)-\(time.milliseconds)")
    } else {
      guard
        SourcePosition.values(
          latitude: values["latitude"]?.numberValue, longitude: values["longitude"]?.numberValue) != nil
      else { throw error("latitude", "expected a position on the Earth") }
      values["timestamp"] = nil
    }
    let type = kind == .trips ? "trip" : "telemetry"
    let record = PulledRecord(asset: vehicle, time: time, type: type, series: kind.rawValue, values: values)
    do throws(RecordRefusal) {
      return try record.incoming(
        of: Self.source(vehicle, kind), gateway: Self.gateway, vehicle: vehicle, vin: nil)
    } catch {
      throw ImportError(line: line, column: nil, message: error.description)
    }
  }

  /// Returns the ID that imported records contain as their epoch. It depends only on the vehicle and the kind of the
  /// records, not on the file.
  private static func source(_ vehicle: String, _ kind: ImportKind) -> UUIDv7 {
    let hash = JSON.array([.text(gateway), .text(kind.rawValue), .text(vehicle)]).canonicalHash
    func number(_ start: Int) -> UInt64 { UInt64(hash.dropFirst(start).prefix(16), radix: 16) ?? 0 }
    return UUIDv7(milliseconds: UInt64(SourceTime.first), first: number(0), rest: number(16))
  }
}

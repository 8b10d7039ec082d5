import OBDWire
import Spool
import Telemetry

/// Replaces the names in telemetry records by those of COVESA VSS 6.0, for sinks with `"names": "vss"`. ID, time
/// and values do not change. `"vss":"6.0"` is added after the head of the record.
///
/// If a record would exceed the maximum length because of the longer names, it keeps the plain names.
package struct VSSNames {
  /// The VSS path for each plain name.
  private let paths: [[UInt8]: [UInt8]]
  private static let version = Array(#","vss":"6.0""#.utf8)
  private static let ecus = Array("ecus".utf8)
  /// The last key in the head of a record.
  private static let lastOfHead = Array("seq".utf8)

  init() {
    var paths: [[UInt8]: [UInt8]] = [:]
    let rows = saeSignals.span
    for index in rows.indices where rows[index].vss.utf8CodeUnitCount > 0 {
      paths[Array(rows[index].name.description.utf8)] = Array(rows[index].vss.description.utf8)
    }
    let others: KeyValuePairs = [
      "latitude": "Vehicle.CurrentLocation.Latitude", "longitude": "Vehicle.CurrentLocation.Longitude",
      "altitude": "Vehicle.CurrentLocation.Altitude", "heading": "Vehicle.CurrentLocation.Heading",
      "dtcCodes": "Vehicle.Diagnostics.DTCList", "vin": "Vehicle.VehicleIdentification.VIN",
    ]
    for (name, path) in others { paths[Array(name.utf8)] = Array(path.utf8) }
    self.paths = paths
  }

  /// Appends the text line of a telemetry record to `out`, with VSS names instead of plain names.
  func write(_ line: Span<UInt8>, to out: inout [UInt8]) {
    let start = out.count
    var depth = 0
    var isInECUs = false
    var isHead = true
    var index = 0
    while index < line.count {
      let byte = line[index]
      guard byte == UInt8(ascii: "\"") else {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth == 1 { isInECUs = false }
        default: break
        }
        out.append(byte)
        index += 1
        continue
      }
      let end = Self.endOfText(line, from: index)
      let isKey = end + 1 < line.count && line[end + 1] == UInt8(ascii: ":")
      guard isKey, depth == 1 || (isInECUs && depth == 3) else {
        append(line, index...end, to: &out)
        index = end + 1
        continue
      }
      let name = (index + 1..<end).map { line[$0] }
      if depth == 1, name == Self.ecus { isInECUs = true }
      if !isHead, let path = paths[name] {
        out.append(UInt8(ascii: "\""))
        out += path
        out.append(UInt8(ascii: "\""))
      } else {
        append(line, index...end, to: &out)
      }
      index = end + 1
      guard isHead, name == Self.lastOfHead else { continue }
      isHead = false
      while index < line.count, line[index] != UInt8(ascii: ","), line[index] != UInt8(ascii: "}") {
        out.append(line[index])
        index += 1
      }
      out += Self.version
    }
    guard out.count - start > JSONLineEncoder.recordCapacity else { return }
    out.removeSubrange(start...)
    append(line, 0...line.count - 1, to: &out)
  }

  /// Returns the index of the quotation mark that ends the JSON string which begins at `start`.
  private static func endOfText(_ line: Span<UInt8>, from start: Int) -> Int {
    var index = start + 1
    while index < line.count - 1, line[index] != UInt8(ascii: "\"") {
      index += line[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, line.count - 1)
  }

  private func append(_ line: Span<UInt8>, _ range: ClosedRange<Int>, to out: inout [UInt8]) {
    unsafe line.extracting(range).withUnsafeBufferPointer { unsafe out.append(contentsOf: $0) }
  }
}

extension RecordBatch {
  /// Replaces the names in the batch's telemetry records by VSS names; does nothing if `names` is `nil`.
  package mutating func name(by names: VSSNames?) {
    guard let names, records.contains(where: { $0.type == .telemetry }) else { return }
    rewrite { type, line, out in
      if type == .telemetry {
        names.write(line, to: &out)
      } else {
        unsafe line.withUnsafeBufferPointer { unsafe out.append(contentsOf: $0) }
      }
    }
  }
}

import FleetDomain
import Foundation
import Telemetry
import TestKit

@testable import FleetConnectors

/// Reads recordings of other programs.
enum Sample {
  static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: try TestData.path("connectors/" + path))))
  }

  static func json(_ path: String) throws -> JSON { try JSON(parsing: try bytes(path)) }

  static func time(_ text: String) throws -> Timestamp { try Timestamp(parsing: text.utf8.span) }
}

extension PulledPage {
  /// Each record as one line: time, asset, series, and the members in the order of their keys.
  var lines: [String] {
    records.map { "\($0.time.string) \($0.asset) \($0.series) \(JSON.object($0.values).canonicalText)" }
  }

  /// Each reading as one line.
  var meters: [String] { readings.map { "\($0.at.string) \($0.asset) \($0.meter) \($0.value)" } }
}

import AdapterSession
import Foundation
import Fusion
import Geofencing
import TestKit
import Testing

@testable import Gateway
@testable import Sinks

/// The defaults in config.schema.json are the defaults in the code.
@Suite struct GatewayConfigurationDefaultsTests {
  /// A key with a default, and a configuration with that key.
  private struct Row {
    let path: String
    let usual: Any
    let other: Any?
    /// Returns a configuration file with a value of the key; without the key for `nil`.
    let file: (Any?) -> [String: Any]
  }

  @Test func each_default_of_the_schema_is_what_an_absent_key_means() throws {
    let rows = try Schema().rows
    for row in rows {
      let without = try meaning(of: row.file(nil))
      #expect(try meaning(of: row.file(row.usual)) == without, "\(row.path): \(row.usual)")
      // The comparison must detect another value of the key.
      if let other = row.other { #expect(try meaning(of: row.file(other)) != without, "\(row.path): \(other)") }
    }
    #expect(rows.count > 60 && rows.contains { $0.path == "power.cutOffVoltage" })
  }

  /// Returns everything that a configuration changes, as text.
  private func meaning(of file: [String: Any]) throws -> String {
    let text = try JSONSerialization.data(withJSONObject: file)
    let read = try GatewayConfiguration(parsing: Array(text), file: "gateway.json")
    var out = ""
    dump((read.adapters, read.discovery, read.poll, read.gps, read.spool, read.geofences?.file), to: &out)
    dump((Cadence(read.record), read.privacy, FenceRules(read.geofences)), to: &out)
    dump((PowerConfiguration(read.power), DrivingOptions(read.driving)), to: &out)
    dump(TripOptions(read.trips, read.vehicle), to: &out)
    for sink in read.sinks { dump(named(sink), to: &out) }
    return out
  }

  /// Returns the sink with its default name.
  private func named(_ sink: SinkConfiguration) -> SinkConfiguration {
    switch sink {
    case .stdout(var value):
      value.name = sink.name
      return .stdout(value)
    case .file(var value):
      value.name = sink.name
      return .file(value)
    case .fleetStore(var value):
      value.name = sink.name
      return .fleetStore(value)
    case .mqtt(var value):
      value.name = sink.name
      return .mqtt(value)
    }
  }

  /// config.schema.json, as far as it is needed to find the defaults.
  private struct Schema {
    private let definitions: [String: [String: Any]]
    private(set) var rows: [Row] = []

    init() throws {
      let text = try Data(contentsOf: URL(fileURLWithPath: TestData.projectRoot + "/config.schema.json"))
      let root = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
      definitions = try #require(root["$defs"] as? [String: [String: Any]])
      read(root, "") { $0 }
    }

    private func resolved(_ node: [String: Any]) -> [String: Any] {
      guard let name = (node["$ref"] as? String)?.split(separator: "/").last, let target = definitions[String(name)]
      else { return node }
      return resolved(target).merging(node) { $1 }
    }

    private mutating func read(
      _ object: [String: Any], _ path: String, _ file: @escaping ([String: Any]) -> [String: Any]
    ) {
      let properties = (object["properties"] as? [String: [String: Any]] ?? [:]).mapValues(resolved)
      var least: [String: Any] = [:]
      for key in object["required"] as? [String] ?? [] {
        least[key] = properties[key]?["const"] ?? (properties[key]?["examples"] as? [Any])?.first
      }
      for (key, node) in properties {
        let name = path.isEmpty ? key : path + "." + key
        let (required, outer) = (least, file)
        let inside = { (value: Any?) -> [String: Any] in
          var content = required
          content[key] = value
          return outer(content)
        }
        if let usual = node["default"] {
          let examples = node["examples"] as? [Any] ?? []
          rows.append(Row(path: name, usual: usual, other: examples.first { !isSame($0, usual) }, file: inside))
        }
        if node["properties"] != nil { read(node, name) { inside($0) } }
        let items = (node["items"] as? [String: Any]).map(resolved)
        for one in items?["oneOf"] as? [[String: Any]] ?? [] { read(resolved(one), name + "[]") { inside([$0]) } }
        for one in node["oneOf"] as? [[String: Any]] ?? [] where resolved(one)["properties"] != nil {
          read(resolved(one), name) { inside($0) }
        }
      }
    }

    private func isSame(_ a: Any, _ b: Any) -> Bool { (a as? NSObject) == (b as? NSObject) }
  }
}

import JSONText
import OBDWire

/// The PIDs of signals, by the names in records.
enum SignalNames {
  /// Whether the standard's table has a signal with this name that can be polled.
  static func isKnown(_ name: String) -> Bool { name == "batteryVoltage" || !parameters(of: name).isEmpty }

  /// Returns the end of a message about an unknown name, which suggests the most similar known name.
  ///
  /// - Parameter loaded: names that signal sets define.
  static func hint(for name: String, loaded: some Sequence<String> = []) -> String {
    var known = ["batteryVoltage"] + loaded
    let rows = saeSignals.span
    for index in rows.indices where rows[index].definition.service == 1 { known.append(rows[index].name.description) }
    return nearestName(to: name, among: known).map { "; did you mean \(JSONError.quoted($0))?" } ?? ""
  }

  /// The PIDs of service 01 that contain a signal. There are several if different ECUs may use different PIDs.
  static func parameters(of name: String) -> [UInt8] {
    var found: [UInt8] = []
    let rows = saeSignals.span
    for index in rows.indices where rows[index].definition.service == 1 && rows[index].name.description == name {
      guard let pid = UInt8(exactly: rows[index].definition.identifier), !found.contains(pid) else { continue }
      found.append(pid)
    }
    return found
  }
}

import JSONText
import OBDWire

/// Finds the PIDs of a signal by the signal's name in records.
enum SignalNames {
  /// Whether this is the name of a built-in signal that can be polled.
  static func isKnown(_ name: String) -> Bool { name == "batteryVoltage" || !parameters(of: name).isEmpty }

  /// Returns the most similar known name as a suggestion, to be added to the message about an unknown name.
  ///
  /// - Parameter loaded: names that signal sets define.
  static func hint(for name: String, loaded: some Sequence<String> = []) -> String {
    var known = ["batteryVoltage"] + loaded
    let rows = saeSignals.span
    for index in rows.indices where rows[index].definition.service == 1 { known.append(rows[index].name.description) }
    return nearestName(to: name, among: known).map { "; did you mean \(JSONError.quoted($0))?" } ?? ""
  }

  /// The PIDs of service 01 that contain a signal. There may be several, because different ECUs support different PIDs
  /// for the same signal.
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

import JSONText
import OBDWire

/// Functions that find the PIDs of a signal by its name in records.
enum SignalNames {
  /// Whether a name is that of a built-in signal that can be polled.
  static func isKnown(_ name: String) -> Bool { name == "batteryVoltage" || !parameters(of: name).isEmpty }

  /// Returns a suggestion with the most similar known name. It is appended to the message about an unknown name; empty
  /// if no name is similar.
  ///
  /// - Parameter loaded: names of the signals in signal sets.
  static func hint(for name: String, loaded: some Sequence<String> = []) -> String {
    var known = ["batteryVoltage"] + loaded
    let rows = saeSignals.span
    for index in rows.indices where rows[index].definition.service == 1 { known.append(rows[index].name.description) }
    return nearestName(to: name, among: known).map { "; did you mean \(JSONError.quoted($0))?" } ?? ""
  }

  /// Returns the PIDs of service 01 that contain a signal. There may be several, because ECUs differ in the PIDs that
  /// they support for the same signal.
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

import Simulator

/// Scenarios with constant values, so that any other value in a record is an error.
enum Cars {
  /// 40 %, 90 °C, 1726 rpm, 50 km/h, 25 °C, 20 %.
  static let values = #""values": {"04": "66", "05": "82", "0C": "1AF8", "0D": "32", "0F": "41", "11": "33"}"#
  static let pids = #""pids": ["04", "05", "0C", "0D", "0F", "11"]"#

  static func ecu(_ address: String, more: String = "") -> String {
    #"{"address": "\#(address)", \#(pids), \#(values)\#(more.isEmpty ? "" : ", " + more)}"#
  }

  static let engine = ecu("7E8", more: #""calibrations": [{"id": "37805-RBB-J530", "cvn": "1791BC82"}]"#)

  static let idling = #"{"phases": [{"phase": "idle", "seconds": 10}]}"#

  static func car(
    bus: String = "can11/500", vin: String = "1D4GP00R55B123456", ecus: String = engine, from: Double = 0
  ) -> String {
    """
    {"bus": "\(bus)", "noise": 0, "vin": "\(vin)", "from": \(from), "drive": \(idling), "ecus": [\(ecus)]}
    """
  }

  static func scenario(bus: String = "can11/500", ecus: String = engine, adapter: String = "") -> String {
    #"{"adapter": {\#(adapter)}, "cars": [\#(car(bus: bus, ecus: ecus))]}"#
  }

  static let usual = scenario()
  static let two = scenario(ecus: engine + ", " + ecu("7E9"))
  static let four = scenario(ecus: ["7E9", "7EA", "7EB"].reduce(engine) { $0 + ", " + ecu($1) })

  /// A scenario in which another car replaces the first at `time`, s.
  static func swapped(at time: Double, isOtherBus: Bool = false) -> String {
    let vin = "WP0ZZZ99ZTS392124"
    let other =
      isOtherBus ? car(bus: "can29/500", vin: vin, ecus: ecu("18DAF110"), from: time) : car(vin: vin, from: time)
    return #"{"cars": [\#(car()), \#(other)]}"#
  }
}

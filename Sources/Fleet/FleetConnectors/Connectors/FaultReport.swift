import FleetDomain

/// The trouble codes that one control unit reports.
struct FaultReport {
  var isLampOn: Bool?
  var stored: [String] = []
  var pending: [String] = []
  var permanent: [String] = []
  /// The descriptions of the codes from the other program.
  private var descriptions: [String: JSON] = [:]

  mutating func add(_ code: String, _ description: String?, to path: WritableKeyPath<FaultReport, [String]>) {
    if !self[keyPath: path].contains(code) { self[keyPath: path].append(code) }
    if let description { descriptions[code] = .text(String(description.prefix(200))) }
  }

  /// Returns the members of a record of type `dtc`.
  func values(ecu: String) -> [String: JSON] {
    var values: [String: JSON] = [
      "ecu": .text(ecu.isEmpty ? "unknown" : ecu), "event": .text("snapshot"),
      "dtcCodes": .array(stored.map { .text($0) }), "pending": .array(pending.map { .text($0) }),
      "permanent": .array(permanent.map { .text($0) }),
    ]
    if let isLampOn { values["mil"] = .bool(isLampOn) }
    if !descriptions.isEmpty { values["descriptions"] = .object(descriptions) }
    return values
  }
}

/// A fault of a heavy vehicle (SAE J1939-73): a suspect parameter number (SPN) and a failure mode identifier (FMI).
struct HeavyFault {
  let spn: Int64
  let fmi: Int64

  /// The code in the notation of the fleet store: `SPN110-FMI16`.
  var code: String { "SPN\(spn)-FMI\(fmi)" }

  /// The fault in words: `coolant temperature: above normal, moderately severe`.
  var text: String {
    let part = Self.parameters[spn] ?? "parameter \(spn)"
    return "\(part): \(Self.modes[fmi] ?? "failure mode \(fmi)")"
  }

  /// Parses an identifier that contains SPN and FMI: `110-16`, `110.16`, `SPN 110 FMI 16`.
  ///
  /// - Returns: `nil` for a maker's own identifier, such as `E360(2)`.
  init?(parsing text: String) {
    let upper = text.uppercased()
    guard upper.allSatisfy({ $0.isNumber || " -.,:/SPNFMI".contains($0) }) else { return nil }
    let numbers = upper.split { !$0.isNumber }
    guard numbers.count == 2, let spn = Int64(numbers[0]), let fmi = Int64(numbers[1]), spn <= 524_287, fmi <= 31
    else { return nil }
    (self.spn, self.fmi) = (spn, fmi)
  }

  init(spn: Int64, fmi: Int64) { (self.spn, self.fmi) = (spn, fmi) }

  /// Names of suspect parameters that machines often report (SAE J1939-71), by SPN.
  private static let parameters: [Int64: String] = [
    51: "throttle position", 84: "vehicle speed", 91: "accelerator pedal position", 94: "fuel delivery pressure",
    96: "fuel level", 97: "water in fuel", 98: "engine oil level", 100: "engine oil pressure",
    101: "crankcase pressure", 102: "intake manifold pressure", 105: "intake manifold temperature",
    106: "air inlet pressure", 107: "air filter differential pressure", 108: "barometric pressure",
    110: "coolant temperature", 111: "coolant level", 157: "fuel rail pressure", 158: "keyswitch battery potential",
    168: "battery potential", 171: "ambient air temperature", 172: "air inlet temperature",
    173: "exhaust gas temperature", 174: "fuel temperature", 175: "engine oil temperature", 183: "fuel rate",
    190: "engine speed", 247: "engine hours", 411: "EGR differential pressure", 412: "EGR temperature",
    636: "engine position sensor", 637: "timing sensor", 639: "J1939 network", 651: "injector of cylinder 1",
    652: "injector of cylinder 2", 653: "injector of cylinder 3", 654: "injector of cylinder 4",
    655: "injector of cylinder 5", 656: "injector of cylinder 6", 1761: "DEF tank level", 3031: "DEF tank temperature",
    3216: "NOx before the catalyst", 3226: "NOx after the catalyst", 3251: "particle filter differential pressure",
    3364: "DEF quality", 3719: "soot load of the particle filter", 4334: "DEF pressure",
    4364: "efficiency of the catalyst", 5246: "SCR inducement",
  ]

  /// Names of failure modes (SAE J1939-73, appendix A), by FMI.
  private static let modes: [Int64: String] = [
    0: "above normal, most severe", 1: "below normal, most severe", 2: "erratic, intermittent or incorrect",
    3: "voltage above normal, or shorted to high", 4: "voltage below normal, or shorted to low",
    5: "current below normal, or open circuit", 6: "current above normal, or grounded circuit",
    7: "mechanical system does not respond", 8: "abnormal frequency, pulse width or period",
    9: "abnormal update rate", 10: "abnormal rate of change", 11: "root cause not known", 12: "bad device",
    13: "out of calibration", 14: "special instructions", 15: "above normal, least severe",
    16: "above normal, moderately severe", 17: "below normal, least severe", 18: "below normal, moderately severe",
    19: "received network data in error", 20: "data drifted high", 21: "data drifted low", 31: "condition exists",
  ]
}

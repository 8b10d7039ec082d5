import JSONText

extension DriveCycle {
  /// Reads a drive cycle.
  ///
  ///     {"repeat": false, "phases": [
  ///       {"phase": "idle", "seconds": 20}, {"phase": "accelerate", "seconds": 8, "speed": 50}]}
  init(parsing value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    let repeats = try reader.optionalBool("repeat") ?? false
    var phases: [Phase] = []
    var speed = 0.0
    // If a phase has errors, its final speed is unknown. The speeds of later phases are then not checked.
    let isIncomplete = value.isIncomplete
    for element in try reader.requiredArray("phases") {
      phases.append(try Phase(parsing: element, after: &speed, isUnknown: isIncomplete))
    }
    try reader.finish()
    guard !isIncomplete else {
      self.init(phases, repeats: false)
      return
    }
    guard !phases.isEmpty else { throw value.invalid(expected: "at least one phase", found: "none") }
    guard !repeats || speed == 0 else {
      throw value.invalid(
        expected: "a drive that ends at 0 km/h, because it repeats", found: "\(speed) km/h at its end")
    }
    self.init(phases, repeats: repeats)
  }
}

extension DriveCycle.Phase {
  /// Reads a phase.
  ///
  /// - Parameters:
  ///   - speed: speed at the end of the previous phase, km/h; replaced by the speed at the end of this phase.
  ///   - isUnknown: whether the previous phase's speed is unknown.
  fileprivate init(parsing value: JSONValue, after speed: inout Double, isUnknown: Bool) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    let name = try reader.requiredString("phase", oneOf: DriveCycle.Activity.allCases.map(\.rawValue))
    guard let activity = DriveCycle.Activity(rawValue: name) else { throw value.invalid(expected: "a phase") }
    let seconds = try reader.requiredDouble("seconds", in: 0.001...1e7)
    let changes = activity == .accelerate || activity == .brake
    let target = changes ? try reader.requiredDouble("speed", in: 0...255) : activity == .cruise ? speed : 0
    try reader.finish()
    guard !isUnknown else {
      self.init(activity, seconds: seconds, speed: target)
      return
    }
    switch activity {
    case .accelerate where target <= speed:
      throw value.invalid(expected: "a speed above \(speed) km/h to accelerate to", found: "\(target)")
    case .brake where target >= speed:
      throw value.invalid(expected: "a speed below \(speed) km/h to brake to", found: "\(target)")
    case .off, .ignition, .crank, .idle:
      guard speed == 0 else {
        throw value.invalid(expected: "a brake to 0 before \"\(name)\"", found: "\(speed) km/h")
      }
    default: break
    }
    speed = target
    self.init(activity, seconds: seconds, speed: target)
  }
}

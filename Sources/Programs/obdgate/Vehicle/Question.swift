import AdapterSession
import OBDWire

/// A question that a command asks an adapter and its vehicle.
enum Question {
  /// The identity of the adapter, and whether a vehicle answers.
  case adapter
  case vin
  /// All data of the vehicle that are requested only once. With `plan`, also the requests that a daemon would send
  /// repeatedly, and their periods.
  case info(plan: Bool)
  /// All trouble codes and freeze frames.
  case codes
  case monitors

  /// The types of the records that form the answer.
  var answers: Set<String> {
    switch self {
    case .adapter: ["adapter"]
    case .vin: ["vehicle"]
    case .info: ["vehicle", "adapter"]
    case .codes: ["dtc"]
    case .monitors: ["monitors"]
    }
  }

  /// The PIDs whose values are part of the answer, besides the data that a session requests in any case.
  private var parameters: [UInt8] {
    switch self {
    case .adapter, .vin: []
    // The OBD standard and the fuel type.
    case .info: [0x1C, 0x51]
    // The state of the MIL, and the distance since it was turned on.
    case .codes: [0x01, 0x21]
    case .monitors: [0x01, 0x41]
    }
  }

  /// The session's polling preferences: only PIDs that are part of the answer are polled, with a period of 10 minutes.
  /// For the polling plan, the default preferences apply.
  var preferences: PollPreferences {
    var preferences = PollPreferences()
    if case .info(plan: true) = self { return preferences }
    preferences.setOthersToNever()
    for parameter in parameters { preferences.set(parameter, period: 600_000_000_000) }
    return preferences
  }

  /// Whether the data of the session, and the PIDs that were read, answer the question.
  func isAnswered(by session: borrowing AdapterSession, _ read: ParametersRead, at now: Int64) -> Bool {
    switch self {
    case .adapter: session.isConnected
    case .vin: session.car.vinCount > 0 || session.hasIdentified
    case .info(let plan):
      session.hasIdentified && hasParameters(session, read, at: now) && (!plan || session.plan.count > 0)
    case .codes: session.hasReadCodes && hasParameters(session, read, at: now)
    case .monitors: session.isRunning && hasParameters(session, read, at: now)
    }
  }

  /// Time limit for reading the PIDs, ns. Some ECUs report a PID as supported, but do not answer requests for it.
  private static let patience: Int64 = 5_000_000_000

  private func hasParameters(_ session: borrowing AdapterSession, _ read: ParametersRead, at now: Int64) -> Bool {
    guard session.isRunning, let since = read.runningSince else { return false }
    if now - since > Self.patience { return true }
    let car = session.car
    for ecu in 0..<car.ecuCount {
      for parameter in parameters where car.supported(by: ecu).contains(parameter) {
        if !read.contains(parameter, of: car.address(of: ecu)) { return false }
      }
    }
    return true
  }
}

/// The PIDs that were read, by ECU.
struct ParametersRead {
  private var entries: [(ecu: ECUAddress, parameter: UInt8)] = []
  /// Time from which the time limit for reading the PIDs counts, ns since boot; `nil` until the session knows which
  /// PIDs all ECUs support.
  var runningSince: Int64?

  mutating func record(_ reading: Reading) {
    let isUDS = reading.service == 0x22 && reading.identifier & 0xFF00 == 0xF400
    guard reading.service == 0x01 || isUDS else { return }
    let parameter = UInt8(truncatingIfNeeded: reading.identifier)
    if !contains(parameter, of: reading.origin.ecu) { entries.append((reading.origin.ecu, parameter)) }
  }

  func contains(_ parameter: UInt8, of ecu: ECUAddress) -> Bool {
    entries.contains { $0.parameter == parameter && $0.ecu == ecu }
  }
}

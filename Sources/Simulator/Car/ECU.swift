/// One control unit: what a scenario says of it, and what it remembers.
public struct ECU: Sendable {
  /// The CAN identifier that it answers with (`7E8`, `18DAF110`), or its one address byte on the other buses.
  public var address: UInt32
  /// The CAN identifier that it listens to besides the functional one.
  public var requestAddress: UInt32
  /// Byte in front of all its frames (CAN extended addressing, ISO 15765-2): its own in requests, the tester's F1 in
  /// answers.
  public var extendedAddress: UInt8?
  /// PID 0A of service 09.
  public var name: String
  /// Whether it answers requests to all (7DF and its like).
  public var answersFunctional = true
  /// Whether it is the one that knows the VIN: the engine's, as a rule.
  public var knowsVIN = true
  /// PIDs of service 01, bitmaps aside.
  public var pids: Set<UInt8>
  /// Fixed bytes in place of what the drive gives.
  public var values: [UInt8: [UInt8]] = [:]
  /// Whole answers by request, for services 21 and 22 or any other.
  public var replies: [[UInt8]: [UInt8]] = [:]
  /// PID 04 and 06 of service 09.
  public var calibrations: [Calibration] = []
  /// Faults to come.
  public var troubleCodes: [TroubleCode] = []
  /// Service 06.
  public var tests: [MonitorTest] = []
  /// From the request to the first frame; nil: the car's.
  public var latency: Duration?

  /// One calibration with its check number.
  public struct Calibration: Sendable {
    /// Up to 16 characters.
    public var id: String
    /// Calibration verification number.
    public var cvn: UInt32
    /// - Parameters: as the properties of the same names.
    public init(id: String, cvn: UInt32) {
      self.id = id
      self.cvn = cvn
    }
  }

  /// One result of service 06.
  public struct MonitorTest: Sendable {
    /// Monitor (CAN) and test identifier, unit and scaling identifier.
    public var monitor: UInt8, test: UInt8, unit: UInt8
    /// As measured, and its limits.
    public var value: UInt16, minimum: UInt16, maximum: UInt16
    /// - Parameters: as the properties of the same names.
    public init(monitor: UInt8, test: UInt8, unit: UInt8, value: UInt16, minimum: UInt16, maximum: UInt16) {
      self.monitor = monitor
      self.test = test
      self.unit = unit
      self.value = value
      self.minimum = minimum
      self.maximum = maximum
    }
  }

  /// When its codes were cleared last.
  var cleared: Duration?

  /// - Parameters: as the properties of the same names.
  public init(address: UInt32, requestAddress: UInt32, name: String, pids: Set<UInt8>) {
    self.address = address
    self.requestAddress = requestAddress
    self.name = name
    self.pids = pids
  }
}

/// What an ECU sees of the car while it answers.
struct ECUView {
  var model: DriveModel
  var time: Duration
  var vin: String
  var isDiesel: Bool
  /// J1979-2: services 19 and 22 in place of 01 to 0A.
  var speaksUDS: Bool
  /// On CAN a message may be long, and the layouts of services 03, 06 and 09 differ.
  var isCAN: Bool

  var state: DriveState { model.state(at: time) }
}

/// An ECU's answer: nothing, messages (more than one only on the buses before CAN), or a refusal.
enum ECUAnswer: Equatable {
  case silence
  case messages([[UInt8]])
  case refusal(UInt8)

  static func message(_ bytes: [UInt8]) -> ECUAnswer { .messages([bytes]) }
}

/// Negative response codes of ISO 14229-1 and J1979.
enum Refusal {
  static let serviceNotSupported: UInt8 = 0x11
  static let subFunctionNotSupported: UInt8 = 0x12
  static let busyRepeatRequest: UInt8 = 0x21
  static let conditionsNotCorrect: UInt8 = 0x22
  static let requestOutOfRange: UInt8 = 0x31
  static let responsePending: UInt8 = 0x78
}

extension ECU {
  /// Answers one request, service byte first.
  mutating func answer(_ request: [UInt8], _ view: ECUView) -> ECUAnswer {
    guard let service = request.first else { return .silence }
    if let reply = replies[request] { return .message(reply) }
    if view.speaksUDS {
      return switch service {
      case 0x14: clearAll(request, view)
      case 0x19: troubleCodesUDS(request, view)
      case 0x22: dataIdentifiers(request, view)
      default: .refusal(Refusal.serviceNotSupported)
      }
    }
    return switch service {
    case 0x01: currentData(request, view)
    case 0x02: freezeFrame(request, view)
    case 0x03: codes(request, view, stored(view))
    case 0x04: clear(request, view)
    case 0x05 where !view.isCAN: oxygenSensorTests(request)
    case 0x06: testResults(request, view)
    case 0x07: codes(request, view, pending(view))
    case 0x09: vehicleInformation(request, view)
    case 0x0A where view.isCAN: codes(request, view, permanent(view))
    case 0x21, 0x22: .refusal(Refusal.requestOutOfRange)
    default: .refusal(Refusal.serviceNotSupported)
    }
  }

  /// The bitmap that a support PID (00, 20, 40…) answers with; nil where nothing from there on is supported.
  static func bitmap(_ base: UInt8, of identifiers: some Sequence<UInt8>) -> [UInt8]? {
    var bits: UInt32 = 0
    for identifier in identifiers where identifier > base {
      if identifier - base <= 32 { bits |= 1 << UInt32(32 - (identifier - base)) } else { bits |= 1 }
    }
    if bits == 0, base != 0 { return nil }
    return (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32(24 - 8 * $0)) }
  }
}

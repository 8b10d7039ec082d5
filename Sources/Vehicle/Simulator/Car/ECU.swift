/// An electronic control unit: its configuration in a scenario, and its state.
public struct ECU: Sendable {
  /// CAN identifier of the ECU's answers (`7E8`, `18DAF110`), or its address byte on other buses.
  public var address: UInt32
  /// CAN identifier of requests to this ECU alone. The ECU also receives functional requests if `answersFunctional` is
  /// true.
  public var requestAddress: UInt32
  /// Address byte of requests to this ECU (CAN extended addressing, ISO 15765-2); `nil` for none. If it is set, the
  /// ECU's answers begin with the tester's address, F1.
  public var extendedAddress: UInt8?
  /// ECU name (service 09, PID 0A).
  public var name: String
  /// Whether the ECU answers functional requests, which are sent to all ECUs (identifier 7DF and similar).
  public var answersFunctional = true
  /// Whether the ECU reports the VIN, as the engine ECU usually does.
  public var knowsVIN = true
  /// PIDs of service 01 that the ECU measures, without the PIDs of the support bitmaps.
  public var pids: Set<UInt8>
  /// Fixed data bytes of PIDs. They replace values from the drive.
  public var values: [UInt8: [UInt8]] = [:]
  /// Fixed answers to requests of any service, for example 21 or 22. The key is the whole request.
  public var replies: [[UInt8]: [UInt8]] = [:]
  /// Calibrations (service 09, information types 04 and 06).
  public var calibrations: [Calibration] = []
  /// Trouble codes that appear during the drive.
  public var troubleCodes: [TroubleCode] = []
  /// Test results (service 06).
  public var tests: [MonitorTest] = []
  /// Time from a request to the start of the answer; `nil` for the car's latency.
  public var latency: Duration?

  /// A calibration with its verification number.
  public struct Calibration: Sendable {
    /// Calibration ID, up to 16 characters.
    public var id: String
    /// Calibration verification number.
    public var cvn: UInt32
    /// Creates a calibration; the parameters are the properties of the same names.
    public init(id: String, cvn: UInt32) {
      self.id = id
      self.cvn = cvn
    }
  }

  /// A test result of service 06.
  public struct MonitorTest: Sendable {
    /// Monitor ID (used only on CAN), test ID, and unit and scaling ID.
    public var monitor: UInt8, test: UInt8, unit: UInt8
    /// Measured value and its limits, as encoded in a message.
    public var value: UInt16, minimum: UInt16, maximum: UInt16
    /// Creates a result; the parameters are the properties of the same names.
    public init(monitor: UInt8, test: UInt8, unit: UInt8, value: UInt16, minimum: UInt16, maximum: UInt16) {
      self.monitor = monitor
      self.test = test
      self.unit = unit
      self.value = value
      self.minimum = minimum
      self.maximum = maximum
    }
  }

  /// Time at which the ECU's codes were last cleared; `nil` if never.
  var cleared: Duration?

  /// Creates an ECU; the parameters are the properties of the same names.
  public init(address: UInt32, requestAddress: UInt32, name: String, pids: Set<UInt8>) {
    self.address = address
    self.requestAddress = requestAddress
    self.name = name
    self.pids = pids
  }
}

/// The state of the car on which an ECU's answer depends.
struct ECUView {
  var model: DriveModel
  var time: Duration
  var vin: String
  var isDiesel: Bool
  /// Whether the car uses services 14, 19 and 22 (SAE J1979-2) instead of 01 to 0A (SAE J1979).
  var speaksUDS: Bool
  /// Whether the bus is CAN. On CAN, messages may be longer, and services 03, 06 and 09 have other layouts.
  var isCAN: Bool

  var state: DriveState { model.state(at: time) }
}

/// An ECU's answer: nothing, messages, or a negative response code. Several messages occur only on buses before CAN.
enum ECUAnswer: Equatable {
  case silence
  case messages([[UInt8]])
  case refusal(UInt8)

  /// Returns an answer of one message.
  static func message(_ bytes: [UInt8]) -> ECUAnswer { .messages([bytes]) }
}

/// Negative response codes of ISO 14229-1 and SAE J1979.
enum Refusal {
  static let serviceNotSupported: UInt8 = 0x11
  static let subFunctionNotSupported: UInt8 = 0x12
  static let busyRepeatRequest: UInt8 = 0x21
  static let conditionsNotCorrect: UInt8 = 0x22
  static let requestOutOfRange: UInt8 = 0x31
  static let responsePending: UInt8 = 0x78
}

extension ECU {
  /// Returns the answer to a request. A request to clear codes also changes the ECU's state.
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

  /// Returns the support bitmap for the identifiers `base` + 1…`base` + 32. Returns `nil` if no identifier above `base`
  /// is supported and `base` is not 0.
  static func bitmap(_ base: UInt8, of identifiers: some Sequence<UInt8>) -> [UInt8]? {
    var bits: UInt32 = 0
    for identifier in identifiers where identifier > base {
      if identifier - base <= 32 { bits |= 1 << UInt32(32 - (identifier - base)) } else { bits |= 1 }
    }
    if bits == 0, base != 0 { return nil }
    return (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32(24 - 8 * $0)) }
  }
}

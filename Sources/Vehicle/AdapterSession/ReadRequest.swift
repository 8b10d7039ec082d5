/// One request to the vehicle: a service that only reads, and its identifiers. It has at most seven bytes, so that it
/// fits in a single frame.
///
///     01 0C 0D 05          three PIDs of service 01
///     02 0C 00 0D 00       two PIDs of freeze frame 0
///     22 F4 0C F4 0D       two data identifiers
///     19 42 33 08 1E       confirmed emission-related codes (ISO 14229-1, 11.3.2.19)
public struct ReadRequest: BitwiseCopyable, Sendable {
  /// Maximum number of identifiers in any request: six PIDs of service 01 (ISO 15031-5, 7.1.2.1).
  public static let identifierCapacity = 6

  /// The service that is requested.
  public let service: ReadService
  private var identifiers = InlineArray<6, UInt16>(repeating: 0)
  /// Number of PIDs, information types or data identifiers; 0 for services 03, 07 and 0A.
  public private(set) var identifierCount = 0
  /// For service 02, the number of the freeze frame; for service 19, the parameters of the sub-function.
  private var parameters = InlineArray<3, UInt8>(repeating: 0)
  private var parameterCount = 0

  private init(_ service: ReadService) { self.service = service }

  /// Returns the identifier at an index (0 to ``identifierCount`` − 1).
  public func identifier(at index: Int) -> UInt16 { identifiers[index] }

  /// Returns the index of an identifier in the request; `nil` if the request does not contain it.
  public func place(of identifier: UInt16) -> Int? {
    for i in 0..<identifierCount where identifiers[i] == identifier { return i }
    return nil
  }

  /// Adds an identifier.
  ///
  /// - Returns: `false` if the request is full. The limits are six PIDs of service 01, three PIDs of service 02, three
  ///   data identifiers, and one identifier of any other service.
  mutating func add(_ identifier: UInt16) -> Bool {
    guard identifierCount < Self.limit(service) else { return false }
    identifiers[identifierCount] = identifier
    identifierCount += 1
    return true
  }

  /// Returns the maximum number of identifiers in one request on CAN.
  static func limit(_ service: ReadService) -> Int {
    switch service {
    case .currentData: 6
    case .freezeFrame, .dataIdentifier: 3
    case .storedCodes, .pendingCodes, .permanentCodes: 0
    default: 1
    }
  }

  /// Returns a request for one PID of service 01.
  static func currentData(_ pid: UInt8) -> ReadRequest { one(.currentData, UInt16(pid)) }

  /// Returns a request for one PID of a freeze frame (service 02).
  static func freezeFrame(_ pid: UInt8, frame: UInt8 = 0) -> ReadRequest {
    var request = one(.freezeFrame, UInt16(pid))
    request.parameters[0] = frame
    return request
  }

  /// Returns a request for one information type of service 09.
  static func vehicleInformation(_ type: UInt8) -> ReadRequest { one(.vehicleInformation, UInt16(type)) }

  /// Returns a request for one data identifier of service 22.
  static func dataIdentifier(_ identifier: UInt16) -> ReadRequest { one(.dataIdentifier, identifier) }

  /// Returns a request for one local identifier of service 21.
  static func localIdentifier(_ identifier: UInt8) -> ReadRequest { one(.localIdentifier, UInt16(identifier)) }

  /// The request of service 03, which has no identifier.
  static let storedCodes = ReadRequest(.storedCodes)
  /// The request of service 07, which has no identifier.
  static let pendingCodes = ReadRequest(.pendingCodes)
  /// The request of service 0A, which has no identifier.
  static let permanentCodes = ReadRequest(.permanentCodes)

  /// The request 19 42 33 08 1E for confirmed codes: codes of the emissions group (0x33) with the status confirmed
  /// (0x08), of all severities that J1979-2 uses (0x1E).
  static let confirmedCodesUDS = emissionCodes(status: 0x08)
  /// The request 19 42 33 04 1E for pending codes: as ``confirmedCodesUDS``, but with the status pending (0x04).
  static let pendingCodesUDS = emissionCodes(status: 0x04)
  /// The request 19 55 33 for permanent codes of the emissions group (ISO 14229-1, 11.3.2.23).
  static let permanentCodesUDS: ReadRequest = {
    var request = one(.readDTCInformation, 0x55)
    request.parameters[0] = 0x33
    request.parameterCount = 1
    return request
  }()

  private static func emissionCodes(status: UInt8) -> ReadRequest {
    var request = one(.readDTCInformation, 0x42)
    request.parameters = [0x33, status, 0x1E]
    request.parameterCount = 3
    return request
  }

  /// Creates a request with one identifier, to which a plan may add more.
  static func one(_ service: ReadService, _ identifier: UInt16) -> ReadRequest {
    var request = ReadRequest(service)
    request.identifiers[0] = identifier
    request.identifierCount = 1
    return request
  }

  /// Calls a closure with each byte of the request, in the order in which they are sent on the bus.
  func forEachByte(_ body: (UInt8) -> Void) {
    body(service.rawValue)
    for i in 0..<identifierCount {
      if service == .dataIdentifier { body(UInt8(truncatingIfNeeded: identifiers[i] >> 8)) }
      body(UInt8(truncatingIfNeeded: identifiers[i]))
      if service == .freezeFrame { body(parameters[0]) }
    }
    for i in 0..<parameterCount { body(parameters[i]) }
  }
}

extension ReadRequest: Equatable {
  /// Whether both requests have the same service and identifiers.
  public static func == (a: ReadRequest, b: ReadRequest) -> Bool {
    guard a.service == b.service, a.identifierCount == b.identifierCount, a.parameterCount == b.parameterCount else {
      return false
    }
    for i in 0..<6 where a.identifiers[i] != b.identifiers[i] { return false }
    for i in 0..<3 where a.parameters[i] != b.parameters[i] { return false }
    return true
  }
}

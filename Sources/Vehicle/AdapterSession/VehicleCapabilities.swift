import OBDWire

/// The capabilities that the ECUs of one vehicle reported, and the vehicle's VIN.
public struct VehicleCapabilities: BitwiseCopyable, Sendable {
  /// Maximum number of ECUs: ISO 15765-4 reserves eight response addresses.
  public static let ecuCapacity = 8

  private var addresses = InlineArray<8, ECUAddress>(repeating: .unknown)
  private var parameters = InlineArray<8, PIDSet>(repeating: PIDSet())
  private var informationTypes = InlineArray<8, PIDSet>(repeating: PIDSet())
  private var freezeParameters = InlineArray<8, PIDSet>(repeating: PIDSet())
  /// Number of known ECUs.
  public private(set) var ecuCount = 0
  /// Whether the vehicle uses OBDonUDS (SAE J1979-2): service 22 with F4xx instead of service 01.
  public internal(set) var isUDS = false
  /// The VIN exactly as the vehicle reported it. The first ``vinCount`` characters are used.
  public internal(set) var vin = InlineArray<20, UInt8>(repeating: 0)
  /// Number of characters in ``vin``; 0 if the VIN was not read.
  public internal(set) var vinCount = 0

  /// Creates capabilities without any ECU.
  public init() {}

  /// Returns the address of the ECU with an index (0 to ``ecuCount`` − 1).
  public func address(of ecu: Int) -> ECUAddress { addresses[ecu] }
  /// Returns the PIDs that an ECU supports, according to service 01 or 22 F4xx.
  public func supported(by ecu: Int) -> PIDSet { parameters[ecu] }
  /// Returns the information types that an ECU supports, according to service 09 or 22 F8xx.
  public func information(of ecu: Int) -> PIDSet { informationTypes[ecu] }
  /// Returns the PIDs that an ECU's freeze frames contain.
  public func freezeFrame(of ecu: Int) -> PIDSet { freezeParameters[ecu] }

  /// Returns the ECUs that support a PID. Bit n stands for the ECU with index n.
  func ecus(supporting pid: UInt8) -> UInt8 {
    var mask: UInt8 = 0
    for i in 0..<ecuCount where parameters[i].contains(pid) { mask |= 1 << UInt8(truncatingIfNeeded: i) }
    return mask
  }

  /// Whether any ECU supports an information type.
  func anyHas(information type: UInt8) -> Bool {
    for i in 0..<ecuCount where informationTypes[i].contains(type) { return true }
    return false
  }

  /// Whether any ECU's freeze frames contain a PID.
  func anyFreezes(_ pid: UInt8) -> Bool {
    for i in 0..<ecuCount where freezeParameters[i].contains(pid) { return true }
    return false
  }

  /// Returns the index of the ECU with this address; `nil` if the ECU is unknown.
  func index(of address: ECUAddress) -> Int? {
    for i in 0..<ecuCount where addresses[i] == address { return i }
    return nil
  }

  /// Whether the same indices stand for the same ECUs in both values. Indices that only one of them uses are ignored.
  func sharesOrder(with other: VehicleCapabilities) -> Bool {
    for i in 0..<min(ecuCount, other.ecuCount) where addresses[i] != other.addresses[i] { return false }
    return true
  }

  /// Stores one ECU's answer to a request for supported PIDs or information types. A ninth ECU is ignored, as in
  /// ``OBDWire/ReplyReader``.
  mutating func learn(_ answer: SupportAnswer) {
    guard let ecu = index(of: answer.ecu) ?? add(answer.ecu) else { return }
    let base = UInt8(truncatingIfNeeded: answer.base)
    switch (answer.service, answer.base >> 8) {
    case (0x01, _), (0x22, 0xF4): parameters[ecu].insert(bitmap: answer.bitmap, base: base)
    case (0x09, _), (0x22, 0xF8): informationTypes[ecu].insert(bitmap: answer.bitmap, base: base)
    case (0x02, _): freezeParameters[ecu].insert(bitmap: answer.bitmap, base: base)
    default: break
    }
  }

  private mutating func add(_ address: ECUAddress) -> Int? {
    guard ecuCount < Self.ecuCapacity else { return nil }
    addresses[ecuCount] = address
    ecuCount += 1
    return ecuCount - 1
  }

  /// Discards the PIDs that the freeze frames contain, because another freeze frame may contain other PIDs.
  mutating func forgetFreezeFrame() { freezeParameters = InlineArray(repeating: PIDSet()) }

  /// Whether two VINs, each with its number of characters, are equal.
  static func isSame(
    _ a: InlineArray<20, UInt8>, _ aCount: Int, _ b: InlineArray<20, UInt8>, _ bCount: Int
  ) -> Bool {
    guard aCount == bCount else { return false }
    for i in 0..<aCount where a[i] != b[i] { return false }
    return true
  }
}

/// One ECU's answer to a request for supported PIDs or information types.
struct SupportAnswer: BitwiseCopyable {
  var ecu: ECUAddress = .unknown
  var service: UInt8 = 0
  var base: UInt16 = 0
  var bitmap: UInt32 = 0
}

import OBDWire

/// The last vehicle that told a VIN, as far as it helps to tell it from one that tells none.
///
/// A vehicle that is silent once about its VIN (`NO DATA` to 09 02) is no other: what makes it another is its own word, or
/// something that no loss of an answer explains.
struct NamedVehicle: BitwiseCopyable {
  /// Its ECUs; nothing where it was met in an earlier session.
  var car = CarKnowledge()
  /// The ECU that told the VIN; nil where that was an earlier session's.
  var vinSender: ECUAddress?
  /// ELM digit of its bus (ASCII); 0 or `0`: not known.
  var protocolDigit: UInt8 = 0

  /// Whether the ECU that would tell the VIN says itself that it has none (the support mask of service 09 lacks
  /// infotype 02). Where it is not known which one that is, all that control an engine must have said it; where none
  /// does, all there are.
  func isDenied(by other: CarKnowledge) -> Bool {
    guard other.ecuCount > 0, !other.anyHas(information: 0x02) else { return false }
    if let vinSender {
      guard let ecu = other.index(of: vinSender) else { return false }
      return !other.information(of: ecu).isEmpty
    }
    let engines = other.ecus(supporting: 0x0C)
    for ecu in 0..<other.ecuCount where engines == 0 || engines & 1 << UInt8(truncatingIfNeeded: ecu) != 0 {
      guard !other.information(of: ecu).isEmpty else { return false }
    }
    return true
  }

  /// Whether it cannot be the same: another bus, or an ECU at the same address that supports other PIDs.
  func isUnlike(_ other: CarKnowledge, protocolDigit digit: UInt8) -> Bool {
    if let former = Self.bus(protocolDigit), let now = Self.bus(digit), former != now { return true }
    // PIDs of service 01 and of service 22 need not be the same.
    guard car.isUDS == other.isUDS else { return false }
    for ecu in 0..<other.ecuCount {
      guard let same = car.index(of: other.address(of: ecu)) else { continue }
      if car.supported(by: same).contradicts(other.supported(by: ecu)) { return true }
    }
    return false
  }

  /// The fast initialisation (`5`) and the slow one (`4`) may both reach the same ISO 14230 vehicle.
  private static func bus(_ digit: UInt8) -> UInt8? {
    guard (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit) else { return nil }
    return digit == UInt8(ascii: "5") ? UInt8(ascii: "4") : digit
  }
}

/// Which vehicle it is.
extension AdapterSession {
  /// Another VIN is another car, and so is any VIN where the vehicle had none.
  mutating func identify(_ reply: ReplyObserver) {
    guard reply.vinCount > 0 else {
      let isRefused = reply.failed(.noData) || reply.refusals > 0
      if isRefused, reply.messages == 0, !reply.isDamaged { missVIN() }
      return
    }
    let isKnown = memory.vinCount > 0
    let isSame = CarKnowledge.isSame(memory.vin, memory.vinCount, reply.vin, reply.vinCount)
    let isFirst = car.vinCount == 0
    car.vin = reply.vin
    car.vinCount = reply.vinCount
    memory.vin = reply.vin
    memory.vinCount = reply.vinCount
    named.vinSender = reply.vinSender
    named.protocolDigit = protocolDigit
    if isUnnamed || isKnown && !isSame {
      isUnnamed = false
      forgetVehicle()
      events.append(.vehicleChanged)
      if !isFirst { discoverAgain() }
    } else if isFirst {
      events.append(.vehicleIdentified)
    }
  }

  /// Another vehicle took the former one's place unnoticed: what its ECUs support is not known.
  private mutating func discoverAgain() {
    var fresh = CarKnowledge()
    fresh.isUDS = car.isUDS
    fresh.vin = car.vin
    fresh.vinCount = car.vinCount
    car = fresh
    jobs = Job.identification & ~Job.vin.bit | Job.codes
    jobTries = 0
    jobNotBefore = 0
    discoveriesLeft = Self.discoveriesLimit
    tries = 0
    stage = .discovering(base: 0)
  }

  /// Without a VIN, undamaged: is it another vehicle than the one whose VIN is known?
  mutating func missVIN() {
    guard memory.vinCount > 0, car.vinCount == 0, !car.anyHas(information: 0x02) else { return }
    guard named.isDenied(by: car) || named.isUnlike(car, protocolDigit: protocolDigit) else { return }
    memory.vinCount = 0
    memory.vin = InlineArray(repeating: 0)
    named = NamedVehicle()
    isUnnamed = true
    forgetVehicle()
    events.append(.vehicleUnnamed)
  }

  /// What was learned of the former vehicle holds no more.
  private mutating func forgetVehicle() {
    plan.forget()
    // The adapter's quirks hold on; this one was the vehicle's.
    memory.quirks.remove(.slowECU)
    isSlow = false
    needsLongestWait = false
    memory.silentPIDs = PIDSet()
    baseWait = waitForECUs
    power.forgetVehicle()
    learnDrive()
    isPlanOutdated = true
    storedDigest = 0
    pendingDigest = 0
  }
}

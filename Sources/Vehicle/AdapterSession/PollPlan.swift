import OBDWire

/// Which requests are sent, how often, and what each carries.
///
/// Made from what the ECUs support, what is wanted, the bus, and what was learned; the same of all of it makes the same
/// plan. Rules (ISO 15031-5, 7.1.2.1; ISO 15765-4; ELM327 data sheet):
///
/// - On CAN up to six PIDs of service 01 stand in one request, or three data identifiers of OBDonUDS; elsewhere one.
///   Support PIDs are never among them.
/// - PIDs wanted at one period go together. A PID whose length no standard tells goes alone, and only when named.
/// - Where an ECU answers several PIDs at once wrongly, the set of ECUs that a request reaches is remembered, and
///   requests to that set carry one.
/// - The count of expected frames is put behind a request after ``PlannedRequest/threshold`` whole answers of the same
///   number of frames, and taken back when it cut one. Never on SAE J1850 PWM and K-lines: the next request would
///   collide with ECUs still answering.
public struct PollPlan: ~Copyable {
  /// A request for each PID alone, and the addressed ones.
  static let capacity = 384

  private(set) var requests = InlineArray<384, PlannedRequest>(
    repeating: PlannedRequest(request: .storedCodes, period: 0, priority: 0, ecus: 0, due: 0))
  /// Number of requests.
  public private(set) var count = 0
  /// Bus for which it was made.
  private(set) var bus: BusProtocol = .auto

  // Learned; a new plan heeds it.
  /// Sets of ECUs that get one PID in a request.
  var refusedSets = PIDSet()
  /// PIDs that stayed away although supported.
  var absent = PIDSet()
  /// PIDs that answered alone after having been missing from answers to several.
  var alone = PIDSet()
  var misses = InlineArray<256, UInt8>(repeating: 0)
  /// PIDs that were asked alone and not answered since any ECU answered. They count as silent once one does: a vehicle
  /// whose ignition is off answers nothing at all.
  var suspects = PIDSet()
  /// PIDs that were answered since the vehicle was identified.
  var proven = PIDSet()
  /// The identifier that was answered last; nil: none was since the vehicle was found.
  var lastAnswered: UInt16?
  /// Most identifiers in a request; less after BUFFER FULL.
  var identifierLimit = 6
  var usesSuffix = true
  var suffixRefusals = 0
  var multiRefusals = 0
  /// Some request with several PIDs was answered with several.
  var hearsSeveral = false
  /// Replies in a row that each ECU was missing from while others answered.
  var silence = InlineArray<8, UInt8>(repeating: 0)
  /// ECUs that answer no more, one bit each.
  public internal(set) var vanished: UInt8 = 0
  /// A request with several PIDs was not answered as it should be: its PIDs are asked one by one.
  var arbitration: Arbitration?
  /// When a request is next sent without its count, to see whether more ECUs answer by now.
  var nextVerification: Int64 = 0

  /// A plan without requests.
  public init() {}

  /// Forgets everything learned: another car.
  mutating func forget() {
    refusedSets = PIDSet()
    absent = PIDSet()
    alone = PIDSet()
    misses = InlineArray(repeating: 0)
    suspects = PIDSet()
    proven = PIDSet()
    lastAnswered = nil
    hearsSeveral = false
    silence = InlineArray(repeating: 0)
    vanished = 0
    arbitration = nil
    count = 0
  }

  /// The vehicle was found anew: who answers is asked for anew, and ECUs may have other places than before.
  mutating func forgetPresence(sameOrder: Bool) {
    silence = InlineArray(repeating: 0)
    vanished = 0
    arbitration = nil
    suspects = PIDSet()
    lastAnswered = nil
    // Sets are those of places.
    if !sameOrder { refusedSets = PIDSet() }
  }

  /// Makes the plan; everything in it is due at `now`.
  mutating func make(
    for car: CarKnowledge, _ wishes: PollWishes, _ addressed: borrowing AddressedTable, bus: BusProtocol,
    quirks: Quirks, at now: Int64
  ) {
    self.bus = bus
    count = 0
    arbitration = nil
    usesSuffix = Self.admitsSuffix(bus) && !quirks.contains(.noCountSuffix)
    if !quirks.contains(.smallBuffer) { identifierLimit = 6 }
    nextVerification = now + Self.verificationPeriod
    let carries = bus.isCAN && !quirks.contains(.noMultiPID) ? identifierLimit : 1

    var order = InlineArray<256, UInt8>(repeating: 0)
    let items = sort(into: &order, car, wishes)
    for i in 0..<items {
      let pid = order[i]
      let ecus = car.ecus(supporting: pid)
      let isAlone =
        absent.contains(pid) || alone.contains(pid) || ReplyObserver.dataLength(UInt16(pid), .currentData) == 0
      if !isAlone, join(pid, ecus, wishes, car, carries: carries) { continue }
      open(pid, ecus, wishes, car, at: now)
    }
    if car.ecuCount > 0, !tellsOfSilence { watch(car, at: now) }
    for row in 0..<addressed.count where addressed[row].header.fits(bus) && !quirks.contains(.noAddressing) {
      add(addressed[row], row: row, at: now)
    }
    for index in 0..<count { expect(index, car) }
  }

  static let verificationPeriod: Int64 = 60_000_000_000
  /// With an ECU missing, its return is looked for more often.
  static let returnPeriod: Int64 = 5_000_000_000
  static let watchPeriod: Int64 = 2_000_000_000
  static let absentPeriod: Int64 = 30_000_000_000
  /// When a silent PID is asked first: what an earlier session learned may not hold any more.
  static let absentDelay: Int64 = 5_000_000_000

  /// SAE J1850 PWM and K-lines collide.
  static func admitsSuffix(_ bus: BusProtocol) -> Bool { bus.isCAN || bus == .j1850vpw }

  /// The wanted PIDs in the order of their periods, priorities and numbers.
  private mutating func sort(
    into order: inout InlineArray<256, UInt8>, _ car: CarKnowledge, _ wishes: PollWishes
  ) -> Int {
    var items = 0
    for number in 1...255 {
      let pid = UInt8(truncatingIfNeeded: number)
      // Support PIDs tell no reading; PID 02 belongs to service 02 alone.
      guard pid & 0x1F != 0, pid != 0x02, car.ecus(supporting: pid) != 0 else { continue }
      guard wishes.period(of: pid) != PollWishes.never else { continue }
      guard ReplyObserver.dataLength(UInt16(pid), .currentData) > 0 || wishes.isNamed(pid) else { continue }
      var i = items
      while i > 0, precedes(pid, order[i - 1], wishes) {
        order[i] = order[i - 1]
        i -= 1
      }
      order[i] = pid
      items += 1
    }
    return items
  }

  private func precedes(_ a: UInt8, _ b: UInt8, _ wishes: PollWishes) -> Bool {
    let first = wishes.period(of: a)
    let second = wishes.period(of: b)
    if first != second { return first < second }
    return wishes.priority(of: a) < wishes.priority(of: b)
  }

  /// Puts a PID into the last request where that has room and the ECUs bear it.
  private mutating func join(
    _ pid: UInt8, _ ecus: UInt8, _ wishes: PollWishes, _ car: CarKnowledge, carries: Int
  ) -> Bool {
    guard count > 0, carries > 1 else { return false }
    let last = requests[count - 1]
    guard !last.isAbsent, last.period == wishes.period(of: pid), last.request.identifierCount < carries else {
      return false
    }
    let first = UInt8(truncatingIfNeeded: last.request.identifier(at: 0))
    guard ReplyObserver.dataLength(UInt16(first), .currentData) > 0, !alone.contains(first) else { return false }
    guard !refusedSets.contains(last.ecus | ecus) else { return false }
    guard requests[count - 1].request.add(identifier(pid, car)) else { return false }
    requests[count - 1].ecus |= ecus
    requests[count - 1].priority = min(last.priority, wishes.priority(of: pid))
    return true
  }

  private func identifier(_ pid: UInt8, _ car: CarKnowledge) -> UInt16 {
    car.isUDS ? 0xF400 | UInt16(pid) : UInt16(pid)
  }

  private mutating func open(
    _ pid: UInt8, _ ecus: UInt8, _ wishes: PollWishes, _ car: CarKnowledge, at now: Int64
  ) {
    guard count < Self.capacity else { return }
    let isAbsent = absent.contains(pid)
    let period = isAbsent ? max(wishes.period(of: pid), Self.absentPeriod) : wishes.period(of: pid)
    var planned = PlannedRequest(
      request: .one(car.isUDS ? .dataIdentifier : .currentData, identifier(pid, car)), period: period,
      priority: wishes.priority(of: pid), ecus: ecus, due: isAbsent ? now + Self.absentDelay : now - period / 2)
    planned.isAbsent = isAbsent
    requests[count] = planned
    count += 1
  }

  /// Whether silence in answer to any of the requests says something about the vehicle.
  private var tellsOfSilence: Bool {
    for index in 0..<count where !requests[index].isAbsent { return true }
    return false
  }

  /// Nothing is wanted of the ECUs, or nothing that they answer: they are asked what they support, alone and seldom, so
  /// that their going is noticed.
  private mutating func watch(_ car: CarKnowledge, at now: Int64) {
    requests[count] = PlannedRequest(
      request: .one(car.isUDS ? .dataIdentifier : .currentData, identifier(0x00, car)), period: Self.watchPeriod,
      priority: 4, ecus: 0, due: now + Self.watchPeriod)
    count += 1
  }

  private mutating func add(_ addressed: AddressedRequest, row: Int, at now: Int64) {
    guard count < Self.capacity else { return }
    var planned = PlannedRequest(
      request: addressed.request, period: addressed.period, priority: 4, ecus: 0, due: now - addressed.period / 2)
    planned.addressed = row
    requests[count] = planned
    count += 1
  }

  /// Notes which ECU should answer what.
  private mutating func expect(_ index: Int, _ car: CarKnowledge) {
    guard requests[index].addressed < 0 else { return }
    for ecu in 0..<car.ecuCount {
      var places: UInt8 = 0
      for place in 0..<requests[index].request.identifierCount {
        let pid = UInt8(truncatingIfNeeded: requests[index].request.identifier(at: place))
        if car.supported(by: ecu).contains(pid) { places |= 1 << UInt8(truncatingIfNeeded: place) }
      }
      requests[index].expected[ecu] = places
    }
  }

  /// Changes one request; for the parts of the plan that learn.
  mutating func update(_ index: Int, _ change: (inout PlannedRequest) -> Void) { change(&requests[index]) }
}

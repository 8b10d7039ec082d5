import OBDWire

/// The requests that a session repeatedly sends to a vehicle, with their identifiers and periods.
///
/// A plan depends only on the PIDs that the ECUs support, the user's preferences, the bus, and earlier replies. It
/// follows these rules (ISO 15031-5, 7.1.2.1; ISO 15765-4; ELM327 data sheet):
///
/// - On CAN, a request has up to six PIDs of service 01, or three data identifiers of OBDonUDS. On other buses, it has
///   one. Support PIDs are never requested together with other PIDs.
/// - PIDs with the same period share requests. A PID for which no standard defines a length is requested alone, and
///   only if the user named it.
/// - If several PIDs in one request are not answered correctly, the set of ECUs that support any of these PIDs is
///   stored. Later requests to this set of ECUs have one PID.
/// - When ``PlannedRequest/threshold`` complete answers in a row had the same number of frames, this number is sent
///   after the request as the count of expected frames. The count is removed if it truncates an answer. It is never
///   sent on SAE J1850 PWM and K-lines, where the next request would collide with ECUs that still answer.
public struct PollPlan: ~Copyable {
  /// Maximum number of requests: enough for one request for each PID, and for all addressed requests.
  static let capacity = 384

  private(set) var requests = InlineArray<384, PlannedRequest>(
    repeating: PlannedRequest(request: .storedCodes, period: 0, priority: 0, ecus: 0, due: 0))
  /// Number of requests in the plan.
  public private(set) var count = 0
  /// The bus for which the plan was made.
  private(set) var bus: BusProtocol = .auto

  // These values are learned from replies. They are kept when the plan is made again.
  /// Sets of ECUs that do not answer several PIDs in one request correctly. A set is a byte with one bit for each of
  /// the eight ECUs. The byte is stored here as if it were the number of a PID.
  var refusedSets = PIDSet()
  /// The absent PIDs: an ECU claims to support them, but no ECU answers them.
  var absent = PIDSet()
  /// PIDs that are requested alone, because they counted as absent and were then answered when requested alone.
  var alone = PIDSet()
  /// For each PID, the number of misses since the PID was last answered. A miss is a reply that should contain the PID
  /// but does not, or a request for only this PID that is not answered.
  var misses = InlineArray<256, UInt8>(repeating: 0)
  /// PIDs that were requested alone and not answered since an ECU last answered any request. They count as silent only
  /// when an ECU answers again, because a vehicle with its ignition off answers nothing.
  var suspects = PIDSet()
  /// PIDs that were answered at least once since the vehicle was identified.
  var proven = PIDSet()
  /// The identifier that was answered last; `nil` if none was answered since the vehicle was found.
  var lastAnswered: UInt16?
  /// Maximum number of identifiers in a request. It is halved when the adapter answers BUFFER FULL.
  var identifierLimit = 6
  var usesSuffix = true
  var suffixRefusals = 0
  var multiRefusals = 0
  /// Whether a reply has ever contained more than one PID of a request.
  var hearsSeveral = false
  /// For each ECU, the number of replies in a row that lacked its answer while other ECUs answered.
  var silence = InlineArray<8, UInt8>(repeating: 0)
  /// The ECUs that count as missing because they have stopped answering, one bit for each ECU.
  public internal(set) var vanished: UInt8 = 0
  /// The arbitration in progress; `nil` if there is none. An arbitration begins if a request with several PIDs is not
  /// answered as expected: the PIDs are then requested one by one, to find the reason. It is unrelated to the
  /// arbitration of frames on a CAN bus.
  var arbitration: Arbitration?
  /// Time at which the next request without the count of expected frames is sent, ns. Its reply shows whether more ECUs
  /// answer than before.
  var nextVerification: Int64 = 0

  /// Creates a plan without requests.
  public init() {}

  /// Discards everything that was learned, because the vehicle is a different one.
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

  /// Forgets which ECUs answered, because the vehicle stopped answering and was found again.
  ///
  /// - Parameter sameOrder: whether the ECUs have the same indices as before the vehicle stopped answering.
  mutating func forgetPresence(sameOrder: Bool) {
    silence = InlineArray(repeating: 0)
    vanished = 0
    arbitration = nil
    suspects = PIDSet()
    lastAnswered = nil
    // The sets consist of indices of ECUs.
    if !sameOrder { refusedSets = PIDSet() }
  }

  /// Makes the plan. Its requests are due immediately, with two exceptions: requests for absent PIDs, and the request
  /// that only shows whether the vehicle is present.
  mutating func make(
    for car: VehicleCapabilities, _ preferences: PollPreferences, _ addressed: borrowing AddressedTable,
    bus: BusProtocol,
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
    let items = sort(into: &order, car, preferences)
    for i in 0..<items {
      let pid = order[i]
      let ecus = car.ecus(supporting: pid)
      let isAlone =
        absent.contains(pid) || alone.contains(pid) || ReplyObserver.dataLength(UInt16(pid), .currentData) == 0
      if !isAlone, appendToLast(pid, ecus, preferences, car, carries: carries) { continue }
      appendRequest(pid, ecus, preferences, car, at: now)
    }
    if car.ecuCount > 0, !showsPresence { appendPresenceRequest(car, at: now) }
    for row in 0..<addressed.count where addressed[row].header.fits(bus) && !quirks.contains(.noAddressing) {
      add(addressed[row], row: row, at: now)
    }
    for index in 0..<count { storeExpectation(index, car) }
  }

  /// Time between two requests without the count of expected frames while no ECU is missing, ns.
  static let verificationPeriod: Int64 = 60_000_000_000
  /// Time between two requests without the count of expected frames while an ECU is missing, ns. It is short, so that
  /// the ECU's return is soon detected.
  static let returnPeriod: Int64 = 5_000_000_000
  /// Period of the request that only shows whether the vehicle is present, ns.
  static let watchPeriod: Int64 = 2_000_000_000
  /// Minimum period of a request for an absent PID, ns.
  static let absentPeriod: Int64 = 30_000_000_000
  /// Time from the making of the plan to its first request for an absent PID, ns. The PID is requested although it was
  /// silent, because an ECU may answer it now.
  static let absentDelay: Int64 = 5_000_000_000

  /// Whether the count of expected frames may be sent on a bus. It must not be sent on SAE J1850 PWM and K-lines, where
  /// the next request could collide with late answers.
  static func admitsSuffix(_ bus: BusProtocol) -> Bool { bus.isCAN || bus == .j1850vpw }

  /// Sorts all PIDs that the ECUs support and the preferences include: by period, then by priority, then by number.
  ///
  /// - Returns: the number of these PIDs.
  private mutating func sort(
    into order: inout InlineArray<256, UInt8>, _ car: VehicleCapabilities, _ preferences: PollPreferences
  ) -> Int {
    var items = 0
    for number in 1...255 {
      let pid = UInt8(truncatingIfNeeded: number)
      // Support PIDs have no readings. PID 02 exists only in service 02.
      guard pid & 0x1F != 0, pid != 0x02, car.ecus(supporting: pid) != 0 else { continue }
      guard preferences.period(of: pid) != PollPreferences.never else { continue }
      guard ReplyObserver.dataLength(UInt16(pid), .currentData) > 0 || preferences.isNamed(pid) else { continue }
      var i = items
      while i > 0, precedes(pid, order[i - 1], preferences) {
        order[i] = order[i - 1]
        i -= 1
      }
      order[i] = pid
      items += 1
    }
    return items
  }

  private func precedes(_ a: UInt8, _ b: UInt8, _ preferences: PollPreferences) -> Bool {
    let first = preferences.period(of: a)
    let second = preferences.period(of: b)
    if first != second { return first < second }
    return preferences.priority(of: a) < preferences.priority(of: b)
  }

  /// Adds a PID to the last request of the plan.
  ///
  /// - Returns: `false` if the PID needs its own request. This is so if the last request is full, has another period or
  ///   has an absent PID. It is also so if the ECUs that support any PID of the extended request do not answer several
  ///   PIDs in one request.
  private mutating func appendToLast(
    _ pid: UInt8, _ ecus: UInt8, _ preferences: PollPreferences, _ car: VehicleCapabilities, carries: Int
  ) -> Bool {
    guard count > 0, carries > 1 else { return false }
    let last = requests[count - 1]
    guard !last.isAbsent, last.period == preferences.period(of: pid), last.request.identifierCount < carries else {
      return false
    }
    let first = UInt8(truncatingIfNeeded: last.request.identifier(at: 0))
    guard ReplyObserver.dataLength(UInt16(first), .currentData) > 0, !alone.contains(first) else { return false }
    guard !refusedSets.contains(last.ecus | ecus) else { return false }
    guard requests[count - 1].request.add(identifier(pid, car)) else { return false }
    requests[count - 1].ecus |= ecus
    requests[count - 1].priority = min(last.priority, preferences.priority(of: pid))
    return true
  }

  private func identifier(_ pid: UInt8, _ car: VehicleCapabilities) -> UInt16 {
    car.isUDS ? 0xF400 | UInt16(pid) : UInt16(pid)
  }

  private mutating func appendRequest(
    _ pid: UInt8, _ ecus: UInt8, _ preferences: PollPreferences, _ car: VehicleCapabilities, at now: Int64
  ) {
    guard count < Self.capacity else { return }
    let isAbsent = absent.contains(pid)
    let period = isAbsent ? max(preferences.period(of: pid), Self.absentPeriod) : preferences.period(of: pid)
    var planned = PlannedRequest(
      request: .one(car.isUDS ? .dataIdentifier : .currentData, identifier(pid, car)), period: period,
      priority: preferences.priority(of: pid), ecus: ecus, due: isAbsent ? now + Self.absentDelay : now - period / 2)
    planned.isAbsent = isAbsent
    requests[count] = planned
    count += 1
  }

  /// Whether any request of the plan should be answered while the vehicle is present, so that missing answers show that
  /// the vehicle is gone. Requests for absent PIDs do not count.
  private var showsPresence: Bool {
    for index in 0..<count where !requests[index].isAbsent { return true }
    return false
  }

  /// Adds a request for a support PID (00, 20, 40 and so on). If no other request of the plan can detect that the
  /// vehicle is gone, this request does.
  private mutating func appendPresenceRequest(_ car: VehicleCapabilities, at now: Int64) {
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

  /// Stores which identifiers of a request each ECU should answer.
  private mutating func storeExpectation(_ index: Int, _ car: VehicleCapabilities) {
    guard requests[index].addressed == nil else { return }
    for ecu in 0..<car.ecuCount {
      var places: UInt8 = 0
      for place in 0..<requests[index].request.identifierCount {
        let pid = UInt8(truncatingIfNeeded: requests[index].request.identifier(at: place))
        if car.supported(by: ecu).contains(pid) { places |= 1 << UInt8(truncatingIfNeeded: place) }
      }
      requests[index].expected[ecu] = places
    }
  }

  /// Changes one request.
  mutating func update(_ index: Int, _ change: (inout PlannedRequest) -> Void) { change(&requests[index]) }
}

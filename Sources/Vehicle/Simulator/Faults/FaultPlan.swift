/// The faults of one run. It determines which faults are active, which occur now, and which cannot occur again.
struct FaultPlan: Sendable {
  let faults: [Fault]
  /// How often each fault has occurred.
  private var strikes: [Int]
  private var random: SeededGenerator

  init(_ faults: [Fault], seed: UInt64) {
    self.faults = faults
    strikes = faults.map { _ in 0 }
    random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0xFA17))
  }

  /// Returns the active fault of a kind; `nil` if there is none. The kind must be a state (``Fault/Timing/state``).
  func holding(_ kind: Fault.Kind, at time: Duration) -> Fault? {
    faults.first { $0.kind == kind && $0.window.holds(at: time) }
  }

  /// Whether a fault of a kind is active. The kind must be a state (``Fault/Timing/state``).
  func holds(_ kind: Fault.Kind, at time: Duration) -> Bool { holding(kind, at: time) != nil }

  /// Returns all active faults of a kind. The kind must be a state (``Fault/Timing/state``).
  func allHolding(_ kind: Fault.Kind, at time: Duration) -> [Fault] {
    faults.filter { $0.kind == kind && $0.window.holds(at: time) }
  }

  /// Returns the fault of a kind that occurs at this opportunity; `nil` if none occurs. The occurrence is counted, so
  /// that a fault that occurs only once does not occur again.
  mutating func strike(_ kind: Fault.Kind, at time: Duration, where fits: (Fault) -> Bool = { _ in true }) -> Fault? {
    for index in faults.indices where faults[index].kind == kind && faults[index].window.holds(at: time) {
      let fault = faults[index]
      if case .from = fault.window, strikes[index] > 0, !fault.isCounted { continue }
      if fault.isCounted, strikes[index] >= Int(fault.number) { continue }
      guard fits(fault) else { continue }
      if case .probability = kind.rule.argument, !random.happens(fault.number) { continue }
      strikes[index] += 1
      return fault
    }
    return nil
  }

  /// Whether the list has a fault of a kind. For kinds that apply to single bytes, this check saves a call of
  /// ``strike(_:at:where:)`` for each byte.
  func has(_ kind: Fault.Kind) -> Bool { faults.contains { $0.kind == kind } }

  /// Returns the next time at which the window of a fault begins or ends; `nil` if there is none.
  func nextChange(after time: Duration) -> Duration? {
    faults.compactMap { $0.window.nextEdge(after: time) }.min()
  }

  /// Returns the faults that occur by themselves after `from` and no later than `to`, in the order of their times.
  func moments(after from: Duration, upTo to: Duration) -> [(Duration, Fault)] {
    faults.compactMap { fault in
      guard case .moment = fault.kind.rule.timing, let start = fault.window.start, start > from, start <= to else {
        return nil
      }
      return (start, fault)
    }.sorted { $0.0 < $1.0 }
  }

  /// Returns a random byte.
  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }

  /// Returns a random number below `bound`.
  mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(max(bound, 1))) }
}

extension Fault {
  /// Whether ``Fault/number`` limits how often the fault occurs.
  var isCounted: Bool { kind == .busInitError }

  /// Whether the fault applies to a request. If the fault's argument has one byte, this byte must be the request's PID,
  /// or the whole request. If it has several bytes, the request must begin with them.
  func names(_ request: [UInt8]) -> Bool {
    bytes.count == 1
      ? request.count > 1 && request[1] == bytes[0] || request == bytes
      : request.starts(with: bytes)
  }
}

extension Fault.Window {
  var start: Duration? {
    switch self {
    case .always: nil
    case .from(let start), .during(let start, _): start
    }
  }

  /// Whether a time is in the window.
  func holds(at time: Duration) -> Bool {
    switch self {
    case .always: true
    case .from(let start): time >= start
    case .during(let start, let end): time >= start && end.map { time < $0 } ?? true
    }
  }

  /// Returns the next time at which the window begins or ends; `nil` if there is none.
  func nextEdge(after time: Duration) -> Duration? {
    switch self {
    case .always: nil
    case .from(let start): start > time ? start : nil
    case .during(let start, let end): start > time ? start : end.flatMap { $0 > time ? $0 : nil }
    }
  }
}

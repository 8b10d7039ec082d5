/// The faults of one run: what holds now, what strikes now, what is used up.
struct FaultPlan: Sendable {
  let faults: [Fault]
  /// How often each has struck.
  private var strikes: [Int]
  private var random: SeededGenerator

  init(_ faults: [Fault], seed: UInt64) {
    self.faults = faults
    strikes = faults.map { _ in 0 }
    random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0xFA17))
  }

  /// The fault of a kind that holds now: of states.
  func holding(_ kind: Fault.Kind, at time: Duration) -> Fault? {
    faults.first { $0.kind == kind && $0.window.holds(at: time) }
  }

  func holds(_ kind: Fault.Kind, at time: Duration) -> Bool { holding(kind, at: time) != nil }

  /// All faults of a kind that hold now.
  func allHolding(_ kind: Fault.Kind, at time: Duration) -> [Fault] {
    faults.filter { $0.kind == kind && $0.window.holds(at: time) }
  }

  /// The fault of a kind that strikes at this chance, if it fits; a fault with one time is then used up.
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

  /// Whether any fault of a kind is planned: the byte loop asks before it rolls dice.
  func has(_ kind: Fault.Kind) -> Bool { faults.contains { $0.kind == kind } }

  /// The next moment at which something happens by itself, or a state changes.
  func nextChange(after time: Duration) -> Duration? {
    faults.compactMap { $0.window.nextEdge(after: time) }.min()
  }

  /// The faults that happen by themselves in (`from`, `to`], in order.
  func moments(after from: Duration, upTo to: Duration) -> [(Duration, Fault)] {
    faults.compactMap { fault in
      guard case .moment = fault.kind.rule.timing, let start = fault.window.start, start > from, start <= to else {
        return nil
      }
      return (start, fault)
    }.sorted { $0.0 < $1.0 }
  }

  /// A random byte.
  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }

  /// A random number below `bound`.
  mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(max(bound, 1))) }
}

extension Fault {
  /// The number says how often it strikes.
  var isCounted: Bool { kind == .busInitError }

  /// Whether a request is the one that this fault names: its PID where one byte is named, else its beginning.
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

  func holds(at time: Duration) -> Bool {
    switch self {
    case .always: true
    case .from(let start): time >= start
    case .during(let start, let end): time >= start && end.map { time < $0 } ?? true
    }
  }

  func nextEdge(after time: Duration) -> Duration? {
    switch self {
    case .always: nil
    case .from(let start): start > time ? start : nil
    case .during(let start, let end): start > time ? start : end.flatMap { $0 > time ? $0 : nil }
    }
  }
}

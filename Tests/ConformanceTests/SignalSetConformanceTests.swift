import Foundation
import OBDWire
import SignalSets
import TestKit
import Testing

/// Real answers to services 21 and 22 of six vehicles. The values of OBDb's own decoder are compared with those of this
/// project's definitions of the same sets. The bits are read by the few lines below, which share no code with the
/// decoder.
struct SignalSetConformanceTests {
  /// The result of the comparison with one expected value.
  fileprivate enum Outcome {
    case equal
    /// The value is outside the range in the set, so there is no reading; OBDb reports the limit.
    case absentOutsideRange(sent: Double)
    /// The value is below 0 and the set states no minimum; OBDb reports 0.
    case belowUnwrittenMinimum(sent: Double)
    case different(String)
  }

  fileprivate struct Figures {
    var equal = 0
    var absent = 0
    var unwritten = 0
    var different: [String] = []
    /// For each signal, the values for which OBDb reports a limit instead.
    var limited: [String: [Double]] = [:]
    var count: Int { equal + absent + unwritten + different.count }
  }

  private static let vehicles = [
    "Chevrolet-Bolt-EV", "Ford-F-150", "Jeep-Wrangler", "Nissan-Leaf", "Toyota-Camry", "Volkswagen-Golf",
  ]

  @Test func set_with_obdb_limits_gives_the_values_of_obdb() throws {
    let figures = try figures(.limited)
    for vehicle in Self.vehicles {
      #expect(figures[vehicle]?.different.isEmpty ?? true, "\(figures[vehicle]?.different ?? [])")
    }
    let (equal, all) = figures.values.reduce((0, 0)) { ($0.0 + $1.equal, $0.1 + $1.count) }
    print("signal sets, limits as OBDb: \(equal) of \(all) values equal")
    #expect(all > 4_500 && equal == all)
  }

  @Test func value_outside_its_sets_range_is_absent_and_every_other_is_equal() throws {
    let figures = try figures(.absent)
    var all = Figures()
    for vehicle in Self.vehicles {
      guard let own = figures[vehicle] else { continue }
      #expect(own.different.isEmpty, "\(own.different)")
      print(
        "signal sets, \(vehicle): \(own.equal) of \(own.count) values equal, \(own.absent) absent (outside the set's range), "
          + "\(own.unwritten) negative (no minimum written; OBDb prints 0)")
      for (name, sent) in own.limited.sorted(by: { $0.key < $1.key }) {
        print("  \(name): \(sent.count) × sent \(sent.min() ?? 0)…\(sent.max() ?? 0), OBDb prints its limit")
      }
      all.equal += own.equal
      all.absent += own.absent
      all.unwritten += own.unwritten
    }
    print("signal sets, all: \(all.equal) of \(all.count) equal, \(all.absent) absent, \(all.unwritten) negative")
    #expect(Double(all.equal) >= 0.98 * Double(all.count))
    #expect(Double(all.unwritten) <= 0.005 * Double(all.count))
  }

  @Test func set_without_commands_loads_and_decodes_nothing() throws {
    let loaded = try load("Jeep-Wrangler", .absent)
    #expect(loaded.definitions.isEmpty && loaded.commands.isEmpty)
  }

  // MARK: Reading the recordings

  private func load(_ vehicle: String, _ policy: LimitPolicy) throws -> LoadedSignals {
    let path = try TestData.path("obd/signalsets/\(vehicle).json")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let set = try SignalSet(parsing: bytes, fileName: "\(vehicle).json")
    #expect(set.unsupported.isEmpty, "\(set.unsupported)")
    return try LoadedSignals([set], limitPolicy: policy)
  }

  private func figures(_ policy: LimitPolicy) throws -> [String: Figures] {
    let rows = try TestData.objects("obd/obdb-extended.jsonl")
    var sets: [String: LoadedSignals] = [:]
    var requests: [String: [UInt32: [Int]]] = [:]
    for vehicle in Self.vehicles {
      let loaded = try load(vehicle, policy)
      sets[vehicle] = loaded
      requests[vehicle] = Dictionary(grouping: loaded.definitions.indices) { index in
        UInt32(loaded.definitions[index].service) << 16 | UInt32(loaded.definitions[index].identifier)
      }
    }
    var figures: [String: Figures] = [:]
    for row in rows {
      // The Jeep's own set is empty; its signals are defined by the make's set, which is not here.
      guard let vehicle = row["vehicle"] as? String, vehicle != "Jeep-Wrangler", let loaded = sets[vehicle],
        let expected = row["expected"] as? [String: Any], let lines = row["response"] as? [String],
        let command = row["command_id"] as? String
      else { continue }
      let isExtended = command.split(separator: "|").dropFirst().first?.contains("e=") ?? false
      let sent = decode(Answers(lines, isExtended: isExtended), loaded, requests[vehicle] ?? [:])
      for (name, value) in expected {
        let outcome = compare(sent[name], value, loaded, policy)
        figures[vehicle, default: Figures()].count(outcome, name)
      }
    }
    return figures
  }

  /// Returns all values that the definitions find, by name: the row, and the value of the bits without limits.
  private func decode(
    _ answers: Answers, _ loaded: LoadedSignals, _ requests: [UInt32: [Int]]
  ) -> [String: (row: Int, value: Double)] {
    var found: [String: (row: Int, value: Double)] = [:]
    for (sender, payload) in answers.messages {
      guard let first = payload.first, first > 0x40 else { continue }
      let head = first == 0x62 ? 3 : 2
      guard payload.count > head else { continue }
      let request = payload[1..<head].reduce(0) { $0 << 8 | UInt32($1) } | UInt32(first - 0x40) << 16
      let bytes = Array(payload[head...])
      for index in requests[request] ?? [] {
        let row = loaded.definitions[index]
        guard row.ecu == .unknown || row.ecu == .can11(sender), let value = extract(row, from: bytes) else { continue }
        let id = SignalID(rawValue: SignalID.firstLoaded + UInt16(index))
        if let name = loaded.name(of: id) { found[name] = (index, value) }
      }
    }
    return found
  }

  private func extract(_ row: SignalDefinition, from bytes: [UInt8]) -> Double? {
    let (first, length) = (Int(row.bitOffset), Int(row.bitLength))
    guard first + length <= bytes.count * 8 else { return nil }
    var bits = (first..<first + length).map { UInt64(bytes[$0 / 8] >> UInt8(7 - $0 % 8) & 1) }
    if row.encoding == .unsignedLittleEndian || row.encoding == .signedLittleEndian {
      bits = stride(from: length - 8, through: 0, by: -8).flatMap { bits[$0..<$0 + 8] }
    }
    let raw = bits.reduce(0) { $0 << 1 | $1 }
    let isSigned = row.encoding == .signed || row.encoding == .signedLittleEndian
    let value = isSigned && bits[0] == 1 ? Double(raw) - pow(2, Double(length)) : Double(raw)
    return value * row.factor + row.offset
  }

  private func compare(
    _ sent: (row: Int, value: Double)?, _ expected: Any, _ loaded: LoadedSignals, _ policy: LimitPolicy
  ) -> Outcome {
    guard let sent else { return .different("nothing decoded for \(expected)") }
    let id = SignalID(rawValue: SignalID.firstLoaded + UInt16(sent.row))
    let row = loaded.definitions[sent.row]
    if row.kind == .enumeration {
      // In the test files, texts that look like numbers have lost their quotes.
      let text = loaded.mapText(of: id, code: sent.value)
      return text == "\(expected)" ? .equal : .different("\(text ?? "no text") for \(expected)")
    }
    guard let number = (expected as? NSNumber)?.doubleValue else { return .different("a number for \(expected)") }
    let shown = loaded.limited(sent.value, of: id)
    let isNone = sent.value <= row.nullAtOrBelow || sent.value >= row.nullAtOrAbove
    if !isNone, abs(shown - number) <= max(1e-4 * abs(number), 6e-6) { return .equal }
    guard policy == .absent, let signal = loaded[id] else { return .different("\(shown) for \(number)") }
    // The remaining values must be limits that OBDb reported instead of the value.
    if isNone, let maximum = signal.maximum, sent.value > maximum, number == maximum {
      return .absentOutsideRange(sent: sent.value)
    }
    if isNone, let minimum = signal.minimum, sent.value < minimum, number == minimum {
      return .absentOutsideRange(sent: sent.value)
    }
    if !isNone, signal.minimum == nil, sent.value < 0, number == 0 { return .belowUnwrittenMinimum(sent: sent.value) }
    return .different("\(isNone ? "none" : "\(shown)") for \(number)")
  }
}

extension SignalSetConformanceTests.Figures {
  fileprivate mutating func count(_ outcome: SignalSetConformanceTests.Outcome, _ name: String) {
    switch outcome {
    case .equal: equal += 1
    case .absentOutsideRange(let sent):
      absent += 1
      limited[name, default: []].append(sent)
    case .belowUnwrittenMinimum(let sent):
      unwritten += 1
      limited[name, default: []].append(sent)
    case .different(let what): different.append("\(name): \(what)")
    }
  }
}

/// The messages of one recording, after the CAN identifiers and the ISO-TP headers are removed. Only 11-bit identifiers
/// are supported.
private struct Answers {
  var messages: [(sender: UInt32, payload: [UInt8])] = []

  init(_ lines: [String], isExtended: Bool) {
    var open: [UInt32: (length: Int, bytes: [UInt8])] = [:]
    for line in lines {
      let digits = line.filter { $0 != " " }
      guard !digits.hasPrefix(">"), let sender = UInt32(digits.prefix(3), radix: 16),
        let frame = Self.bytes(digits.dropFirst(isExtended ? 5 : 3)), let control = frame.first
      else { continue }
      switch control >> 4 {
      case 0: messages.append((sender, Array(frame.dropFirst().prefix(Int(control & 0xF)))))
      case 1 where frame.count > 2: open[sender] = (Int(control & 0xF) << 8 | Int(frame[1]), Array(frame[2...]))
      case 2:
        guard var message = open[sender] else { continue }
        message.bytes += frame.dropFirst()
        open[sender] = message.bytes.count < message.length ? message : nil
        if open[sender] == nil { messages.append((sender, Array(message.bytes.prefix(message.length)))) }
      default: continue
      }
    }
  }

  private static func bytes(_ digits: Substring) -> [UInt8]? {
    guard digits.count % 2 == 0 else { return nil }
    var out: [UInt8] = []
    var rest = digits
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      out.append(byte)
      rest = rest.dropFirst(2)
    }
    return out
  }
}

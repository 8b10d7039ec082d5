import Foundation
import Fusion
import NMEAWire
import OBDWire
import Telemetry
import Testing

@Suite struct FusionPropertyTests {
  /// For any events, every line is a JSON object of at most 16 KiB. The common head is complete and in order, no key
  /// occurs twice, `seq` has no gap, and time does not decrease.
  @Test(arguments: 1...12) func any_events_make_valid_records(seed: Int) throws {
    var random = Lehmer(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
    let cadence: Cadence = seed.isMultiple(of: 3) ? .cycle : .every(nanoseconds: Int64(seed) * 150_000_000)
    var session = Session(cadence) { options in
      options.naming = seed.isMultiple(of: 2) ? .vss : .plain
      options.loadedSignals = (0..<600).map { index in
        let kinds: [SignalDefinition.Kind] = [.number, .flag, .enumeration]
        return LoadedSignal(
          name: ["EV_\u{1F697}_", "X\"Y\\", "rpm"][index % 3] + "\(index % 290)", kind: kinds[index % 3],
          texts: [.init(code: 1, text: "on\n"), .init(code: 2, text: "off")])
      }
    }
    var seconds = 0.0
    for _ in 0..<2_500 {
      seconds += Double.random(in: 0...0.05, using: &random)
      event(&session, at: seconds, &random)
    }
    let records = try session.finish(at: seconds + 1)
    #expect(records.count > 5)
    #expect(records.map(\.sequence) == Array(1...records.count))
    var last = -1.0
    for record in records {
      let keys = outermostKeys(of: record.line)
      #expect(keys.count == Set(keys).count)
      #expect(
        keys.prefix(8) == ["type", "id", "elapsed", "timeQuality", "gatewayId", "vehicleId", "epoch", "seq"])
      #expect(record.elapsed ?? -2 >= last)
      last = record.elapsed ?? -2
    }
  }

  private func event(_ session: inout Session, at seconds: Double, _ random: inout Lehmer) {
    let addresses: [ECUAddress] = [
      .can11(0x7E8), .can11(0x7E8), .can11(0x7E9), .can29(0x18DA_F110), .legacy(0x10), .unknown,
    ]
    let ecu = addresses[Int.random(in: 0..<addresses.count, using: &random)]
    switch Int.random(in: 0..<20, using: &random) {
    case 0:
      let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let kinds: [TextReading.Kind] = [.vin, .calibrationID, .calibrationVerificationNumber, .ecuName, .other]
      session.bytes(
        kinds[Int.random(in: 0..<5, using: &random)], bytes, index: UInt8.random(in: 0...255, using: &random),
        from: ecu, at: seconds)
    case 1:
      let codes = (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt16.random(in: 0...9, using: &random) }
      let kinds: [TroubleCodeList.Kind] = [.stored, .pending, .permanent, .freezeFrame, .other]
      session.codes(kinds[Int.random(in: 0..<5, using: &random)], codes, from: ecu, at: seconds)
    case 2:
      session.fix(
        Double.random(in: -90...90, using: &random), Double.random(in: -180...180, using: &random), at: seconds)
    case 3:
      session.supports(
        UInt32.random(in: 0...UInt32.max, using: &random), base: UInt16.random(in: 0...7, using: &random) * 0x20,
        from: ecu, at: seconds)
    case 4...9:
      session.readLoaded(UInt16.random(in: 0...700, using: &random), value(&random), at: seconds, from: ecu)
    default:
      let row = Int.random(in: 0..<saeSignals.count, using: &random)
      let definition = saeSignals.span[row].definition
      let reading = Reading(
        origin: Origin(ecu: ecu, line: 0, position: UInt64(seconds * 1e6)), signal: SignalID(rawValue: UInt16(row)),
        service: Bool.random(using: &random) ? definition.service : 2, identifier: definition.identifier,
        value: value(&random))
      session.fusion.reading(reading, at: Session.nanoseconds(seconds), into: &session.sink)
    }
  }

  /// Returns a value of any kind, also values that are not numbers.
  private func value(_ random: inout Lehmer) -> Double {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: Double(bitPattern: random.next())
    case 1: .nan
    case 2: -.infinity
    case 3: Double(Int.random(in: -2...3, using: &random))
    default: Double.random(in: -40...16_383.75, using: &random)
    }
  }

  /// Returns the keys of the outermost object, as they are written.
  private func outermostKeys(of line: String) -> [String] {
    var keys: [String] = []
    var depth = 0
    var text: String?
    var isEscaped = false
    var expectsKey = false
    for character in line.unicodeScalars {
      if var current = text {
        if !isEscaped, character == "\"" {
          if depth == 1, expectsKey { keys.append(current) }
          expectsKey = false
          text = nil
          continue
        }
        isEscaped = !isEscaped && character == "\\"
        current.unicodeScalars.append(character)
        text = current
        continue
      }
      switch character {
      case "\"": text = ""
      case "{", "[":
        depth += 1
        expectsKey = true
      case "}", "]": depth -= 1
      case ",": expectsKey = true
      default: break
      }
    }
    return keys
  }
}

/// A generator that returns the same numbers in every run.
struct Lehmer: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 31
  }
}

import Foundation
import NMEAWire
import TestKit

/// The receivers' logs, and a simple second parser for comparison.
enum NMEALogs {
  /// The reasons for which a sentence with a right checksum is rejected.
  static let fieldReasons: [RejectReason] = [.missingField, .malformedField, .impossibleValue]

  /// The status of the fix in all sentences with one time of day.
  struct Said {
    var affirmed = 0
    var denied = 0
  }

  /// Returns the names of the logs without `.log`.
  static func names() throws -> [String] {
    let folder = try TestData.path("nmea")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    return files.filter { $0.hasSuffix(".log") }.map { String($0.dropLast(4)) }
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    let path = try TestData.path("nmea/\(name).log")
    return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Returns the fields of every sentence with a correct checksum, by simple splitting: from each `$` to the next `*`.
  static func bodies(in bytes: [UInt8]) -> [[String]] {
    var bodies: [[String]] = []
    for (start, byte) in bytes.enumerated() where byte == UInt8(ascii: "$") {
      var end = start + 1
      while end < bytes.count, (0x20...0x7E).contains(bytes[end]), bytes[end] != UInt8(ascii: "*") {
        if bytes[end] == UInt8(ascii: "$") { break }
        end += 1
      }
      guard end + 2 < bytes.count, end - start < 254, bytes[end] == UInt8(ascii: "*") else { continue }
      let digits = String(decoding: bytes[end + 1...end + 2], as: UTF8.self)
      guard digits.allSatisfy(\.isHexDigit), let stated = UInt8(digits, radix: 16) else { continue }
      guard bytes[(start + 1)..<end].reduce(0, ^) == stated else { continue }
      let body = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
      bodies.append(body.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
    }
    return bodies
  }

  /// Returns, by time of day in milliseconds, the number of sentences that report a valid fix and of those that report
  /// none.
  static func statuses(in bytes: [UInt8]) -> [Int: Said] {
    var statuses: [Int: Said] = [:]
    for word in words(in: bytes) {
      guard let key = milliseconds(word.time) else { continue }
      if word.isAffirmed {
        statuses[key, default: Said()].affirmed += 1
      } else {
        statuses[key, default: Said()].denied += 1
      }
    }
    return statuses
  }

  /// The status of the fix in one sentence, and its position in degrees.
  struct Word {
    var time: String
    var isAffirmed: Bool
    var latitude: Double?
    var longitude: Double?
  }

  static func words(in bytes: [UInt8]) -> [Word] {
    bodies(in: bytes).filter { $0[0].count == 5 && !$0[0].hasPrefix("P") }.compactMap(word)
  }

  private static func word(_ fields: [String]) -> Word? {
    func field(_ index: Int) -> String { index < fields.count ? fields[index] : "" }
    func isAffirmed(_ status: String, _ mode: String) -> Bool {
      mode == "E" || (status == "A" && !["N", "S", "M"].contains(mode))
    }
    func word(_ time: String, _ affirmed: Bool, at first: Int) -> Word? {
      // A position in any other format makes the sentence invalid. A sentence without a position still has a status.
      let latitude = degrees(field(first), wholeDigits: 2, field(first + 1) == "S")
      let longitude = degrees(field(first + 2), wholeDigits: 3, field(first + 3) == "W")
      if affirmed, latitude == nil || longitude == nil { return nil }
      return Word(time: time, isAffirmed: affirmed, latitude: latitude, longitude: longitude)
    }
    switch fields[0].suffix(3) {
    case "RMC":
      // The last of twelve fields is the side of the variation or, if the receiver omits it, the mode.
      let last = ["A", "D", "N"].contains(field(11)) ? field(11) : ""
      return word(field(1), isAffirmed(field(2), fields.count > 12 ? field(12) : last), at: 3)
    case "GGA": return word(field(1), ["1", "2", "3", "4", "5", "6", "9"].contains(field(6)), at: 2)
    case "GLL" where fields.count > 6: return word(field(5), isAffirmed(field(6), field(7)), at: 1)
    case "GNS" where !field(6).isEmpty: return word(field(1), field(6).contains { "ADEFPR".contains($0) }, at: 2)
    default: return nil
    }
  }

  private static func degrees(_ field: String, wholeDigits: Int, _ isNegative: Bool) -> Double? {
    guard field.prefix(wholeDigits + 2).allSatisfy(\.isNumber), let whole = Double(field.prefix(wholeDigits)) else {
      return nil
    }
    guard let minutes = Double(field.dropFirst(wholeDigits)) else { return nil }
    return (isNegative ? -1 : 1) * (whole + minutes / 60)
  }

  /// Returns the time `hhmmss.sss` as milliseconds since midnight, rounded.
  static func milliseconds(_ time: String) -> Int? {
    guard let value = Double(time), time.prefix(6).allSatisfy(\.isNumber), time.count >= 6 else { return nil }
    let whole = Int(value)
    let seconds = whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100
    return seconds * 1000 + Int(((value - Double(whole)) * 1000).rounded())
  }
}

extension TimeOfDay {
  /// Milliseconds since midnight, rounded as gpsd prints them.
  var milliseconds: Int { secondOfDay * 1000 + (nanosecond + 500_000) / 1_000_000 }
}

/// Collects the fixes that a reader finds in some bytes.
struct CollectedFixes: FixHandler {
  struct Refusal: Equatable {
    var reason: RejectReason
    var sentence: [UInt8]
    var position: UInt64
  }

  private(set) var fixes: [Fix] = []
  private(set) var refusals: [Refusal] = []
  private(set) var accepted: [SentenceKind] = []

  var positions: [Fix] { fixes.filter { $0.latitude != nil } }

  static func reading(_ bytes: [UInt8], chunk: Int = .max) -> CollectedFixes {
    var collected = CollectedFixes()
    var reader = FixReader()
    var start = 0
    while start < bytes.count {
      let end = start + min(chunk, bytes.count - start)
      reader.receive(bytes.span.extracting(start..<end), into: &collected)
      start = end
    }
    reader.finish(into: &collected)
    return collected
  }

  mutating func fix(_ fix: Fix) { fixes.append(fix) }

  mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) {
    var bytes: [UInt8] = []
    for index in 0..<sentence.count { bytes.append(sentence[index]) }
    refusals.append(Refusal(reason: reason, sentence: bytes, position: position))
  }

  mutating func accepted(_ kind: SentenceKind) { accepted.append(kind) }
}

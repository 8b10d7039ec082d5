import Foundation
import Testing

/// The answers of a simulated car, parsed from its adapter's log (`obdgate simulate --log`) by code that is independent
/// of the daemon.
struct SimulatedAnswers {
  /// One answer with an engine speed.
  struct Turn {
    /// Seconds since the simulator began.
    let time: Double
    /// For each key of a telemetry record: the last answer before this cycle, and the answers until the next one.
    var told: [String: [Double]]
    /// Whether the daemon had stopped waiting for the answer, as it does if the machine stops for seconds. It may then
    /// be in no record.
    let isGivenUp: Bool
  }

  /// The answers in each connection of a daemon, which lasts from one ATZ to the next.
  private(set) var sessions: [[Turn]] = []
  /// For each key of a telemetry record, the last answer, and earlier ones if the daemon had stopped waiting for the
  /// later ones.
  private var held: [String: [Double]] = [:]

  /// Parses a log.
  ///
  /// - Parameter log: lines such as `0.328114 < 7E8064100181`, with `\r` for a line's end, in the pieces in which they
  ///   were sent.
  init(_ log: String) throws {
    var reply = ""
    var time = 0.0
    var command: Substring = ""
    var isGivenUp = false
    for line in log.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ", maxSplits: 2)
      try #require(words.count == 3, "\(line)")
      if words[1] == "<" {
        reply += words[2]
        time = try #require(Double(words[0]), "\(line)")
      } else {
        // ATI was sent instead of waiting for an answer: the request was abandoned, whether its answer arrives before
        // or after ATI.
        let asksAgain = words[2].hasPrefix("ATI") && (isGivenUp || !command.hasPrefix("AT"))
        try append(reply, at: time, isGivenUp: isGivenUp || asksAgain)
        reply = ""
        command = words[2]
        isGivenUp = asksAgain || command.contains("\\rATI")
        if command.hasPrefix("ATZ") {
          sessions.append([])
          held = [:]
        }
      }
    }
    try append(reply, at: time, isGivenUp: isGivenUp)
  }

  /// Adds all bytes between two commands. A truncated line is no answer.
  private mutating func append(_ reply: String, at time: Double, isGivenUp: Bool) throws {
    guard let message = Self.message(in: reply), message.count > 1, message[0] == 0x41, message[1] & 0x1F != 0 else {
      return
    }
    var values: [String: Double] = [:]
    var place = 1
    while place < message.count {
      let row = try #require(Self.rows[message[place]], "\(reply)")
      guard place + row.length < message.count else { return }
      values[row.key] = row.value(message[(place + 1)...].map(Double.init))
      place += 1 + row.length
    }
    let session = sessions.count - 1
    if values["rpm"] != nil {
      let told = held.merging(values.mapValues { [$0] }) { _, new in new }
      sessions[session].append(Turn(time: time, told: told, isGivenUp: isGivenUp))
    } else if let turn = sessions[session].indices.last {
      for (key, value) in values { sessions[session][turn].told[key, default: []].append(value) }
    } else {
      return
    }
    for (key, value) in values { held[key] = (isGivenUp ? held[key] ?? [] : []) + [value] }
  }

  /// The message of the only ECU, 7E8, in frames of ISO 15765-2 with headers; `nil` if it is incomplete.
  private static func message(in reply: String) -> [UInt8]? {
    var (message, length) = ([UInt8](), 0)
    for line in reply.components(separatedBy: "\\r") where line.hasPrefix("7E8") && line.allSatisfy(\.isHexDigit) {
      let digits = Array(line.dropFirst(3))
      let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
      }
      guard let control = bytes.first else { continue }
      switch control >> 4 {
      case 0: (message, length) = (Array(bytes.dropFirst()), Int(control & 0x0F))
      case 1 where bytes.count > 2: (message, length) = (Array(bytes[2...]), Int(control & 0x0F) << 8 | Int(bytes[1]))
      case 2: message += bytes.dropFirst()
      default: continue
      }
    }
    return length > 0 && message.count >= length ? Array(message.prefix(length)) : nil
  }

  /// The rows of SAE J1979-DA for the PIDs that ``Scenarios/drive`` measures.
  private static let rows: [UInt8: (key: String, length: Int, value: @Sendable ([Double]) -> Double)] = [
    0x04: ("engineLoad", 1, { $0[0] * 100 / 255 }),
    0x05: ("coolantTemp", 1, { $0[0] - 40 }),
    0x0C: ("rpm", 2, { ($0[0] * 256 + $0[1]) / 4 }),
    0x0D: ("speed", 1, { $0[0] }),
    0x0F: ("intakeAirTemp", 1, { $0[0] - 40 }),
    0x11: ("throttlePosition", 1, { $0[0] * 100 / 255 }),
  ]

  /// The keys of records that can be derived from the log.
  static let keys = rows.values.map(\.key)
}

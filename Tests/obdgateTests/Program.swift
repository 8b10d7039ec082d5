import Foundation
import TestKit
import Testing

/// Runs the built `obdgate` as a user does.
func obdgate(
  _ arguments: [String], stdin: [UInt8]? = nil, directory: String? = nil, limit: Duration = .seconds(120)
) throws -> Tool.Result {
  let program = try Tool.obdgate
  return try Tool.run(program, arguments, stdin: stdin, directory: directory, limit: limit)
}

/// Runs `obdgate` with a text as its standard input. Each character up to U+00FF stands for one byte.
func obdgate(_ arguments: String..., text: String) throws -> Tool.Result {
  try obdgate(arguments, stdin: bytes(text))
}

/// Returns the characters as the bytes with their numbers.
func bytes(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

/// Returns the records that a replay wrote. Each is checked: it has the common head and no null, and `seq` has no gap.
func records(_ result: Tool.Result) throws -> [PrintedJSON] {
  let records = try PrintedJSON.lines(result.output)
  var next: [String: Double] = [:]
  for (index, record) in records.enumerated() {
    #expect(record.holdsNoNull)
    for key in ["type", "id", "timeQuality", "gatewayId", "vehicleId", "epoch", "seq"] {
      #expect(record[key] != nil, "record \(index) has no \(key)")
    }
    #expect((record["timestamp"] == nil) == (record["timeQuality"] == "unset"))
    #expect(record["gatewayId"] == "replay")
    #expect(isUUIDv7(record["id"]?.text ?? ""))
    let epoch = record["epoch"]?.text ?? ""
    #expect(isUUIDv7(epoch))
    let expected = (next[epoch] ?? 0) + 1
    // If a capture is given twice, its content hash is the same, so the same epoch begins again.
    #expect(record["seq"]?.number == expected || record["seq"] == 1)
    next[epoch] = record["seq"]?.number
  }
  return records
}

/// Whether a text is a UUID such as `019cc497-aee8-7400-bd3b-7c70b05a7f91`: version 7, variant 10 (RFC 9562, 5.7).
func isUUIDv7(_ text: String) -> Bool {
  let characters = Array(text)
  guard characters.count == 36, characters[14] == "7", "89ab".contains(characters[19]) else { return false }
  return characters.enumerated().allSatisfy { index, character in
    [8, 13, 18, 23].contains(index) ? character == "-" : "0123456789abcdef".contains(character)
  }
}

extension [PrintedJSON] {
  func of(_ type: String) -> [PrintedJSON] { filter { $0["type"]?.text == type } }
}

/// The names of the bundled captures.
let captureNames: [String] = {
  let folder = TestData.projectRoot + "/captures"
  let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  return files.filter { $0.hasSuffix(".capture") }.map { String($0.dropLast(8)) }.sorted()
}()

/// Returns the path of a bundled capture.
func capture(_ name: String) -> String { TestData.projectRoot + "/captures/\(name).capture" }

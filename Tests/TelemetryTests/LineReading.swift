import Foundation
import Telemetry

/// Returns the text of a line so far.
func text(of line: borrowing JSONLineEncoder) -> String {
  line.withLine { bytes in String(decoding: Array(bytes), as: UTF8.self) }
}

/// Returns one object with one value as text.
func text(of write: (inout JSONLineEncoder) -> Void) -> String {
  var line = JSONLineEncoder()
  line.begin()
  write(&line)
  line.finish()
  return text(of: line)
}

/// Returns the object that Foundation reads from a line.
///
/// - Throws: an error if the line is not a JSON object.
func object(in line: borrowing JSONLineEncoder) throws -> [String: Any] {
  let data = line.withLine { bytes in Data(Array(bytes)) }
  guard data.last == UInt8(ascii: "\n") else { throw NoObject() }
  guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else { throw NoObject() }
  return object
}

struct NoObject: Error {}

/// A linear congruential generator, which returns the same numbers in every run.
struct Reproducible: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 31
  }
}

extension Array where Element == UInt8 {
  init(_ span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { bytes in unsafe Array(bytes) }
  }
}

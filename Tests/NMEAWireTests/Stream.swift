import NMEAWire

/// Sentences as a receiver sends them, and the results of the reader.
struct Stream: FixHandler {
  struct Refusal: Equatable {
    var reason: RejectReason
    var sentence: String
    var position: UInt64
  }

  private(set) var fixes: [Fix] = []
  private(set) var refusals: [Refusal] = []
  private(set) var accepted: [SentenceKind] = []

  var reasons: [RejectReason] { refusals.map(\.reason) }

  /// Returns a sentence: `$`, the body, its checksum, CR and LF.
  static func sentence(_ body: String) -> String {
    let checksum = body.utf8.reduce(0, ^)
    let digits = String(checksum, radix: 16, uppercase: true)
    return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
  }

  /// Returns the results for bodies, to which checksums are added.
  static func reading(_ bodies: String...) -> Stream { reading(bytes: bodies.map(sentence).joined()) }

  static func reading(bytes text: String, chunk: Int = .max) -> Stream { reading(Array(text.utf8), chunk: chunk) }

  static func reading(_ bytes: [UInt8], chunk: Int = .max) -> Stream {
    var stream = Stream()
    var reader = FixReader()
    var start = 0
    while start < bytes.count {
      let end = start + min(chunk, bytes.count - start)
      reader.receive(bytes.span.extracting(start..<end), into: &stream)
      start = end
    }
    reader.finish(into: &stream)
    return stream
  }

  /// Returns the results for bytes that arrive in two pieces.
  static func reading(_ bytes: [UInt8], cutAt cut: Int) -> Stream {
    var stream = Stream()
    var reader = FixReader()
    reader.receive(bytes.span.extracting(0..<cut), into: &stream)
    reader.receive(bytes.span.extracting(cut..<bytes.count), into: &stream)
    reader.finish(into: &stream)
    return stream
  }

  mutating func fix(_ fix: Fix) { fixes.append(fix) }

  mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) {
    var bytes: [UInt8] = []
    for index in 0..<sentence.count { bytes.append(sentence[index]) }
    refusals.append(Refusal(reason: reason, sentence: String(decoding: bytes, as: UTF8.self), position: position))
  }

  mutating func accepted(_ kind: SentenceKind) { accepted.append(kind) }
}

extension Stream {
  /// The fix, if there is exactly one; otherwise `nil`.
  var onlyFix: Fix? { fixes.count == 1 ? fixes[0] : nil }
}

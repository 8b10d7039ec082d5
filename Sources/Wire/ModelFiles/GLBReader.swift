/// Reads the container of binary glTF 2.0: a header of 12 bytes, a chunk of JSON and at most one chunk of binary data.
enum GLBReader {
  private static let json: UInt32 = 0x4E4F_534A
  private static let binary: UInt32 = 0x004E_4942

  static func facts(_ bytes: ModelBytes) throws(ModelError) -> ModelFacts {
    guard bytes.count >= 12 else { throw ModelError(.truncated, "header", "expected 12 bytes, found \(bytes.count)") }
    guard try bytes.matches("glTF", at: 0) else { throw ModelError(.malformed, "header", "expected glTF") }
    let version = try bytes.uint32(at: 4)
    guard version == 2 else {
      throw ModelError(.unsupported, "header", "expected version 2 of the container, found \(version)")
    }
    // Bytes behind the declared length do not belong to the model. They are ignored, as the specification requires.
    let end = Int(try bytes.uint32(at: 8))
    guard end <= bytes.count else {
      throw ModelError(.truncated, "header", "expected \(end) bytes, found \(bytes.count)")
    }
    guard end > 12 else { throw ModelError(.malformed, "header", "expected a length above 12, found \(end)") }
    var (offset, text, data) = (12, Range<Int>?.none, Range<Int>?.none)
    var number = 0
    while offset < end {
      let place = "chunk \(number)"
      guard end - offset >= 8 else { throw ModelError(.truncated, place, "expected a header of 8 bytes") }
      let (count, type) = (Int(try bytes.uint32(at: offset)), try bytes.uint32(at: offset + 4))
      guard count % 4 == 0 else {
        throw ModelError(.malformed, place, "expected a length that is a multiple of 4, found \(count)")
      }
      guard count <= end - offset - 8 else {
        throw ModelError(.truncated, place, "expected \(count) bytes, found \(end - offset - 8)")
      }
      let content = (offset + 8)..<(offset + 8 + count)
      if number == 0, type != json { throw ModelError(.malformed, place, "expected a chunk of JSON at first") }
      switch type {
      case json:
        guard text == nil else { throw ModelError(.malformed, place, "expected only one chunk of JSON") }
        guard count > 0 else { throw ModelError(.malformed, place, "the chunk of JSON is empty") }
        text = content
      case binary:
        guard data == nil else { throw ModelError(.malformed, place, "expected only one chunk of binary data") }
        guard number == 1 else { throw ModelError(.malformed, place, "expected binary data in the second chunk") }
        data = content
      default: break
      }
      offset = content.upperBound
      number += 1
      try ModelLimits.check(number, 4_096, "chunks")
    }
    guard let text else { throw ModelError(.malformed, "", "expected a chunk of JSON") }
    try ModelLimits.check(text.count, ModelLimits.textBytes, "bytes of JSON")
    var facts = try GLTFChecker.facts(try bytes.bytes(text), .container(bytes, data))
    facts = facts.with(format: .glb)
    return facts
  }
}

extension ModelFacts {
  func with(format: ModelFormat) -> ModelFacts {
    var facts = ModelFacts(format)
    (facts.vertices, facts.triangles, facts.materials, facts.textures) = (vertices, triangles, materials, textures)
    (facts.box, facts.localBox, facts.isMetric) = (box, localBox, isMetric)
    facts.requiredExtensions = requiredExtensions
    return facts
  }
}

import JSONText

/// The bytes of a buffer of glTF.
struct GLTFBuffer {
  /// The declared length, bytes.
  let count: Int
  /// The file that contains the buffer's bytes, and their offset in this file; `nil` if the document does not contain
  /// the bytes.
  let content: (bytes: ModelBytes, offset: Int)?
}

enum GLTFBuffers {
  static func read(_ root: JSONValue, _ origin: GLTFChecker.Origin) throws(ModelError) -> [GLTFBuffer] {
    var buffers: [GLTFBuffer] = []
    for (index, value) in (root["buffers"].map { Array($0.elements) } ?? []).enumerated() {
      let place = "buffers[\(index)]"
      let count = value["byteLength"]?.int ?? 0
      if let uri = value["uri"] {
        buffers.append(try embedded(uri, count, place))
        continue
      }
      guard case .container(let bytes, let chunk) = origin else {
        buffers.append(GLTFBuffer(count: count, content: nil))
        continue
      }
      guard index == 0 else {
        throw ModelError(.malformed, place, "only the first buffer can be in the chunk of binary data")
      }
      guard let chunk else { throw ModelError(.truncated, place, "the file has no chunk of binary data") }
      guard count <= chunk.count else {
        throw ModelError(.truncated, place, "expected \(count) bytes, found \(chunk.count)")
      }
      buffers.append(GLTFBuffer(count: count, content: (bytes, chunk.lowerBound)))
    }
    return buffers
  }

  private static func embedded(_ uri: JSONValue, _ count: Int, _ place: String) throws(ModelError) -> GLTFBuffer {
    let data = try DataURI(uri, place + ".uri")
    guard ["application/octet-stream", "application/gltf-buffer"].contains(data.type) else {
      throw ModelError(
        .malformed, place + ".uri", "expected the type application/octet-stream, found \(JSONError.quoted(data.type))")
    }
    guard data.bytes.count == count else {
      throw ModelError(.malformed, place, "expected \(count) bytes, found \(data.bytes.count)")
    }
    return GLTFBuffer(count: count, content: (ModelBytes(data.bytes), 0))
  }
}

/// Bytes that are in a URI (RFC 2397).
struct DataURI {
  let type: String
  let bytes: [UInt8]

  /// Decodes the data of a URI.
  ///
  /// - Throws: `external` if the URI is the address of another file; `malformed` if its data cannot be decoded.
  init(_ value: JSONValue, _ place: String) throws(ModelError) {
    var parsed: (String, [UInt8])?
    let isData = value.withUTF8 { text in Self.hasScheme(text) } ?? false
    guard isData else {
      throw ModelError(.external, place, "expected data in the file itself, found the address \(value.summary)")
    }
    parsed = value.withUTF8 { text in Self.parse(text) } ?? nil
    guard let parsed else { throw ModelError(.malformed, place, "expected a type, ;base64, and the data") }
    (type, bytes) = parsed
  }

  private static func hasScheme(_ text: Span<UInt8>) -> Bool {
    let scheme = Array("data:".utf8)
    guard text.count >= scheme.count else { return false }
    for index in scheme.indices where text[index] | 0x20 != scheme[index] | 0x20 { return false }
    return true
  }

  private static func parse(_ text: Span<UInt8>) -> (String, [UInt8])? {
    var comma = 5
    while comma < text.count, text[comma] != UInt8(ascii: ",") { comma += 1 }
    guard comma < text.count, comma < 256 else { return nil }
    var head: [UInt8] = []
    for index in 5..<comma { head.append(text[index]) }
    let words = String(decoding: head, as: UTF8.self).split(separator: ";", omittingEmptySubsequences: false)
    guard let bytes = words.last == "base64" ? base64(text, from: comma + 1) : percent(text, from: comma + 1) else {
      return nil
    }
    return (words[0].lowercased(), bytes)
  }

  /// Decodes text in which bytes may be written as `%41`; `nil` if a `%` is not followed by two hexadecimal digits.
  private static func percent(_ text: Span<UInt8>, from start: Int) -> [UInt8]? {
    var (bytes, index): ([UInt8], Int) = ([], start)
    while index < text.count {
      if text[index] == UInt8(ascii: "%") {
        guard index + 2 < text.count, let first = digit(text[index + 1]), let second = digit(text[index + 2]) else {
          return nil
        }
        bytes.append(first << 4 | second)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  private static func base64(_ text: Span<UInt8>, from start: Int) -> [UInt8]? {
    var end = text.count
    while end > start, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
    guard (text.count - start) % 4 == 0 || end == text.count, (end - start) % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity((end - start) * 3 / 4)
    var (value, bits): (UInt32, Int) = (0, 0)
    for index in start..<end {
      let digit: UInt8
      switch text[index] {
      case 0x41...0x5A: digit = text[index] - 0x41
      case 0x61...0x7A: digit = text[index] - 0x61 + 26
      case 0x30...0x39: digit = text[index] - 0x30 + 52
      case UInt8(ascii: "+"): digit = 62
      case UInt8(ascii: "/"): digit = 63
      default: return nil
      }
      value = (value << 6 | UInt32(digit)) & 0xFF_FFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
      }
    }
    return bytes
  }
}

import Telemetry
import Testing

/// Plain text is copied in words. Nevertheless, every byte at every place must be examined, for texts of every length.
@Suite struct JSONLineEncoderPlainTests {
  @Test(arguments: 1...20) func each_byte_at_each_place_is_written_as_it_must(length: Int) {
    for place in 0..<length {
      for byte in UInt8.min...UInt8.max {
        var bytes = [UInt8](repeating: UInt8(ascii: "z"), count: length)
        bytes[place] = byte
        let left = String(repeating: "z", count: place)
        let right = String(repeating: "z", count: length - place - 1)
        let written = text { line in
          line.key("t")
          line.value(bytes.span)
        }
        let isRight = written == "{\"t\":\"\(left)\(Self.written(byte))\(right)\"}\n"
        #expect(isRight, "byte \(byte) at \(place) of \(length)")
      }
    }
  }

  @Test func key_is_looked_at_like_text() {
    let name = Array("engine\"Load".utf8)
    let written = text { line in
      line.key(name.span)
      line.value(1)
    }
    #expect(written == "{\"engine\\\"Load\":1}\n")
  }

  /// RFC 8259, 7, and ISO 8859-1 for a byte that is no UTF-8.
  private static func written(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\""): return "\\\""
    case UInt8(ascii: "\\"): return "\\\\"
    case 0x08: return "\\b"
    case 0x09: return "\\t"
    case 0x0A: return "\\n"
    case 0x0C: return "\\f"
    case 0x0D: return "\\r"
    case 0x20..<0x7F: return String(Unicode.Scalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      return "\\u00" + (digits.utf8.count == 1 ? "0" : "") + digits
    }
  }
}

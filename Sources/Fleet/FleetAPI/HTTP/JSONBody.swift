import Telemetry

/// JSON texts of answers, made with the encoder that the records are made with.
enum JSONBody {
  /// One object.
  ///
  /// - Parameter write: writes its keys; whatever it leaves open is closed.
  static func object(_ write: (inout JSONLineEncoder) -> Void) -> [UInt8] {
    var encoder = JSONLineEncoder(capacity: 512, growable: true)
    encoder.begin()
    write(&encoder)
    encoder.finish()
    let line = encoder.line
    // Without the line feed. The buffer lives as long as the call.
    return unsafe line.withUnsafeBufferPointer { unsafe Array($0.dropLast()) }
  }
}

/// The one form of lists: `{"data":[…],"next":"cursor"}`, `next` only where the list goes on.
struct ListBody {
  private var bytes: [UInt8] = Array(#"{"data":["#.utf8)
  private var isEmpty = true

  /// Adds one element, which is JSON already.
  mutating func append(_ element: some Sequence<UInt8>) {
    if !isEmpty { bytes.append(UInt8(ascii: ",")) }
    isEmpty = false
    bytes.append(contentsOf: element)
  }

  /// The whole body.
  ///
  /// - Parameter next: where the list goes on.
  consuming func finish(next: String? = nil) -> [UInt8] {
    bytes.append(UInt8(ascii: "]"))
    guard let next else {
      bytes.append(UInt8(ascii: "}"))
      return bytes
    }
    bytes.append(UInt8(ascii: ","))
    bytes += JSONBody.object { $0.field("next", next) }.dropFirst()
    return bytes
  }
}

import FleetDomain
import Telemetry

/// Writes the JSON texts of answers. It uses the encoder that also writes records.
enum JSONBody {
  /// Encodes one object.
  ///
  /// - Parameter write: writes the members of the object. Objects and arrays that it leaves open are then closed.
  static func object(_ write: (inout JSONLineEncoder) -> Void) -> [UInt8] {
    var encoder = JSONLineEncoder(capacity: 512, growable: true)
    encoder.begin()
    write(&encoder)
    encoder.finish()
    let line = encoder.line
    // Omit the line feed at the end. The buffer is valid during the call.
    return unsafe line.withUnsafeBufferPointer { unsafe Array($0.dropLast()) }
  }
}

/// The body of a list: `{"data":[…],"count":12,"next":"cursor","unreadable":[…]}`. `count` is the number of elements on
/// all pages, if the client asked for it. `next` is absent on the last page. `unreadable` describes the things that are
/// not in the list because they cannot be read; it is absent if there are no such things.
struct ListBody {
  private var bytes: [UInt8] = Array(#"{"data":["#.utf8)
  private var isEmpty = true

  /// Appends an element of the list as JSON text.
  mutating func append(_ element: some Sequence<UInt8>) {
    if !isEmpty { bytes.append(UInt8(ascii: ",")) }
    isEmpty = false
    bytes.append(contentsOf: element)
  }

  /// Returns the whole body.
  ///
  /// - Parameters:
  ///   - next: the cursor of the next page; `nil` on the last page.
  ///   - count: the number of elements on all pages; `nil` if the client did not ask for it.
  ///   - unreadable: descriptions of the things that cannot be read.
  consuming func finish(next: String? = nil, count: Int64? = nil, unreadable: [String] = []) -> [UInt8] {
    bytes.append(UInt8(ascii: "]"))
    if let count { bytes += Array(#","count":\#(count)"#.utf8) }
    if !unreadable.isEmpty {
      bytes += Array(#","unreadable":"#.utf8)
      bytes += JSON.array(unreadable.map { .text($0) }).canonicalBytes
    }
    guard let next else {
      bytes.append(UInt8(ascii: "}"))
      return bytes
    }
    bytes.append(UInt8(ascii: ","))
    bytes += JSONBody.object { $0.field("next", next) }.dropFirst()
    return bytes
  }
}

extension Answer {
  /// Creates an answer whose body is a list.
  ///
  /// - Parameter next: the cursor of the next page; `nil` on the last page.
  init(list items: [JSON], next: String? = nil) {
    var list = ListBody()
    for item in items { list.append(item.canonicalText.utf8) }
    self.init(json: list.finish(next: next))
  }
}

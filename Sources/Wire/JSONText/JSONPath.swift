/// Formats the JSON path of a value: `adapters[1].baud`, `["odd key"].x`.
enum JSONPath {
  /// Appends a key to a path.
  static func append(key: String, to path: inout String) {
    // A key that contains other characters, or more than 60 bytes, is quoted. `quoted` shortens a long key.
    let isPlain =
      !key.isEmpty && key.utf8.count <= 60
      && key.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
    if isPlain {
      path += path.isEmpty ? key : "." + key
    } else {
      path += "[" + JSONError.quoted(key) + "]"
    }
  }
}

import JSONText
import OBDWire

/// The addresses of a command's request and answer, from the keys `hdr`, `rax`, `pri` and `proto`.
///
///     "hdr": "7E0", "rax": "7E8"                        11 bits
///     "hdr": "DA10", "rax": "10"                        29 bits: request 18DA10F1, answer 18DAF110
///     "hdr": "FC00", "rax": "FE007B", "pri": "17"       29 bits: answer 17FE007B
///     "hdr": "D016", "rax": "1EC60E80"                  29 bits: complete identifier of the answer
///     "hdr": "686A", "rax": "10", "proto": "9141-2"     ISO 9141-2: source byte
struct CommandAddress {
  var bus: SignalSet.Command.Bus
  var header: String
  var priority: UInt8
  var receiver: ECUAddress

  init(reading reader: inout JSONObjectReader) throws(JSONError) {
    let headerValue = try reader.required("hdr")
    _ = try hex(headerValue, digits: [3, 4])
    header = try headerValue.requireString().uppercased()
    priority = 0x18
    if let value = reader.optional("pri") { priority = UInt8(try hex(value, digits: [2])) }
    switch try reader.optionalString("proto", oneOf: ["9141-2", "15765-4-11bit", "15765-4-29bit"]) {
    case "9141-2": bus = .iso9141
    case "15765-4-11bit": bus = .can11
    case "15765-4-29bit": bus = .can29
    default: bus = header.utf8.count == 3 ? .can11 : .can29
    }
    guard (header.utf8.count == 3) == (bus == .can11) else {
      throw headerValue.invalid(expected: "3 hexadecimal digits on an 11-bit bus, 4 on the others")
    }
    receiver = .unknown
    if let value = reader.optional("rax") { receiver = try receiver(value) }
  }

  private func receiver(_ value: JSONValue) throws(JSONError) -> ECUAddress {
    switch bus {
    case .can11:
      let address = try hex(value, digits: [3])
      guard address <= 0x7FF else { throw value.invalid(expected: "an 11-bit identifier, at most 7FF") }
      return .can11(address)
    case .iso9141:
      return .legacy(UInt8(try hex(value, digits: [2])))
    case .can29:
      let address = try hex(value, digits: [2, 6, 8])
      let identifier =
        switch try value.requireString().utf8.count {
        case 2: UInt32(priority) << 24 | 0xDA_F100 | address
        case 6: UInt32(priority) << 24 | address
        default: address
        }
      guard identifier <= 0x1FFF_FFFF else { throw value.invalid(expected: "a 29-bit identifier, at most 1FFFFFFF") }
      return .can29(identifier)
    }
  }
}

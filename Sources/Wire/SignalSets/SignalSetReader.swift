import JSONText
import OBDWire

/// Reads the commands of a signal set from parsed JSON.
struct SignalSetReader {
  var diagnosticLevel: UInt8?
  var commands: [SignalSet.Command] = []
  var unsupported: [SignalSet.Unsupported] = []
  private var places: JSONPlaceCounter

  init(_ root: JSONValue) throws(JSONError) {
    places = JSONPlaceCounter(root)
    var reader = try JSONObjectReader(root)
    diagnosticLevel = try hexByte(reader.optional("diagnosticLevel"))
    for value in try reader.requiredArray("commands") {
      commands.append(try command(value))
    }
  }

  private mutating func command(_ value: JSONValue) throws(JSONError) -> SignalSet.Command {
    var reader = try JSONObjectReader(value)
    let (service, identifier) = try Self.request(reader.required("cmd"))
    let address = try CommandAddress(reading: &reader)
    let debugFilter = try reader.optional("dbgfilter").map { value throws(JSONError) in try YearFilter(reading: value) }
    let isDebug = try reader.optionalBool("dbg") ?? false
    var command = SignalSet.Command(
      bus: address.bus, header: address.header, priority: address.priority, receiver: address.receiver,
      extendedAddress: try hexByte(reader.optional("eax")), testerAddress: try hexByte(reader.optional("tst")),
      timeout: try hexByte(reader.optional("tmo")), needsFlowControl: try reader.optionalBool("fcm1") ?? false,
      service: service, identifier: identifier, period: try Self.period(reader.required("freq")),
      session: try hexByte(reader.optional("din")), returnSession: try hexByte(reader.optional("dout")),
      isExperimental: isDebug || debugFilter != nil,
      filter: try reader.optional("filter").map { value throws(JSONError) in try YearFilter(reading: value) },
      debugFilter: debugFilter, signals: [], line: places.place(of: value).line)
    for (index, value) in try reader.requiredArray("signals").enumerated() {
      let path = "commands[\(commands.count)].signals[\(index)]"
      if let signal = try signal(value, of: command, path: path) { command.signals.append(signal) }
    }
    try reader.finish()
    return command
  }

  /// Reads a request such as `{"22": "404C"}`: a service and an identifier.
  private static func request(_ value: JSONValue) throws(JSONError) -> (service: UInt8, identifier: UInt16) {
    guard value.kind == .object else {
      throw value.error(.wrongType(expected: #"an object such as {"22": "404C"}"#, found: value.summary))
    }
    guard value.count == 1, let member = value.members.first(where: { _ in true }) else {
      throw value.invalid(expected: "one service, 01, 21 or 22", found: "\(value.count)")
    }
    switch member.key {
    case "01": return (0x01, UInt16(try hex(member.value, digits: [2])))
    case "21": return (0x21, UInt16(try hex(member.value, digits: [2])))
    case "22": return (0x22, UInt16(try hex(member.value, digits: [4])))
    default:
      throw member.keyValue.invalid(
        expected: "one of the services 01, 21, 22: a signal set may not use others", found: member.keyValue.summary)
    }
  }

  /// Valid periods (`freq`), s: from a millisecond to a week. As nanoseconds, they fit 64 bits.
  private static let periods = 0.001...604_800

  private static func period(_ value: JSONValue) throws(JSONError) -> Double {
    let period = try value.requireDouble()
    guard periods.contains(period) else { throw value.invalid(expected: "a period of 0.001 s to 604800 s") }
    return period
  }

  private mutating func signal(
    _ value: JSONValue, of command: SignalSet.Command, path: String
  ) throws(JSONError) -> SignalSet.Signal? {
    var reader = try JSONObjectReader(value)
    let idValue = try reader.required("id")
    let id = try idValue.requireString()
    guard Self.isName(id) else {
      throw idValue.invalid(expected: "an id such as F150_ODO: A-Z or 0-9 first, then letters, digits, _ - .")
    }
    let place = places.place(of: value)
    let format = try reader.required("fmt")
    var signal = SignalSet.Signal(
      id: id, title: try reader.requiredString("name"), description: try reader.optionalString("description"),
      category: try reader.optionalString("path"), suggestedMetric: try reader.optionalString("suggestedMetric"),
      isHidden: try reader.optionalBool("hidden") ?? false,
      definition: SignalDefinition(
        service: command.service, identifier: command.identifier, bitOffset: 0, bitLength: 1, ecu: command.receiver),
      unitText: "", minimum: nil, maximum: nil, texts: [], line: place.line, column: place.column, offset: value.offset,
      path: path)
    guard let reason = try SignalFormat(reading: format).apply(to: &signal) else { return signal }
    unsupported.append(SignalSet.Unsupported(id: id, line: place.line, path: path + ".fmt", reason: reason))
    return nil
  }

  /// Whether a text is a valid ID of a signal. IDs become names of values. They must not begin with a lower-case
  /// letter, because the names of values of the OBD standards begin with one.
  private static func isName(_ id: String) -> Bool {
    guard let first = id.utf8.first, id.utf8.count <= 128 else { return false }
    let isLetter: (UInt8) -> Bool = { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & 0xDF) }
    let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return (isDigit(first) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first))
      && id.utf8.allSatisfy { isLetter($0) || isDigit($0) || [0x5F, 0x2D, 0x2E].contains($0) }
  }
}

/// Parses a string of hexadecimal digits with one of the given lengths.
func hex(_ value: JSONValue, digits: [Int]) throws(JSONError) -> UInt32 {
  let text = try value.requireString()
  let lengths = digits.map(String.init).joined(separator: " or ")
  guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
    let number = UInt32(text, radix: 16)
  else { throw value.invalid(expected: "\(lengths) hexadecimal digits in quotes") }
  return number
}

/// Parses a number of two hexadecimal digits; `nil` if the JSON value is missing.
private func hexByte(_ value: JSONValue?) throws(JSONError) -> UInt8? {
  guard let value else { return nil }
  return UInt8(try hex(value, digits: [2]))
}

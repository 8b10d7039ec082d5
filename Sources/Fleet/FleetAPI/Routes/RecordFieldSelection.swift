import FleetDomain
import JSONText

/// Reduces records to the keys that a request selects. The text of the values stays the same.
struct RecordFieldSelection {
  private let names: Set<String>

  /// Parses the list of selected keys.
  ///
  /// - Parameter list: names of keys, separated by commas.
  /// - Throws: 400 if a telemetry record cannot have one of the keys.
  init(_ list: String) throws(APIError) {
    let chosen = list.split(separator: ",", omittingEmptySubsequences: false).map { String($0.drop { $0 == " " }) }
    if let unknown = chosen.first(where: { !Self.mayBeKey($0) }) {
      let near = nearestName(to: unknown, among: Self.known.sorted()).map { "; did you mean \(quoted($0))?" } ?? ""
      throw APIError.badRequest(
        "query: fields: no key of telemetry is called \(quoted(unknown))\(near) (obdgate signals lists the values)")
    }
    names = Set(chosen).union(["id", "timestamp"])
  }

  /// The keys of telemetry records that the record format defines: signals of SAE J1979, keys of the position, and keys
  /// that all records have (`id`, `timestamp` and so on).
  private static let known: Set<String> = Set(
    (RecordField.contract.filter { $0.types.contains(.telemetry) } + RecordField.otherSignals).map(\.name)
      + [
        "type", "id", "timestamp", "timeQuality", "gatewayId", "vehicleId", "epoch", "seq", "device", "timeAhead",
        "attributedFrom", "attributedTo", "receivedAt",
      ])

  /// Whether a telemetry record may have this key. In addition to the keys in ``known``, it may have signals of signal
  /// sets and paths of the Vehicle Signal Specification. The server does not know all of their names. Therefore it
  /// accepts every key that begins with a digit or a capital letter.
  private static func mayBeKey(_ name: String) -> Bool {
    if known.contains(name) { return true }
    guard let first = name.utf8.first else { return false }
    return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
  }

  /// Returns a record with only the selected keys, in the order in which the record contains them.
  func apply(to record: [UInt8]) throws(JSONError) -> [UInt8] {
    let document = try JSONDocument(parsing: record)
    var out: [UInt8] = [UInt8(ascii: "{")]
    let members = Array(document.root.members)
    for (index, member) in members.enumerated() where names.contains(member.key) {
      let next = index + 1 < members.count ? members[index + 1].keyValue.offset : record.count
      if out.count > 1 { out.append(UInt8(ascii: ",")) }
      out += record[member.keyValue.offset..<Self.end(of: member.value, before: next, in: record)]
    }
    out.append(UInt8(ascii: "}"))
    return out
  }

  /// Returns the offset at which a value ends. Between the value and `next`, the text contains only white space and one
  /// comma or closing bracket.
  private static func end(of value: JSONValue, before next: Int, in text: [UInt8]) -> Int {
    var end = next
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
    while isSpace(text[end - 1]) { end -= 1 }
    end -= 1
    while isSpace(text[end - 1]) { end -= 1 }
    return end
  }
}

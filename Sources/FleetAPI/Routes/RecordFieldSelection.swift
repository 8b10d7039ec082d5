import JSONText

/// Cuts records down to some of their keys, each with its value as it was written.
struct RecordFieldSelection {
  private let names: Set<String>

  /// - Parameter list: names with commas between.
  init(_ list: String) {
    names = Set(list.split(separator: ",").map { String($0.drop { $0 == " " }) }).union(["id", "timestamp"])
  }

  /// The same object with the chosen keys alone, in its order.
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

  /// Behind a value stand white space and one comma or bracket, nothing else.
  private static func end(of value: JSONValue, before next: Int, in text: [UInt8]) -> Int {
    var end = next
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
    while isSpace(text[end - 1]) { end -= 1 }
    end -= 1
    while isSpace(text[end - 1]) { end -= 1 }
    return end
  }
}

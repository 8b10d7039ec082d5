import Telemetry

/// A hash table of the keys that the store knows. ``RecordScanner`` computes the hash of each key that it reads.
///
/// A key is in the table if it belongs to a record's head (``RecordKey``), has rules (``RecordField``), or both. The
/// table is built once.
struct RecordFieldTable: Sendable {
  /// A key of the table.
  struct Entry: Sendable {
    fileprivate let sum: UInt32
    fileprivate let name: Range<Int>
    /// The key of the head; `nil` if the key is not part of the head.
    fileprivate(set) var key: RecordKey?
    /// The range of the key's rules in ``RecordFieldTable/rules``.
    fileprivate(set) var rules: Range<Int>
    /// Whether the value of the key, in at least one type of record, is telemetry grouped by ECU.
    fileprivate(set) var isByECU: Bool
  }

  /// The valid values of a key in certain types of records.
  struct Rule: Sendable {
    let types: RecordTypes
    let values: RecordField.Values
  }

  static let shared = RecordFieldTable(RecordField.contract + RecordField.otherSignals)

  private(set) var rules: [Rule] = []
  private var entries: [Entry] = []
  private var names: [UInt8] = []
  /// A hash table with open addressing. Each slot has the index of an entry plus one, or 0 if it is free.
  private var slots: [UInt16]

  private init(_ fields: [RecordField]) {
    var byName: [String: [RecordField]] = [:]
    for field in fields { byName[field.name, default: []].append(field) }
    for key in RecordKey.allCases where byName["\(key.name)"] == nil { byName["\(key.name)"] = [] }
    // The number of slots is a power of two, and at most half of them are used.
    slots = [UInt16](repeating: 0, count: 2 << (Int.bitWidth - (byName.count - 1).leadingZeroBitCount))
    for (name, fields) in byName.sorted(by: { $0.key < $1.key }) { add(name, fields) }
  }

  private mutating func add(_ name: String, _ fields: [RecordField]) {
    let start = names.count
    names += Array(name.utf8)
    let first = rules.count
    rules += fields.map { Rule(types: $0.types, values: $0.values) }
    let entry = Entry(
      sum: RecordScanner.sum(of: start..<names.count, in: names.span), name: start..<names.count,
      key: RecordKey.allCases.first { "\($0.name)" == name }, rules: first..<rules.count,
      isByECU: fields.contains { $0.values == .telemetryByECU })
    entries.append(entry)
    var slot = Int(entry.sum) & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt16(entries.count)
  }

  /// Returns the entry of a key; `nil` if the store does not know the key.
  ///
  /// - Parameters:
  ///   - sum: the key's hash, from ``RecordScanner/sum(of:in:)``.
  ///   - range: the range of the key in `text`.
  @inline(__always)
  func find(_ sum: UInt32, _ range: Range<Int>, in text: Span<UInt8>) -> Entry? {
    var slot = Int(sum) & (slots.count &- 1)
    while slots[slot] != 0 {
      let entry = entries[Int(slots[slot]) &- 1]
      if entry.sum == sum, isName(entry.name, range, in: text) { return entry }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    return nil
  }

  /// Returns the entry of a key by its name; `nil` if the store does not know the key.
  func find(_ name: Span<UInt8>) -> Entry? {
    find(RecordScanner.sum(of: 0..<name.count, in: name), 0..<name.count, in: name)
  }

  private func isName(_ name: Range<Int>, _ range: Range<Int>, in text: Span<UInt8>) -> Bool {
    guard name.count == range.count else { return false }
    for index in 0..<range.count where names[name.lowerBound &+ index] != text[range.lowerBound &+ index] {
      return false
    }
    return true
  }
}

import OBDWire

/// One list of an ECU's trouble codes (stored, pending or permanent), and the state of this list in the last record
/// that contained it.
struct CodeList {
  private(set) var codes: [TroubleCode] = []
  /// The codes in the last record that contained this list; `nil` if no record has contained it.
  private(set) var reported: [TroubleCode]?
  /// Whether ``codes`` was read from the ECU and is still valid.
  private(set) var isKnown = false
  private var isFromLegacyService = false

  /// Stores a list that was read from the ECU.
  ///
  /// Services 03, 07 and 0A report the same codes as service 19, but in another format. If an ECU has answered service
  /// 03, 07 or 0A, its answers to service 19 are ignored.
  mutating func receive(_ found: Span<TroubleCode>, service: UInt8) {
    let isLegacy = service != 0x19
    if isFromLegacyService, !isLegacy { return }
    isFromLegacyService = isLegacy
    isKnown = true
    if isSame(as: found) { return }
    codes.removeAll(keepingCapacity: true)
    for index in found.indices { codes.append(found[index]) }
  }

  /// Marks the list as invalid. When the list is read again, it is compared with the last reported list.
  mutating func forget() {
    isKnown = false
    codes.removeAll(keepingCapacity: true)
  }

  /// Whether the list must be written to a record: it was never reported, or its codes have changed since the last
  /// report.
  var needsReport: Bool { isKnown && (reported.map { !Self.isSameSet($0, codes) } ?? true) }

  /// The codes that were added or removed since the last report.
  var changed: [TroubleCode] {
    guard isKnown, let reported else { return [] }
    return Self.missing(from: reported, in: codes) + Self.missing(from: codes, in: reported)
  }

  /// Marks the current list as reported.
  mutating func setReported() {
    if isKnown { reported = codes }
  }

  /// The codes as texts for records; `nil` if the list is unknown.
  var texts: [String]? { isKnown ? codes.map(\.string) : nil }

  private func isSame(as found: Span<TroubleCode>) -> Bool {
    guard found.count == codes.count else { return false }
    for index in found.indices where found[index] != codes[index] { return false }
    return true
  }

  private static func isSameSet(_ left: [TroubleCode], _ right: [TroubleCode]) -> Bool {
    missing(from: left, in: right).isEmpty && missing(from: right, in: left).isEmpty
  }

  /// Returns the codes of `list` that are not in `other`. Two codes that differ only in their status count as equal.
  static func missing(from other: [TroubleCode], in list: [TroubleCode]) -> [TroubleCode] {
    list.filter { code in !other.contains { $0.isSameCode(as: code) } }
  }
}

extension TroubleCode {
  /// Whether both codes have the same number and failure type. Their status may differ.
  func isSameCode(as other: TroubleCode) -> Bool {
    code == other.code && hasFailureType == other.hasFailureType && failureType == other.failureType
  }

  /// The code as text, for example `P0420`.
  var string: String {
    let bytes = text
    return String(latin1: bytes.span.extracting(first: textLength))
  }
}

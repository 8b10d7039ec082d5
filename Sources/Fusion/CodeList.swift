import OBDWire

/// One of an ECU's lists of trouble codes: as read last, and as reported last.
struct CodeList {
  private(set) var codes: [TroubleCode] = []
  /// Nil: never reported.
  private(set) var reported: [TroubleCode]?
  /// The list was read at least once, and is not forgotten.
  private(set) var isKnown = false
  private var isFromLegacyService = false

  /// Takes a list as it was read.
  ///
  /// Services 03, 07 and 0A say what service 19 says in another form: once an ECU has answered them, they count.
  mutating func receive(_ found: Span<TroubleCode>, service: UInt8) {
    let isLegacy = service != 0x19
    if isFromLegacyService, !isLegacy { return }
    isFromLegacyService = isLegacy
    isKnown = true
    if isSame(as: found) { return }
    codes.removeAll(keepingCapacity: true)
    for index in found.indices { codes.append(found[index]) }
  }

  /// What was read is true no more; what was reported stays what the next list is compared with.
  mutating func forget() {
    isKnown = false
    codes.removeAll(keepingCapacity: true)
  }

  /// The list is new, or another than the one reported.
  var isNews: Bool { isKnown && (reported.map { !Self.isSameSet($0, codes) } ?? true) }

  /// The codes that only one of the lists, reported and read, has.
  var changed: [TroubleCode] {
    guard isKnown, let reported else { return [] }
    return Self.missing(from: reported, in: codes) + Self.missing(from: codes, in: reported)
  }

  mutating func setReported() {
    if isKnown { reported = codes }
  }

  /// The list as records print it; nil where it was never read.
  var texts: [String]? { isKnown ? codes.map(\.string) : nil }

  private func isSame(as found: Span<TroubleCode>) -> Bool {
    guard found.count == codes.count else { return false }
    for index in found.indices where found[index] != codes[index] { return false }
    return true
  }

  private static func isSameSet(_ left: [TroubleCode], _ right: [TroubleCode]) -> Bool {
    missing(from: left, in: right).isEmpty && missing(from: right, in: left).isEmpty
  }

  /// The codes of `list` that `other` does not have; what a code's status is does not matter here.
  static func missing(from other: [TroubleCode], in list: [TroubleCode]) -> [TroubleCode] {
    list.filter { code in !other.contains { $0.isSameCode(as: code) } }
  }
}

extension TroubleCode {
  func isSameCode(as other: TroubleCode) -> Bool {
    code == other.code && hasFailureType == other.hasFailureType && failureType == other.failureType
  }

  /// `P0420`
  var string: String {
    let bytes = text
    return String(latin1: bytes.span.extracting(first: textLength))
  }
}

// Fuzzes the reader of NMEA 0183 with any bytes.
//
// If the first byte of an input is even, the rest is the stream. If it is odd, each line of the rest is the body of a
// sentence, to which `$` and the right checksum are added, so that the parsers of the fields are tested and not only
// the checksum. The second byte selects the pieces in which the stream arrives. For any bytes: nothing traps; pieces of
// any size give the same results as the whole; the fields of as many sentences are parsed as a simple scan finds with a
// right checksum; no value of a fix is out of range; and there are at most as many positions as sentences that report a
// valid position.
//
// The harness allocates nothing and needs one pass, because everything else reduces the number of executions.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNMEA(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size >= 2 else { return 0 }
  let rest = UnsafeBufferPointer(start: start + 2, count: size - 2)
  let stream = start[0] & 1 == 0 ? rest : sentences.write(bodies: rest)
  let whole = observe(stream.span, pieces: nil)
  let split = observe(stream.span, pieces: start[1])
  require(split.hash == whole.hash, "another split, other fixes")
  let plain = plainScan(stream)
  require(whole.judgedByFields == plain.right, "a wrong checksum was let through, or a right one was not")
  require(whole.positions <= plain.affirming, "a position that no sentence calls valid")
  return 0
}

// libFuzzer calls from one thread.
nonisolated(unsafe) private var sentences = Sentences()

/// A stream that is made from the bodies of sentences, in memory that is allocated once.
private struct Sentences: ~Copyable {
  private static let capacity = 1 << 16
  private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  private var count = 0

  private mutating func add(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }

  private mutating func add(digit: UInt8) { add(digit < 10 ? 0x30 + digit : 0x37 + digit) }

  /// Writes each line as a sentence with the right checksum. Lines that do not fit are left out.
  mutating func write(bodies: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    count = 0
    var at = 0
    while at < bodies.count, count + bodies.count < Self.capacity {
      var checksum: UInt8 = 0
      let first = at
      while at < bodies.count, bodies[at] != 0x0A {
        if at == first { add(0x24) }
        checksum ^= bodies[at]
        add(bodies[at])
        at += 1
      }
      if at > first {
        add(0x2A)
        add(digit: checksum >> 4)
        add(digit: checksum & 0x0F)
        add(0x0D)
        add(0x0A)
      }
      at += 1
    }
    return UnsafeBufferPointer(start: bytes, count: count)
  }
}

/// Reads the stream in one piece, or in pieces that a byte determines: single bytes, pieces of one size, or pieces of
/// varying sizes.
private func observe(_ stream: Span<UInt8>, pieces: UInt8?) -> Observer {
  var reader = FixReader()
  var observer = Observer()
  guard let pieces else {
    reader.receive(stream, into: &observer)
    reader.finish(into: &observer)
    return observer
  }
  var state = UInt32(pieces) &* 2_654_435_761 | 1
  var at = 0
  while at < stream.count {
    var length = 1
    switch pieces & 3 {
    case 0: break
    case 1: length += Int(pieces >> 2)
    default:
      state = state &* 1_664_525 &+ 1_013_904_223
      length += Int(state >> 16) & (pieces & 1 == 0 ? 7 : 63)
    }
    let end = min(at + length, stream.count)
    reader.receive(stream.extracting(at..<end), into: &observer)
    at = end
  }
  reader.finish(into: &observer)
  return observer
}

/// Checks each fix, and combines all results of the reader into one number.
private struct Observer: FixHandler {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  var positions = 0
  var judgedByFields = 0
  private var lastPosition: UInt64 = 0

  mutating func fix(_ fix: Fix) {
    require((fix.latitude == nil) == (fix.longitude == nil), "half a position")
    require((fix.latitude == nil) == (fix.type == .none), "a type without a position, or the other way")
    require(fix.position >= lastPosition, "an epoch ends before the one before it")
    lastPosition = fix.position
    if fix.latitude != nil { positions += 1 }
    fold(fix.latitude, within: -90...90)
    fold(fix.longitude, within: -180...180)
    fold(fix.course, within: 0...360)
    fold(fix.trueHeading, within: 0...360)
    fold(fix.speed, within: 0...(.greatestFiniteMagnitude))
    fold(fix.hdop, within: 0...(.greatestFiniteMagnitude))
    fold(fix.horizontalError, within: 0...(.greatestFiniteMagnitude))
    fold(fix.altitude, within: -.greatestFiniteMagnitude...(.greatestFiniteMagnitude))
    fold(UInt64(fix.type.rawValue))
    fold(signed: fix.satellites ?? -1)
    if let time = fix.time {
      require(time.second < 60 || time.secondOfDay == 86_400, "a leap second within the day")
      fold(signed: time.secondOfDay)
      fold(signed: time.nanosecond)
    } else {
      fold(1)
    }
    if let date = fix.date { fold(signed: (date.year * 100 + date.month) * 100 + date.day) } else { fold(1) }
    fold(fix.position)
  }

  mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) {
    require(sentence.count > 0 && sentence.count <= FixReader.maximumLength && sentence[0] == 0x24, "no sentence")
    switch reason {
    case .missingField, .malformedField, .impossibleValue: judgedByFields += 1
    default: break
    }
    fold(UInt64(reason.rawValue))
    fold(sentence)
    fold(position)
  }

  mutating func accepted(_ kind: SentenceKind) {
    judgedByFields += 1
    fold(UInt64(kind.rawValue))
  }

  private mutating func fold(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01B3 &+ hash >> 29 }
  private mutating func fold(signed value: Int) { fold(UInt64(bitPattern: Int64(value))) }

  @inline(__always)
  private mutating func fold(_ value: Double?, within range: ClosedRange<Double>) {
    // No range contains a NaN.
    if let value { require(range.contains(value), "out of range") }
    fold(value?.bitPattern ?? 1)
  }

  /// Adds bytes, eight at a time.
  private mutating func fold(_ bytes: Span<UInt8>) {
    fold(UInt64(bytes.count))
    bytes.withUnsafeBytes { raw in
      var at = 0
      while at + 8 <= raw.count {
        fold(raw.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        at += 8
      }
      while at < raw.count {
        fold(UInt64(raw[at]))
        at += 1
      }
    }
  }
}

/// Returns the results of a simple scan: the number of sentences with a right checksum, and the number of those that
/// report a valid position.
private func plainScan(_ stream: UnsafeBufferPointer<UInt8>) -> (right: Int, affirming: Int) {
  var (right, affirming) = (0, 0)
  var next = 0
  while next < stream.count {
    let start = next
    next += 1
    guard stream[start] == 0x24 else { continue }
    var end = start + 1
    var checksum: UInt8 = 0
    while end < stream.count, stream[end] >= 0x20, stream[end] <= 0x7E, stream[end] != 0x2A, stream[end] != 0x24 {
      checksum ^= stream[end]
      end += 1
    }
    // No other $ is in between.
    next = end
    guard end + 2 < stream.count, stream[end] == 0x2A, end + 3 - start <= FixReader.maximumLength else { continue }
    guard digit(stream[end + 1]) << 4 | digit(stream[end + 2]) == Int(checksum) else { continue }
    right += 1
    if isAffirming(UnsafeBufferPointer(rebasing: stream[(start + 1)..<end])) { affirming += 1 }
  }
  return (right, affirming)
}

/// Returns the value of a digit; 256 for a byte that is not a hexadecimal digit, so that it equals no checksum.
private func digit(_ byte: UInt8) -> Int {
  switch byte {
  case 0x30...0x39: Int(byte) - 0x30
  case 0x41...0x46: Int(byte) - 0x37
  case 0x61...0x66: Int(byte) - 0x57
  default: 256
  }
}

/// Whether the body reports a valid position in the fields that NMEA 0183 defines for it.
private func isAffirming(_ body: UnsafeBufferPointer<UInt8>) -> Bool {
  guard let address = field(0, of: body), address.count >= 3 else { return false }
  func any(_ characters: StaticString, in number: Int) -> Bool {
    guard let field = field(number, of: body) else { return false }
    return field.contains { byte in (0..<characters.utf8CodeUnitCount).contains { characters.utf8Start[$0] == byte } }
  }
  func only(_ characters: StaticString, in number: Int) -> Bool {
    field(number, of: body)?.count == 1 && any(characters, in: number)
  }
  func ends(_ type: StaticString) -> Bool {
    address.suffix(3).elementsEqual(UnsafeBufferPointer(start: type.utf8Start, count: 3))
  }
  if ends("RMC") { return only("A", in: 2) || only("E", in: 12) || only("E", in: 11) }
  if ends("GGA") { return only("1234569", in: 6) }
  if ends("GLL") { return only("A", in: 6) || only("E", in: 7) }
  if ends("GNS") { return any("ADEFPR", in: 6) }
  return false
}

/// Returns the field with a number, from 0; `nil` if there are fewer fields.
private func field(_ number: Int, of body: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>>? {
  var number = number
  var at = 0
  while number > 0 {
    while at < body.count, body[at] != 0x2C { at += 1 }
    guard at < body.count else { return nil }
    at += 1
    number -= 1
  }
  var end = at
  while end < body.count, body[end] != 0x2C { end += 1 }
  return body[at..<end]
}

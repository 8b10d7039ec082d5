// Fuzzes NMEAWire with libFuzzer and the address sanitizer:
//
//     swiftc -sanitize=fuzzer,address -parse-as-library -O -wmo -swift-version 6 \
//       -enable-experimental-feature Lifetimes \
//       Sources/NMEAWire/*.swift Sources/NMEAWire/Sentences/*.swift Fuzz/FuzzNMEA.swift -o fuzz-nmea
//     ./fuzz-nmea -max_len=2048 corpus
//
// The first byte chooses: even, the rest is the stream; odd, each of its lines is a sentence's body that is given `$`
// and the right checksum, so that the fields are reached and not the checksum alone. The second byte chooses the pieces
// in which the stream arrives. Whatever the bytes are: nothing crashes, any split gives the same, as many sentences are
// judged by their fields as a plain scan finds with a right checksum, no fix is out of range, and there are no more
// positions than sentences that call one valid.

/// Checks each fix, and folds everything that the reader says into one number.
private struct Observer: FixHandler {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  var positions = 0
  var judgedByFields = 0
  var lastPosition: UInt64 = 0

  mutating func fix(_ fix: Fix) {
    precondition((fix.latitude == nil) == (fix.longitude == nil), "half a position")
    precondition((fix.latitude == nil) == (fix.type == .none), "a type without a position, or the other way")
    precondition(fix.position >= lastPosition, "an epoch ends before the one before it")
    lastPosition = fix.position
    if let latitude = fix.latitude, let longitude = fix.longitude {
      positions += 1
      precondition(latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180, "out of range")
    }
    for direction in [fix.course, fix.trueHeading] {
      if let direction { precondition(direction >= 0 && direction <= 360, "no direction") }
    }
    for size in [fix.speed, fix.hdop, fix.horizontalError] {
      if let size { precondition(size >= 0 && size.isFinite, "negative") }
    }
    if let altitude = fix.altitude { precondition(altitude.isFinite, "no altitude") }
    if let time = fix.time {
      precondition(time.second < 60 || time.secondOfDay == 86_400, "a leap second within the day")
    }
    for value in [
      fix.latitude, fix.longitude, fix.altitude, fix.speed, fix.course, fix.trueHeading, fix.hdop, fix.horizontalError,
    ] { fold(value?.bitPattern ?? 1) }
    fold(UInt64(fix.type.rawValue))
    fold(UInt64(signed: fix.satellites ?? -1))
    fold(UInt64(signed: fix.time?.secondOfDay ?? -1))
    fold(UInt64(signed: fix.time?.nanosecond ?? -1))
    fold(UInt64(signed: fix.date.map { ($0.year * 100 + $0.month) * 100 + $0.day } ?? -1))
    fold(fix.position)
  }

  mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) {
    precondition(sentence.count > 0 && sentence.count <= FixReader.maximumLength && sentence[0] == 0x24)
    switch reason {
    case .missingField, .malformedField, .impossibleValue: judgedByFields += 1
    default: break
    }
    fold(UInt64(reason.rawValue))
    for index in 0..<sentence.count { fold(UInt64(sentence[index])) }
    fold(position)
  }

  mutating func accepted(_ kind: SentenceKind) {
    judgedByFields += 1
    fold(UInt64(kind.rawValue))
  }

  private mutating func fold(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01B3 &+ hash >> 29 }
}

extension UInt64 {
  fileprivate init(signed value: Int) { self = UInt64(bitPattern: Int64(value)) }
}

/// What a plain scan finds: sentences with a right checksum, and among them those that call a position valid.
private func plainScan(_ stream: [UInt8]) -> (right: Int, affirming: Int) {
  var (right, affirming) = (0, 0)
  for start in stream.indices where stream[start] == 0x24 {
    var end = start + 1
    var checksum: UInt8 = 0
    while end < stream.count, (0x20...0x7E).contains(stream[end]), stream[end] != 0x2A, stream[end] != 0x24 {
      checksum ^= stream[end]
      end += 1
    }
    guard end + 2 < stream.count, stream[end] == 0x2A, end + 3 - start <= FixReader.maximumLength else { continue }
    guard let high = digit(stream[end + 1]), let low = digit(stream[end + 2]), high * 16 + low == checksum else {
      continue
    }
    right += 1
    let fields = stream[(start + 1)..<end].split(separator: 0x2C, omittingEmptySubsequences: false)
    if isAffirming(fields) { affirming += 1 }
  }
  return (right, affirming)
}

private func digit(_ byte: UInt8) -> UInt8? {
  Character(UnicodeScalar(byte)).hexDigitValue.flatMap { byte < 0x80 ? UInt8($0) : nil }
}

private func isAffirming(_ fields: [ArraySlice<UInt8>]) -> Bool {
  func field(_ index: Int) -> String { index < fields.count ? String(decoding: fields[index], as: UTF8.self) : "" }
  switch field(0).suffix(3) {
  case "RMC": return field(2) == "A" || field(12) == "E" || field(11) == "E"
  case "GGA": return ["1", "2", "3", "4", "5", "6", "9"].contains(field(6))
  case "GLL": return field(6) == "A" || field(7) == "E"
  case "GNS": return field(6).contains { "ADEFPR".contains($0) }
  default: return false
  }
}

private func observe(_ stream: [UInt8], step: Int) -> Observer {
  var reader = FixReader()
  var observer = Observer()
  var start = 0
  while start < stream.count {
    let end = start + min(step, stream.count - start)
    reader.receive(stream.span.extracting(start..<end), into: &observer)
    start = end
  }
  reader.finish(into: &observer)
  return observer
}

private func stream(of input: UnsafeBufferPointer<UInt8>) -> [UInt8] {
  let bytes = unsafe Array(input.dropFirst(2))
  guard unsafe input[0] % 2 == 1 else { return bytes }
  var stream: [UInt8] = []
  for body in bytes.split(separator: 0x0A) {
    let checksum = body.reduce(0, ^)
    let digits = Array("0123456789ABCDEF".utf8)
    stream += [0x24] + body + [0x2A, digits[Int(checksum >> 4)], digits[Int(checksum & 15)], 0x0D, 0x0A]
  }
  return stream
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNMEA(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count >= 2 else { return 0 }
  let input = unsafe UnsafeBufferPointer(start: data, count: count)
  let stream = unsafe stream(of: input)
  let whole = observe(stream, step: .max)
  for step in unsafe [1, 1 + Int(input[1])] {
    precondition(observe(stream, step: step).hash == whole.hash, "another split, other fixes")
  }
  let plain = plainScan(stream)
  precondition(whole.judgedByFields == plain.right, "a wrong checksum was let through, or a right one was not")
  precondition(whole.positions <= plain.affirming, "a position that no sentence calls valid")
  return 0
}

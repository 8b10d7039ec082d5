// Fuzzes the readers of all capture formats, and the detection of the format, with any bytes.
//
// The first byte of an input selects the format; from 128 on, the format is also detected. The second byte selects the
// pieces in which the rest arrives. For any bytes: nothing traps; pieces of any size give the same events and the same
// error as the whole; `raw` and `nmea` pass every byte and no other; detection gives one answer; an error is one line.
//
// The harness allocates nothing except the message of an error, because allocations reduce the number of executions.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCaptures(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 2, let format = CaptureFormat(rawValue: start[0] % formats) else { return 0 }
  let input = Span(_unsafeStart: start + 2, count: size - 2)
  let whole = read(input, format, pieces: nil)
  let split = read(input, format, pieces: start[1])
  require(whole.digest.hash == split.digest.hash, "a split changes the events")
  require(whole.digest.total == split.digest.total, "a split changes how many bytes are read")
  require(whole.error?.kind == split.error?.kind, "a split changes whether the capture is refused")
  require(whole.error?.line == split.error?.line, "a split changes the line that is refused")
  if let error = whole.error {
    require(error.format == format && error.line >= 0, "an error of another format, or of no line")
    // Making a message takes longer than everything else, so only one message in 32 is made. What was read determines
    // which one, so that the fuzzer's coverage does not attract inputs to this place.
    if (whole.digest.hash ^ UInt64(size)) & 31 == 0 { verify(error) }
  } else if !format.hasEvents {
    require(whole.digest.total == input.count, "a byte is lost")
  }
  if start[0] >= 128 { detect(input, sizeOfHead: Int(start[1]), alreadyRead: format) }
  return 0
}

private let formats: UInt8 = 12

private func verify(_ error: CaptureError) {
  for byte in error.description.utf8 { require(byte >= 0x20 && byte != 0x7F, "a message of two lines, or of controls") }
}

/// Reads the input in the detected format, which must not trap. The format of the beginning alone may be another one,
/// but is also detected.
private func detect(_ input: Span<UInt8>, sizeOfHead: Int, alreadyRead: CaptureFormat) {
  do throws(CaptureError) {
    let format = try CaptureFormat.detect(input, isWhole: true)
    if format != alreadyRead { _ = read(input, format, pieces: nil) }
    if sizeOfHead < input.count { _ = try CaptureFormat.detect(input.extracting(first: sizeOfHead), isWhole: false) }
  } catch {
    require(error.line >= 0, "an error of no line")
    if sizeOfHead & 31 == 0 { verify(error) }
  }
}

/// Reads the input in one piece, or in pieces that a byte determines: all of the same size, or of varying sizes.
private func read(
  _ input: Span<UInt8>, _ format: CaptureFormat, pieces: UInt8?
) -> (digest: Digest, error: CaptureError?) {
  var reader = CaptureReader(format: format)
  var digest = input.withUnsafeBufferPointer { Digest(format: format, input: $0) }
  do throws(CaptureError) {
    if let pieces {
      var state = UInt32(pieces) &* 2_654_435_761 | 1
      var at = 0
      while at < input.count {
        var length = 1 + Int(pieces & 0x3F)
        if pieces >= 128 {
          state = state &* 1_664_525 &+ 1_013_904_223
          length = 1 + Int(state >> 16) % length
        }
        let end = min(at + length, input.count)
        try reader.receive(input.extracting(at..<end), into: &digest)
        at = end
      }
    } else {
      try reader.receive(input, into: &digest)
    }
    try reader.finish(into: &digest)
    return (digest, nil)
  } catch {
    return (digest, error)
  }
}

/// Combines events into one number, so that two runs can be compared without storing the events. The bytes of `raw` and
/// `nmea` are compared with the input itself.
private struct Digest: CaptureConsumer {
  let format: CaptureFormat
  /// The input exists longer than the digest, like everything in one call of libFuzzer.
  let input: UnsafeBufferPointer<UInt8>
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private(set) var total = 0
  private var count = 0

  init(format: CaptureFormat, input: UnsafeBufferPointer<UInt8>) {
    self.format = format
    self.input = input
  }

  mutating func header(
    recorded: Int64?, vehicle: Span<UInt8>, adapter: Span<UInt8>, provenance: Span<UInt8>
  ) {
    require(count == 0, "a header behind the first event")
    fold(vehicle)
    fold(adapter)
    fold(provenance)
    fold(recorded ?? -1)
  }

  mutating func bytes(_ direction: CaptureDirection, at time: CaptureTime, _ bytes: Span<UInt8>) {
    require(bytes.count > 0, "an event of no bytes")
    count += 1
    if format.hasEvents {
      fold(bytes)
      fold(Int64(direction.rawValue))
      switch time {
      case .none: fold(0)
      case .offset(let value): fold(value)
      case .wall(let value): fold(~value)
      }
    } else {
      require(direction == (format == .nmea ? .fromGPS : .fromAdapter), "the wrong side's bytes")
      require(total + bytes.count <= input.count, "more bytes than there are")
      let original = input[total..<total + bytes.count]
      require(bytes.withUnsafeBufferPointer { $0.elementsEqual(original) }, "other bytes than there are")
    }
    total += bytes.count
  }

  private mutating func fold(_ value: Int64) {
    hash = (hash ^ UInt64(bitPattern: value)) &* 0x9E37_79B1_85EB_CA87
    hash ^= hash >> 29
  }

  /// Adds bytes, eight at a time.
  private mutating func fold(_ bytes: Span<UInt8>) {
    fold(Int64(bytes.count))
    bytes.withUnsafeBytes { raw in
      var at = 0
      while at + 8 <= raw.count {
        fold(raw.loadUnaligned(fromByteOffset: at, as: Int64.self))
        at += 8
      }
      while at < raw.count {
        fold(Int64(raw[at]))
        at += 1
      }
    }
  }
}

// Fuzzes the readers and the detection of Captures with libFuzzer, both in one process with the address sanitizer:
//
//     swiftc -sanitize=fuzzer,address -parse-as-library -O -wmo -swift-version 6 \
//       -enable-experimental-feature Lifetimes \
//       Sources/Captures/*.swift Sources/Captures/Formats/*.swift Fuzz/FuzzCaptures.swift -o fuzz-captures
//     ./fuzz-captures -max_len=2048 -dict=… corpus
//
// The first byte chooses the format, the second where the input is cut. Whatever the bytes are: nothing crashes, any
// split gives the same events and the same error, `raw` and `nmea` lose no byte, and detection gives one answer.

/// Folds events into one number, so that two runs can be compared without keeping them.
private struct Digest: CaptureConsumer {
  let joinsChunks: Bool
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  var count = 0
  var total = 0

  mutating func header(
    recorded: Int64?, vehicle: Span<UInt8>, adapter: Span<UInt8>, provenance: Span<UInt8>
  ) {
    precondition(count == 0, "a header behind the first event")
    fold(vehicle)
    fold(adapter)
    fold(provenance)
    fold(recorded ?? -1)
  }

  mutating func bytes(_ direction: CaptureDirection, at time: CaptureTime, _ bytes: Span<UInt8>) {
    precondition(bytes.count > 0, "an event of no bytes")
    fold(bytes)
    total += bytes.count
    if joinsChunks { return }
    count += 1
    fold(Int64(direction.rawValue))
    switch time {
    case .none: fold(0)
    case .offset(let value): fold(value)
    case .wall(let value): fold(~value)
    }
    fold(Int64(bytes.count))
  }

  private mutating func fold(_ value: Int64) {
    hash = (hash ^ UInt64(bitPattern: value)) &* 0x9E37_79B1_85EB_CA87
    hash ^= hash >> 29
  }

  private mutating func fold(_ bytes: Span<UInt8>) {
    var hash = self.hash
    bytes.withUnsafeBufferPointer { buffer in
      for byte in buffer { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
    self.hash = hash
  }
}

private struct Outcome: Equatable {
  var hash: UInt64
  var total: Int
  var error: CaptureError.Kind?
  var line: Int
}

private func run(_ input: Span<UInt8>, _ format: CaptureFormat, step: Int) -> Outcome {
  var reader = CaptureReader(format: format)
  var digest = Digest(joinsChunks: !format.hasEvents)
  var failure: CaptureError?
  do throws(CaptureError) {
    var start = 0
    while start < input.count {
      let end = min(input.count, start + step)
      try reader.receive(input.extracting(start..<end), into: &digest)
      start = end
    }
    try reader.finish(into: &digest)
  } catch {
    failure = error
  }
  return Outcome(hash: digest.hash, total: digest.total, error: failure?.kind, line: failure?.line ?? 0)
}

private func failure(_ input: Span<UInt8>, _ format: CaptureFormat) -> CaptureError? {
  var reader = CaptureReader(format: format)
  var digest = Digest(joinsChunks: true)
  do throws(CaptureError) {
    try reader.receive(input, into: &digest)
    try reader.finish(into: &digest)
  } catch {
    return error
  }
  return nil
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCaptures(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 2 else { return 0 }
  let input = Span(_unsafeStart: data + 2, count: size - 2)
  guard let format = CaptureFormat(rawValue: data[0] % 12) else { return 0 }
  // Building messages is slow beside the rest: one input in sixteen does.
  if data[1] & 0xF0 == 0, let failure = failure(input, format) {
    precondition(!failure.description.utf8.contains(0x0A), "a message of two lines")
  }
  let whole = run(input, format, step: .max / 2)
  let split = run(input, format, step: Int(data[1]) % 64 + 1)
  precondition(whole == split, "a split changes what is read")
  if !format.hasEvents { precondition(whole.total == input.count, "a byte is lost") }
  if data[0] >= 128 {
    do throws(CaptureError) {
      let first = try CaptureFormat.detect(input, isWhole: true)
      _ = run(input, first, step: .max / 2)
    } catch {
      precondition(error.line >= 0)
    }
  }
  return 0
}

import Captures

/// One event, as a test compares it.
struct Event: Equatable, CustomStringConvertible {
  var direction: CaptureDirection
  var time: CaptureTime
  var bytes: [UInt8]

  var description: String {
    let mark = direction == .toAdapter ? ">" : direction == .fromAdapter ? "<" : "g"
    return "\(time) \(mark) \(String(decoding: bytes, as: UTF8.self).debugDescription)"
  }
}

/// Returns a command: `to("010C\r", at: .none)`.
func to(_ text: String, _ time: CaptureTime = .none) -> Event {
  Event(direction: .toAdapter, time: time, bytes: Array(text.utf8))
}

/// Returns bytes that the adapter printed: `from("41 0C 1A F8\r\r>")`.
func from(_ text: String, _ time: CaptureTime = .none) -> Event {
  Event(direction: .fromAdapter, time: time, bytes: Array(text.utf8))
}

/// Returns a sentence of a receiver.
func gps(_ text: String, _ time: CaptureTime = .none) -> Event {
  Event(direction: .fromGPS, time: time, bytes: Array(text.utf8))
}

extension CaptureTime {
  /// Returns an offset in seconds, rounded to a microsecond.
  static func after(_ seconds: Double) -> CaptureTime { .offset(Int64((seconds * 1_000_000).rounded()) * 1000) }
  /// Returns a wall time from whole seconds since 1970 and microseconds.
  static func at(_ seconds: Int64, _ microseconds: Int64 = 0) -> CaptureTime {
    .wall(seconds * 1_000_000_000 + microseconds * 1000)
  }
}

/// Stores the events of a reader.
struct EventRecorder: CaptureConsumer {
  var events: [Event] = []
  var headers = 0
  var recorded: Int64?
  var vehicle = ""
  var adapter = ""
  var provenance = ""

  mutating func header(
    recorded: Int64?, vehicle: Span<UInt8>, adapter: Span<UInt8>, provenance: Span<UInt8>
  ) {
    headers += 1
    self.recorded = recorded
    self.vehicle = text(vehicle)
    self.adapter = text(adapter)
    self.provenance = text(provenance)
  }

  mutating func bytes(_ direction: CaptureDirection, at time: CaptureTime, _ bytes: Span<UInt8>) {
    events.append(Event(direction: direction, time: time, bytes: array(bytes)))
  }
}

func array(_ bytes: Span<UInt8>) -> [UInt8] {
  unsafe bytes.withUnsafeBufferPointer { buffer in unsafe Array(buffer) }
}

func text(_ bytes: Span<UInt8>) -> String { String(decoding: array(bytes), as: UTF8.self) }

/// Reads a whole capture in chunks of `size` bytes.
func read(_ bytes: [UInt8], as format: CaptureFormat, chunk size: Int = .max) throws(CaptureError) -> EventRecorder {
  var reader = CaptureReader(format: format)
  var recorder = EventRecorder()
  var start = 0
  while start < bytes.count {
    let end = size >= bytes.count - start ? bytes.count : start + size
    try reader.receive(bytes.span.extracting(start..<end), into: &recorder)
    start = end
  }
  try reader.finish(into: &recorder)
  return recorder
}

func read(_ text: String, as format: CaptureFormat) throws(CaptureError) -> EventRecorder {
  try read(Array(text.utf8), as: format)
}

/// Reads a capture in two parts, once for each position at which it can be divided.
func readAtEverySplit(_ bytes: [UInt8], as format: CaptureFormat, check: (EventRecorder, Int) -> Void) throws {
  for cut in 0...bytes.count {
    var reader = CaptureReader(format: format)
    var recorder = EventRecorder()
    try reader.receive(bytes.span.extracting(0..<cut), into: &recorder)
    try reader.receive(bytes.span.extracting(cut..<bytes.count), into: &recorder)
    try reader.finish(into: &recorder)
    check(recorder, cut)
  }
}

func detect(_ text: String, isWhole: Bool = true) throws(CaptureError) -> CaptureFormat {
  let bytes = Array(text.utf8)
  return try CaptureFormat.detect(bytes.span, isWhole: isWhole)
}

/// Returns the error of a read; `nil` if there was none.
func failure(_ body: () throws(CaptureError) -> Void) -> CaptureError? {
  do throws(CaptureError) { try body() } catch { return error }
  return nil
}

import Failures
import JSONText
import OBDWire
import SignalSets

/// A request: one input line of `obdgate decode`.
struct DecodeRequest {
  /// The command whose reply is in `lines`; `nil` if it is unknown, or if `lines` contains it.
  private let command: String?
  /// The reply: an array with a string for each text line, or one string with a whole transcript.
  private let lines: JSONValue
  private let bus: BusProtocol
  private let headers: HeaderMode
  /// Path of a signal-set file; `nil` for none.
  let signalSet: String?

  /// Reads the request from a JSON object.
  ///
  /// - Throws: an error with its position if the key `lines` is missing, or if a value is invalid.
  init(_ root: JSONValue) throws(JSONError) {
    var object = try JSONObjectReader(root)
    command = try Self.given("request", in: &object)?.requireString()
    lines = try object.required("lines")
    switch lines.kind {
    case .string: break
    case .array: for line in lines.elements { _ = try line.requireString() }
    default: throw lines.invalid(expected: "an array of strings, or one string with CRs")
    }
    let name = try Self.given("protocol", in: &object)?.requireString(oneOf: Self.protocols.map(\.name))
    bus = Self.protocols.first { $0.name == name }?.bus ?? .auto
    let isOn = try Self.given("headers", in: &object)?.requireBool()
    headers = isOn.map { $0 ? .on : .off } ?? .auto
    signalSet = try Self.given("signals", in: &object)?.requireString()
  }

  /// Returns the value of a key. Returns `nil` if the key is missing or its value is `null`, which many programs write
  /// for unknown values.
  private static func given(_ key: String, in object: inout JSONObjectReader) -> JSONValue? {
    object.optional(key).flatMap { $0.kind == .null ? nil : $0 }
  }

  private static let protocols: [(name: String, bus: BusProtocol)] = [
    ("auto", .auto), ("can11", .can11), ("can29", .can29), ("kwp", .kwp), ("iso9141", .iso9141),
    ("j1850pwm", .j1850pwm), ("j1850vpw", .j1850vpw),
  ]

  /// Decodes the request. It resets the reader first, so that the result does not depend on earlier requests.
  func feed<H: ReplyHandler & ~Copyable>(
    _ reader: inout ReplyReader, _ loaded: LoadedSignals?, into handler: inout H
  ) {
    reader = ReplyReader()
    reader.state(bus, headers: headers)
    let definitions = loaded?.definitions ?? []
    if let command { reader.sent(command.utf8.span, loaded: definitions.span, into: &handler) }
    if lines.kind == .string {
      _ = lines.withUTF8 { text in Self.receive(text, &reader, definitions, &handler) }
    } else {
      let lineEnd: InlineArray<1, UInt8> = [0x0D]
      for line in lines.elements {
        _ = line.withUTF8 { text in Self.receive(text, &reader, definitions, &handler) }
        reader.receive(lineEnd.span, loaded: definitions.span, into: &handler)
      }
    }
    reader.finish(loaded: definitions.span, into: &handler)
  }

  /// Passes a text to the reader as bytes. A character from U+0080 to U+00FF represents the byte 80 to FF that the
  /// adapter has sent.
  private static func receive<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, _ reader: inout ReplyReader, _ definitions: [SignalDefinition], _ handler: inout H
  ) {
    var isPlain = true
    for i in text.indices where text[i] >= 0x80 { isPlain = false }
    if isPlain {
      reader.receive(text, loaded: definitions.span, into: &handler)
      return
    }
    var bytes: [UInt8] = []
    var i = 0
    while i < text.count {
      if text[i] & 0xFE == 0xC2, i + 1 < text.count {
        bytes.append(text[i] << 6 | text[i + 1] & 0x3F)
        i += 2
      } else {
        bytes.append(text[i])
        i += 1
      }
    }
    reader.receive(bytes.span, loaded: definitions.span, into: &handler)
  }
}

/// The signal sets that were read, by their paths. Each file is read only once.
struct SignalSetCache {
  private var known: [String: LoadedSignals] = [:]

  /// Returns the signals of a signal-set file; `nil` if `path` is `nil`.
  ///
  /// - Throws: an error if the file cannot be read or is not a valid signal set.
  mutating func signals(named path: String?) throws(Failure) -> LoadedSignals? {
    guard let path else { return nil }
    if let loaded = known[path] { return loaded }
    let loaded = try Self.load([path], limits: .limited)
    known[path] = loaded
    return loaded
  }

  /// Reads several signal-set files, and returns all of their signals.
  ///
  /// - Parameter limits: the handling of values outside the range that a signal set declares valid. Records do not
  ///   contain such values; `decode` limits them to the range, as the format of signal sets requires.
  static func load(_ paths: [String], limits: LimitPolicy = .absent) throws(Failure) -> LoadedSignals {
    var sets: [SignalSet] = []
    for path in paths {
      let bytes = try InputFile.contents(of: path, limit: 64 << 20)
      do throws(SignalSetError) {
        sets.append(try SignalSet(parsing: bytes, fileName: path))
      } catch {
        throw Failure(.badData, error.message)
      }
    }
    do throws(SignalSetError) { return try LoadedSignals(sets, limitPolicy: limits) } catch {
      throw Failure(.badData, error.message)
    }
  }
}

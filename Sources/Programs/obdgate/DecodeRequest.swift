import JSONText
import OBDWire
import SignalSets

/// One line of `obdgate decode`'s input.
struct DecodeRequest {
  /// The command that the lines answer; nil: unknown, or told by the lines themselves.
  private let command: String?
  /// Each element a line, or one transcript.
  private let lines: JSONValue
  private let bus: BusProtocol
  private let headers: HeaderMode
  /// Path of a signal set.
  let signalSet: String?

  /// - Throws: what is missing or of the wrong type, with its place.
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

  /// Many programs write what they do not know as null: it is as good as left out.
  private static func given(_ key: String, in object: inout JSONObjectReader) -> JSONValue? {
    object.optional(key).flatMap { $0.kind == .null ? nil : $0 }
  }

  private static let protocols: [(name: String, bus: BusProtocol)] = [
    ("auto", .auto), ("can11", .can11), ("can29", .can29), ("kwp", .kwp), ("iso9141", .iso9141),
    ("j1850pwm", .j1850pwm), ("j1850vpw", .j1850vpw),
  ]

  /// Reads the lines with a reader made new, so that a request never depends on the one before.
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

  /// A JSON text holds characters; those from U+0080 to U+00FF stand for the byte that the adapter sent.
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

/// Signal sets by path, each read once.
struct SignalSetCache {
  private var known: [String: LoadedSignals] = [:]

  /// - Throws: why the file is no signal set, or cannot be read.
  mutating func signals(named path: String?) throws(Failure) -> LoadedSignals? {
    guard let path else { return nil }
    if let loaded = known[path] { return loaded }
    let loaded = try Self.load([path], limits: .limited)
    known[path] = loaded
    return loaded
  }

  /// Several files as one set of signals.
  ///
  /// - Parameter limits: what becomes of values outside the range that a set calls valid: absent in records, where a
  ///   number must be true; as the set's format has it in `decode`.
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

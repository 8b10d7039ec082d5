import JSONText
import Ports

extension DaemonStatus {
  /// Maximum length of a status response, bytes. With 64 adapters, a response has about a hundredth of this length.
  static let limit = 4 << 20

  /// Requests the status of a running daemon.
  ///
  /// - Parameter wakeUp: ends the wait when it is signalled; `nil` if nothing can interrupt the wait.
  init(of socket: DaemonSocket, unless wakeUp: WakeUp? = nil) throws(DaemonTrouble) {
    try self.init(parsing: socket.get("/status", limit: Self.limit, unless: wakeUp), from: socket)
  }

  /// Parses a status response.
  ///
  /// - Parameter text: one JSON object. Unknown keys are ignored, because a later version of the daemon may send them.
  init(parsing text: [UInt8], from socket: DaemonSocket) throws(DaemonTrouble) {
    do throws(JSONError) {
      try self.init(JSONDocument(parsing: text, maximumDepth: 16).root)
    } catch {
      throw DaemonTrouble(.notUnderstood, "\(socket.path): its response is invalid: \(error.message)")
    }
  }

  private init(_ value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    version = try reader.plainText("version")
    pid = try reader.count("pid")
    uptime = try reader.seconds("uptime")
    gatewayId = try reader.plainText("gatewayId")
    vehicleId = try reader.plainText("vehicleId")
    timestamp = try reader.plainText("timestamp")
    timeQuality = try reader.plainText("timeQuality")
    configuration = try reader.plainText("configuration")
    adapters = try reader.list("adapters") { value throws(JSONError) in try Adapter(value) }
    receivers = try reader.list("receivers") { value throws(JSONError) in try Receiver(value) }
    if var object = try reader.optionalObject("records") {
      records.made = try object.counts("made")
      records.lost = try object.count("lost")
      records.lostByReason = try object.counts("lostByReason")
    }
    if var object = try reader.optionalObject("spool") { spool = try Spool(&object) }
    sinks = try reader.list("sinks") { value throws(JSONError) in try Sink(value) }
    threads = try reader.list("threads") { value throws(JSONError) in
      var reader = try JSONObjectReader(value)
      return Thread(name: try reader.plainText("name") ?? "?", isStuck: try reader.optionalBool("isStuck") ?? false)
    }
  }
}

extension DaemonStatus.Line {
  fileprivate init(_ reader: inout JSONObjectReader) throws(JSONError) {
    device = try reader.plainText("device") ?? "?"
    state = try reader.plainText("state") ?? "?"
    stateAge = try reader.seconds("stateAge")
    reason = try reader.plainText("reason")
    identity = try reader.plainText("identity")
  }
}

extension DaemonStatus.Adapter {
  fileprivate init(_ value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    line = try DaemonStatus.Line(&reader)
    name = try reader.plainText("name")
    protocolName = try reader.plainText("protocol")
    vehicleId = try reader.plainText("vehicleId")
    vin = try reader.plainText("vin")
    commands = try reader.count("commands")
    replies = try reader.count("replies")
    readings = try reader.count("readings")
    failures = try reader.counts("failures")
    busy = try reader.seconds("busySeconds")
    open = try reader.seconds("openSeconds")
    lastReadingAge = try reader.seconds("lastReadingAge")
  }
}

extension DaemonStatus.Receiver {
  fileprivate init(_ value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    line = try DaemonStatus.Line(&reader)
    fixes = try reader.count("fixes")
    lastFixAge = try reader.seconds("lastFixAge")
    fixType = try reader.plainText("fixType")
    satellites = try reader.count("satellites")
    hdop = try reader.optionalDouble("hdop")
    isChosen = try reader.optionalBool("isChosen")
  }
}

extension DaemonStatus.Spool {
  fileprivate init(_ reader: inout JSONObjectReader) throws(JSONError) {
    state = try reader.plainText("state") ?? "?"
    reason = try reader.plainText("reason")
    records = try reader.count("records")
    memoryRecords = try reader.count("memoryRecords")
    bytes = try reader.count("bytes")
    oldestAge = try reader.seconds("oldestAge")
  }
}

extension DaemonStatus.Sink {
  fileprivate init(_ value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    name = try reader.plainText("name") ?? "?"
    state = try reader.plainText("state") ?? "?"
    reason = try reader.plainText("reason")
    delivered = try reader.count("delivered")
    rejected = try reader.count("rejected")
    rejectionReason = try reader.plainText("rejectionReason")
    lastDeliveryAge = try reader.seconds("lastDeliveryAge")
    oldestAge = try reader.seconds("oldestAge")
  }
}

extension JSONObjectReader {
  fileprivate mutating func plainText(_ key: String) throws(JSONError) -> String? {
    try optionalString(key).map { PlainText.shown($0) }
  }

  fileprivate mutating func count(_ key: String) throws(JSONError) -> Int? { try optionalInt(key, in: 0 ... .max) }

  /// Reads an age in seconds; `nil` if it is absent. A negative age becomes 0. An age may be slightly negative, because
  /// a thread of the daemon may have reported a time after the request arrived.
  fileprivate mutating func seconds(_ key: String) throws(JSONError) -> Double? {
    try optionalDouble(key).map { max(0, $0) }
  }

  fileprivate mutating func list<Element>(
    _ key: String, _ read: (JSONValue) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var list: [Element] = []
    guard let elements = try optionalArray(key) else { return list }
    for element in elements { list.append(try read(element)) }
    return list
  }

  /// Reads an object whose values are counts, such as `{"trip":4}`.
  fileprivate mutating func counts(_ key: String) throws(JSONError) -> [(name: String, count: Int)] {
    var counts: [(String, Int)] = []
    guard let object = try optionalObject(key) else { return counts }
    for member in object.object.members {
      counts.append((PlainText.shown(member.key), try member.value.requireInt(in: 0 ... .max)))
    }
    return counts
  }
}

import Testing

/// Passes lines of JSON to `decode` and reads its output.
func decode(_ lines: [String], status: Int32 = 0) throws -> [PrintedJSON] {
  let result = try obdgate(["decode"], stdin: Array((lines.joined(separator: "\n") + "\n").utf8))
  #expect(result.status == status, "\(result.errors)")
  if status == 0 { #expect(result.errors.isEmpty) }
  return try PrintedJSON.lines(result.output)
}

/// Passes one line, and returns the only line of output.
func decode(_ line: String) throws -> PrintedJSON {
  let answers = try decode([line])
  #expect(answers.count == 1)
  let answer = try #require(answers.first)
  #expect(Set(answer.members.keys) == ["messages", "readings", "errors"])
  #expect(answer.holdsNoNull)
  return answer
}

/// Decodes lines that answer a request.
///
/// - Parameter settings: further members of the object, for example `"protocol":"kwp","headers":false`.
func decode(_ request: String?, _ lines: [String], _ settings: String = "") throws -> PrintedJSON {
  var members: [String] = []
  if let request { members.append("\"request\":\"\(request)\"") }
  members.append("\"lines\":[" + lines.map { "\"\($0)\"" }.joined(separator: ",") + "]")
  if !settings.isEmpty { members.append(settings) }
  return try decode("{" + members.joined(separator: ",") + "}")
}

extension PrintedJSON {
  /// The `payload` of each message.
  var payloads: [String] { (self["messages"]?.elements ?? []).compactMap { $0["payload"]?.text } }
  /// The `ecu` of each message; `-` if it has none.
  var senders: [String] { (self["messages"]?.elements ?? []).map { $0["ecu"]?.text ?? "-" } }
  var readings: [PrintedJSON] { self["readings"]?.elements ?? [] }
  var errors: [PrintedJSON] { self["errors"]?.elements ?? [] }
  /// The `kind` of each error.
  var kinds: [String] { errors.compactMap { $0["kind"]?.text } }
  /// The value of the reading with this name; `nil` if there is none.
  subscript(reading name: String) -> PrintedJSON? { readings.first { $0["name"]?.text == name }?["value"] }
}

import HTTPTypes
import Telemetry

/// `openapi.json` (OpenAPI 3.1), generated from the route table.
enum OpenAPIDocument {
  static func text(of routes: [Route]) -> [UInt8] {
    var text = Array(head.utf8)
    text += Array(#","paths":{"#.utf8)
    // Write paths in the order of the route table. One object contains all methods of a path.
    var paths: [String] = []
    for route in routes where !paths.contains(route.path.text) { paths.append(route.path.text) }
    text += joined(
      paths.map { path in
        let operations = routes.filter { $0.path.text == path }.map { route in
          named(route.method.rawValue.lowercased(), operation(route))
        }
        return named(path, object(operations))
      })
    text += Array(#"},"components":{"securitySchemes":{"key":{"type":"http","scheme":"bearer"}},"schemas":"#.utf8)
    text += schemas
    text += Array("}}".utf8)
    return text
  }

  /// All schemas, as a JSON object.
  static var schemas: [UInt8] {
    // The first text is a complete object. Omit its closing brace, so that the other members can follow.
    Array(OpenAPISchemas.text.utf8).dropLast()
      + Array(",\(RecordSchemas.text),\(AccountSchemas.text),\(FleetSchemas.text),\(FigureSchemas.text)}".utf8)
  }

  private static var head: String {
    #"{"openapi":"3.1.0","info":{"title":"fleetstore","version":"\#(FleetServer.version)","#
      + #""description":"Records of a fleet of vehicles."}"#
  }

  private static func operation(_ route: Route) -> [UInt8] {
    let operation = route.operation
    var members = [named("operationId", string(operation.id)), named("summary", string(operation.summary))]
    var description = "No key is required."
    if route.access != .open {
      description = "For \(route.access.callers.joined(separator: ", "))."
      members.append(named("security", Array(#"[{"key":[]}]"#.utf8)))
    }
    members.append(named("description", string(description)))
    let parameters = route.path.parameters.map(pathParameter) + operation.parameters.map(parameter)
    if !parameters.isEmpty { members.append(named("parameters", array(parameters))) }
    if let body = operation.body {
      members.append(
        named(
          "requestBody",
          object([named("required", Array((body.isRequired ? "true" : "false").utf8)), named("content", content(body))])
        ))
    }
    members.append(named("responses", object(responses(route))))
    return object(members)
  }

  private static func responses(_ route: Route) -> [[UInt8]] {
    var responses = route.operation.results.map { result in
      var members = [named("description", string(result.description))]
      if let body = result.content {
        members.append(named("content", content(body, files: route.isList ? ExportFormat.allCases : [])))
      }
      if !result.headers.isEmpty {
        members.append(
          named("headers", object(result.headers.map { named($0, Array(#"{"schema":{"type":"string"}}"#.utf8)) })))
      }
      return named(String(result.status.code), object(members))
    }
    for status in errors(of: route) {
      let members = [
        named("description", string(status.reasonPhrase)), named("content", content(.json("Error"))),
      ]
      responses.append(named(String(status.code), object(members)))
    }
    return responses
  }

  /// Returns the errors that a route declares, and the errors that any of its requests can cause.
  private static func errors(of route: Route) -> [HTTPResponse.Status] {
    var errors = route.operation.errors
    errors += [.badRequest, .notFound, .tooManyRequests, .internalServerError, .serviceUnavailable]
    if route.access != .open { errors += [.unauthorized, .forbidden] }
    if route.operation.body != nil { errors += [.contentTooLarge, .unsupportedMediaType, .unprocessableContent] }
    var codes: Set<Int> = []
    return errors.filter { codes.insert($0.code).inserted }.sorted { $0.code < $1.code }
  }

  private static func pathParameter(_ name: String) -> [UInt8] {
    object([
      named("name", string(name)), named("in", string("path")), named("required", Array("true".utf8)),
      named("schema", Array(#"{"type":"string","minLength":1,"maxLength":128}"#.utf8)),
    ])
  }

  private static func parameter(_ parameter: Operation.Parameter) -> [UInt8] {
    object([
      named("name", string(parameter.name)), named("in", string(parameter.isHeader ? "header" : "query")),
      named("description", string(parameter.description)), named("schema", Array(parameter.schema.utf8)),
    ])
  }

  /// Returns the OpenAPI description of the body of a request or an answer.
  ///
  /// - Parameter files: the formats of files in which the same list can be requested.
  private static func content(_ content: Operation.Content, files: [ExportFormat] = []) -> [UInt8] {
    let schema = content.schema.map { ##"{"$ref":"#/components/schemas/\##($0)"}"## } ?? #"{"type":"string"}"#
    return object(
      content.types.map { named($0, object([named("schema", Array(schema.utf8))])) }
        + files.map { named($0.mediaType, object([named("schema", Array(#"{"type":"string"}"#.utf8))])) })
  }

  // MARK: JSON

  private static func string(_ text: String) -> [UInt8] {
    // Encode the object `{"a":"…"}`, then remove the bytes before and after its value.
    Array(JSONBody.object { $0.field("a", text) }.dropFirst(5).dropLast())
  }

  private static func named(_ name: String, _ value: [UInt8]) -> [UInt8] { string(name) + [UInt8(ascii: ":")] + value }
  private static func object(_ members: [[UInt8]]) -> [UInt8] {
    [UInt8(ascii: "{")] + joined(members) + [UInt8(ascii: "}")]
  }
  private static func array(_ elements: [[UInt8]]) -> [UInt8] {
    [UInt8(ascii: "[")] + joined(elements) + [UInt8(ascii: "]")]
  }
  private static func joined(_ parts: [[UInt8]]) -> [UInt8] { Array(parts.joined(separator: [UInt8(ascii: ",")])) }
}

import HTTPTypes

/// The description of a route in `openapi.json`, except its path and method, which belong to the route itself.
struct Operation: Sendable {
  /// A query parameter or a header of a request.
  struct Parameter: Sendable {
    let name: String
    let isHeader: Bool
    let description: String
    /// The JSON Schema of the value, as JSON text.
    let schema: String
  }

  /// The body of a request or an answer.
  struct Content: Sendable {
    let types: [String]
    /// The name of the schema in `openapi.json`; `nil` if the body may be any bytes.
    let schema: String?
    /// Whether a request must have the body. Has no meaning for answers.
    var isRequired = true

    /// Describes a JSON body with a named schema.
    static func json(_ schema: String) -> Content { Content(types: ["application/json"], schema: schema) }

    /// Describes a JSON body with a named schema that a request may omit.
    static func optionalJSON(_ schema: String) -> Content {
      Content(types: ["application/json"], schema: schema, isRequired: false)
    }
  }

  /// The description of a successful answer.
  struct Result: Sendable {
    let status: HTTPResponse.Status
    let description: String
    let content: Content?
    let headers: [String]

    init(
      _ status: HTTPResponse.Status, _ description: String, _ content: Content? = nil, headers: [String] = []
    ) {
      self.status = status
      self.description = description
      self.content = content
      self.headers = headers
    }
  }

  let id: String
  let summary: String
  var parameters: [Parameter] = []
  var body: Content?
  let results: [Result]
  /// Whether the query may contain parameters that are not described, because other programs define the requests.
  var hasOtherParameters = false
  /// The statuses of errors of this route, in addition to the errors that any route can cause.
  var errors: [HTTPResponse.Status] = []

  /// The names of the query parameters.
  var queryNames: [String] { parameters.filter { !$0.isHeader }.map(\.name) }
}

extension Operation.Parameter {
  /// Describes a query parameter.
  static func query(_ name: String, _ description: String, _ schema: String) -> Self {
    Self(name: name, isHeader: false, description: description, schema: schema)
  }
  /// Describes a header of a request.
  static func header(_ name: String, _ description: String, _ schema: String = #"{"type":"string"}"#) -> Self {
    Self(name: name, isHeader: true, description: description, schema: schema)
  }

  /// The headers of conditional requests to a route whose resource has no entity tag.
  static let noTag = [
    header(
      "If-Match",
      "`*`: only if the resource exists. An entity tag is answered with 412, because this resource has none.",
      #"{"type":"string","pattern":"^\\*$"}"#),
    header("If-None-Match", "`*`: answered with 412 if the resource exists.", #"{"type":"string"}"#),
  ]
  static let cursor = query(
    "cursor", "`next` of the previous page; the other parameters must be the same.", #"{"type":"string"}"#)
  static let format = query(
    "format",
    "`csv` or `xlsx`: the whole list as a file, without `limit` and `cursor`. The keys of its elements are the columns.",
    #"{"enum":["json","csv","xlsx"],"default":"json"}"#)
  static let from = query(
    "from",
    "Start of the range, RFC 3339, from 1678 to 2261, or a day. Without it, the result starts with records without a time.",
    time)
  static let to = query(
    "to",
    "End of the range: RFC 3339 (excluded), from 1678 to 2261, or a day (included). Records without a time are before all others.",
    time)
  private static let time = #"{"type":"string","format":"date-time"}"#
  static func limit(_ standard: Int, most: Int) -> Self {
    query(
      "limit", "Maximum number of elements on a page.",
      #"{"type":"integer","minimum":1,"maximum":\#(most),"default":\#(standard)}"#)
  }
}

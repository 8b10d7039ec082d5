import HTTPTypes

/// An error page for paths that a browser opens after a redirect. The page links to the server's own pages.
enum ErrorPage {
  /// Whether the client is a browser that shows the answer as a page.
  static func isWanted(by call: Call) -> Bool {
    call.request.headers[.accept]?.lowercased().contains("text/html") ?? false
  }

  static func answer(_ error: APIError) -> Answer {
    let json = error.answer
    var page = Answer(
      status: json.status, type: "text/html; charset=utf-8",
      bytes: Array(
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Sign-in failed</title>
        <h1>Sign-in failed</h1>
        <p>\(escaped(error.message))</p>
        <p><a href="/">Back to the start</a></p>
        </html>

        """.utf8))
    for field in json.headers where field.name != .contentType { page.headers.append(field) }
    return page
  }

  /// Escapes a text for HTML.
  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

import JSONText

/// Quotes a client's text for a message, on one line and shortened.
func quoted(_ text: some StringProtocol) -> String { JSONError.quoted(text) }

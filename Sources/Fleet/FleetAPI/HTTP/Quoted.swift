import JSONText

/// Returns a text from a client in quotation marks, shortened and without line breaks, for use in a message.
func quoted(_ text: some StringProtocol) -> String { JSONError.quoted(text) }

import JSONText

/// A text from outside as a message may show it: in quotes, on one line, not long.
func quoted(_ text: some StringProtocol) -> String { JSONError.quoted(text) }

/// Why a running daemon tells nothing. One line for people: where, what, what helps.
struct DaemonTrouble: Error, Equatable, CustomStringConvertible {
  enum Kind {
    /// No socket, or nobody behind it.
    case notRunning
    /// This user may not ask.
    case notPermitted
    /// No answer in time.
    case timedOut
    /// Somebody rang: the answer is not wanted any more.
    case interrupted
    /// It closed the connection before its answer was whole.
    case gone
    /// It said that it cannot tell.
    case refused
    /// What answers there does not speak as a daemon does.
    case notUnderstood
    /// Anything else that the system said.
    case system
  }
  let kind: Kind
  let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// As a command's end.
  var failure: Failure { Failure(.unavailable, description) }
}

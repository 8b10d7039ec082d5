/// Reports a broken rule and ends the program. A release build would not report a failed precondition.
@inline(__always)
func require(_ condition: Bool, _ what: StaticString) {
  if !condition { fatalError("\(what)") }
}

import Glibc

/// Returns the operating system's message for an `errno`.
public func systemReason(_ code: Int32) -> String {
  guard let text = unsafe strerror(code) else { return "error \(code)" }
  return unsafe String(cString: text)
}

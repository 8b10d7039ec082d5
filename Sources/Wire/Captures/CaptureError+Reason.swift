import Glibc

extension CaptureError {
  /// Returns the system's text for an `errno`.
  static func reason(_ number: Int32) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}

import Glibc

/// A line for people, on stderr.
public func say(_ line: String) {
  let text = "obdgated: \(line)\n"
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let count = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    // stderr closed: there is nobody left to tell.
    guard count > 0 else { return }
    bytes = bytes.dropFirst(count)
  }
}

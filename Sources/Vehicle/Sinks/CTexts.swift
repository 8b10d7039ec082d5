import Glibc

/// A list of C strings. The strings are valid while this object exists.
@safe final class CTexts {
  private let pointers: UnsafeMutableBufferPointer<UnsafePointer<CChar>?>

  init(_ texts: [String?]) {
    unsafe pointers = .allocate(capacity: texts.count)
    for (index, text) in texts.enumerated() {
      unsafe (pointers.baseAddress! + index).initialize(to: text.flatMap { unsafe UnsafePointer(strdup($0)) })
    }
  }

  deinit {
    for index in 0..<count { unsafe free(UnsafeMutablePointer(mutating: pointers[index])) }
    unsafe pointers.deallocate()
  }

  var count: Int { unsafe pointers.count }

  /// The string at an index; `nil` if its text is `nil`.
  subscript(_ index: Int) -> UnsafePointer<CChar>? { unsafe pointers[index] }

  /// All strings, as an array for C.
  var all: UnsafePointer<UnsafePointer<CChar>?>? { unsafe UnsafePointer(pointers.baseAddress) }
}

import Glibc

/// Texts as C has them, for as long as this lives.
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

  /// Nil where the text is.
  subscript(_ index: Int) -> UnsafePointer<CChar>? { unsafe pointers[index] }

  /// All of them, one behind the other.
  var all: UnsafePointer<UnsafePointer<CChar>?>? { unsafe UnsafePointer(pointers.baseAddress) }
}

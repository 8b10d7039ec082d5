import Glibc

/// Passes texts to C functions as C strings, which are valid only during the call.
enum Texts {
  static func with<Value>(_ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Value) -> Value {
    let copies = unsafe texts.map { text in unsafe text.flatMap { unsafe strdup($0) } }
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    return unsafe body(copies.map { unsafe UnsafePointer($0) })
  }
}

/// A list of fixed capacity.
///
/// It allocates its memory once and never accesses the unused part of it. Elements are added and removed without calls
/// to Swift's runtime.
@safe
struct FixedList<Element: BitwiseCopyable>: ~Copyable {
  private let base: UnsafeMutablePointer<Element>
  let capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    unsafe base = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { unsafe base.deallocate() }

  @inline(__always)
  var indices: Range<Int> { unsafe Range(uncheckedBounds: (0, count)) }

  var span: Span<Element> {
    @_lifetime(borrow self)
    @inline(__always)
    get {
      let elements = unsafe Span(_unsafeStart: base, count: count)
      return unsafe _overrideLifetime(elements, borrowing: self)
    }
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count)
      return unsafe base[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe base[index] = newValue
    }
  }

  /// Appends an element.
  ///
  /// - Precondition: ``count`` is less than ``capacity``.
  @inline(__always)
  mutating func append(_ element: Element) {
    precondition(count < capacity)
    unsafe base[count] = element
    count &+= 1
  }

  /// Appends an element if `isWanted` is true. The function contains no branch that the processor could mispredict.
  ///
  /// - Precondition: ``count`` is less than ``capacity``, even if the element is not wanted.
  @inline(__always)
  mutating func append(_ element: Element, if isWanted: Bool) {
    precondition(count < capacity)
    unsafe base[count] = element
    // A conditional expression would be compiled to a branch.
    count &+= Int(unsafe unsafeBitCast(isWanted, to: UInt8.self))
  }

  /// Removes all elements except the first `count`.
  @inline(__always)
  mutating func cut(to count: Int) {
    precondition(count >= 0 && count <= self.count)
    self.count = count
  }
}

/// Groups sentences into epochs by their time of day. Sentences without a time belong to the epoch before or after
/// them; ``CycleOrder`` decides which.
struct EpochAssembler: BitwiseCopyable {
  private var epoch = Epoch()
  /// Sentences without a time that followed the last sentence with a time.
  private var pending = UntimedSentences()
  private var order = CycleOrder()
  private var date = CarriedDate()

  init() {}

  /// Makes the epoch of a sentence the current one: continues the current epoch if the sentence belongs to it,
  /// otherwise begins a new one.
  ///
  /// If a new epoch begins, the handler receives the fix of the previous epoch.
  @inline(__always)
  mutating func open<Handler: FixHandler & ~Copyable>(
    _ time: TimeOfDay?, _ kind: SentenceKind, into handler: inout Handler
  ) {
    if epoch.isOpen, epoch.accepts(time, kind) {
      guard !pending.isEmpty else { return }
      epoch.merge(&pending)
    } else {
      if epoch.isOpen { handler.fix(endForNext()) }
      epoch.begin(time: time, after: &pending)
      guard !pending.isEmpty else { return }
    }
    pending = UntimedSentences()
  }

  /// Ends the current epoch. All sentences that have arrived belong to it, also those without a time.
  ///
  /// - Returns: the epoch's fix; `nil` if there were no sentences.
  mutating func flush() -> Fix? {
    guard epoch.isOpen || !pending.isEmpty else { return nil }
    var none = UntimedSentences()
    order.epochClosed(epoch.evidence, followedBy: &none)
    epoch.merge(&pending)
    let fix = epoch.fix(carrying: &date)
    epoch = Epoch()
    pending = UntimedSentences()
    return fix
  }

  mutating func add(_ rmc: RMC, end: UInt64) { epoch.add(rmc, end: end) }
  mutating func add(_ gga: GGA, end: UInt64) { epoch.add(gga, end: end) }
  mutating func add(_ gns: GNS, end: UInt64) { epoch.add(gns, end: end) }
  mutating func add(_ gll: GLL, end: UInt64) { epoch.add(gll, end: end) }
  mutating func add(_ zda: ZDA, end: UInt64) { epoch.add(zda, end: end) }
  mutating func add(_ gst: GST, end: UInt64) { epoch.add(gst, end: end) }
  mutating func add(_ gsa: GSA, end: UInt64) { pending.add(gsa, end: end) }
  mutating func add(_ vtg: VTG, end: UInt64) { pending.add(vtg, end: end) }
  mutating func add(_ hdt: HDT, end: UInt64) { pending.add(hdt, end: end) }

  private mutating func endForNext() -> Fix {
    let isLeading = order.isLeading
    if !isLeading { epoch.merge(&pending) }
    order.epochClosed(epoch.evidence, followedBy: &pending)
    if !isLeading { pending = UntimedSentences() }
    return epoch.fix(carrying: &date)
  }
}

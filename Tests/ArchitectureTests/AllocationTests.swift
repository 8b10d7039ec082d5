import TestKit
import Testing

/// `obdgate bench` parses the same traffic in every round. The difference between runs with different numbers of rounds
/// is therefore what the measured code allocates.
@Suite struct AllocationTests {
  @Test func the_counter_counts_every_allocation_and_the_memory_in_use() throws {
    let scratch = try ScratchFolder()
    let source = try scratch.write("taker.c", Self.taker)
    let taker = scratch.file("taker")
    let built = try Tool.run("clang", ["-O0", "-fno-builtin", source, "-o", taker])
    #expect(built.status == 0, "\(built.errors)")
    let few = try MeasuredRun.of(taker, ["100"])
    let many = try MeasuredRun.of(taker, ["100100"])
    #expect(many.allocations - few.allocations == 3 * 100_000)
    // In each round, one KiB stays allocated. The kernel counts pages in groups, so the result may differ by a quarter
    // of a MiB; hence the many rounds.
    #expect((98_000..<105_000).contains(many.peakKiB - few.peakKiB), "\(few.peakKiB) → \(many.peakKiB) KiB")
  }

  /// Each round allocates in three ways. One KiB of each round stays allocated and is written to.
  private static let taker = """
    #include <stdlib.h>
    #include <string.h>
    int main(int count, char **arguments) {
      (void)count;
      for (int left = atoi(arguments[1]); left > 0; left--) {
        void *aligned = NULL;
        if (posix_memalign(&aligned, 64, 64)) return 1;
        free(aligned);
        free(calloc(4, 16));
        memset(malloc(1016), 1, 1016);
      }
      return 0;
    }
    """

  /// The numbers at the end are formatted with a few allocations, and their count depends on the lengths of the
  /// numbers. A single allocation in each round would make a difference as large as the number of rounds.
  @Test func another_round_of_parsing_allocates_nothing() throws {
    let obdgate = try Tool.releaseObdgate
    let short = try MeasuredRun.of(obdgate, ["bench", "--iterations", "2", "--json"])
    let long = try MeasuredRun.of(obdgate, ["bench", "--iterations", "34", "--json"])
    #expect(short.result.status == 0, "\(short.result.errors)")
    #expect(long.result.status == 0, "\(long.result.errors)")
    let difference = long.allocations - short.allocations
    #expect(difference < 32, "32 more rounds made \(difference) more allocations")
    print("allocations in 32 rounds of bench: \(difference) more (\(short.allocations) at start and end)")
  }
}

import Geofencing
import Testing

struct FencesTests {
  @Test func each_fence_comes_back_as_it_was_added() throws {
    let fences = [
      Fence(id: "yard"), Fence(id: "", name: ""), Fence(id: "a", name: nil, notifyOnEntry: false),
      Fence(id: "depot-7f2b6c1e-0b1f-4b7e-9a55-5d1f5c0f8f11", name: "Größe 😀", notifyOnExit: false, dwell: 600),
      Fence(id: "b", name: "b", notifyOnEntry: false, notifyOnExit: false, speedLimit: 30.5),
      Fence(id: "c", dwell: 0, speedLimit: 50),
    ]
    var builder = FenceSetBuilder()
    for fence in fences { try builder.addCircle(fence, around: GeoPosition(latitude: 47, longitude: 9), radius: 100) }
    let set = builder.build()
    #expect(Array(set.fences) == fences)
    #expect(set.fences.count == 6)
    #expect(set.fences.last == fences.last)
    #expect(set.fences[3].name == "Größe 😀")
    #expect(FenceSet.none.fences.isEmpty)
  }
}

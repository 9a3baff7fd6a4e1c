// Package hook is the surface of agent hosts' hooks: it says what an event of a host
// means for the session, asks the guard, and makes the answer.
//
// What a session is about to take in is observed before the tool runs, so that calls
// of one turn that run side by side cannot win. Writes to memory files are decided as
// memory writes, calls of a memory server behind a proxy of ours are announced and
// decided there, everything else is an action. Reasons that go to the model are words
// of ours alone.
//
// When the guard fails, what is grave is refused and all else goes on; the session is
// then remembered as one that took in something unknown, see [Lost].
package hook

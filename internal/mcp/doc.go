// Package mcp is the stdio proxy in front of MCP servers.
//
// In front of a memory server it decides writes and scrubs reads; in front of any
// other server it observes what tools return. Frames are read by one strict reader
// and what was inspected is what goes on: a request for a tool, resource or prompt is
// forwarded re-encoded, everything else as it came, and nothing that two readers could
// take for two things. Both eras of the protocol pass: the proxy looks at requests and
// results, not at how a connection began.
//
// What the tools of a memory server do is data: a profile, see docs/profiles.md.
//
// What it does not do: lists of tools, resources and prompts and the handshake go
// through unseen, also those of a memory server; a text that a memory server made of
// several memories is taken apart by lines at most, and where its profile says so: what
// no line explains counts, once something foreign is in the store, as external; and what
// a deletion of an entity takes along is not recorded as gone.
package mcp

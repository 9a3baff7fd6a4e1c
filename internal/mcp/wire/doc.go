// Package wire has what every end of an MCP connection of ours does with frames of
// JSON-RPC: it reads lines within bounds, sorts messages, tells ids apart, and writes.
package wire

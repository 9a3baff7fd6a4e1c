// Package demo plays Hearsay's story end to end with nothing installed but the
// binary: two small MCP servers inside the process, a memory and a web reader, each
// behind a real proxy, over a real store in a temporary home.
package demo

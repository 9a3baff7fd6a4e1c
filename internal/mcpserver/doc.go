// Package mcpserver is our own MCP server over [memory.Store]: both eras of the protocol,
// over stdio and Streamable HTTP.
//
// Every frame passes the strict reader of package strictjson before the protocol library
// sees it, so that what is inspected is what is read. What a call says is a payload:
// principal, session and speaker come from the surface, which is the host process and
// its hook on stdio and the bearer token over HTTP. A claim in a call can only lower
// trust; one that would raise it is no argument of any tool, and is refused.
//
// An agent gets what [memory.Store] lets it have, marked by origin. Of what is held it
// learns how many and which ids.
package mcpserver

package mcp

// inspected says whether requests of the method go on re-encoded: what was read is
// what the server gets.
func inspected(method string) bool {
	return method == "tools/call" || method == "resources/read" || method == "prompts/get"
}

// quiet says whether the result of a method is passed on unseen. Everything else,
// methods that nobody here knows included, can return what a tool fetched: the result
// of a task, a completion.
//
// Lists and the handshake bear the server's own words too, yet a host asks for them
// before anything was read: if they counted, every session would start tainted.
func quiet(method string) bool {
	switch method {
	case "initialize", "server/discover", "ping", "logging/setLevel",
		"tools/list", "resources/list", "resources/templates/list", "prompts/list",
		"resources/subscribe", "resources/unsubscribe", listen:
		return true
	}
	return false
}

// listen is the request that stays open as long as the client listens.
const listen = "subscriptions/listen"

// quietUnasked says the same of what a server sends on its own. A note of progress
// can bear a message.
func quietUnasked(method string, params []byte) bool {
	switch method {
	case "ping", "roots/list", "notifications/cancelled", "notifications/resources/updated",
		"notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed":
		return true
	case "notifications/progress":
		message, err := limits.Peek(params, "message")
		return err == nil && message[0] == nil
	}
	return false
}

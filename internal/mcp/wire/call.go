package wire

// callIDs are the members of _meta by which hosts name the call that their hook saw:
// Claude Code's, Codex's. They come from the client and not from the model; they are
// good for finding what a hook announced, and prove nothing without it.
var callIDs = [...]string{"claudecode/toolUseId", "callId"}

// CallID returns the host's id of a call; empty where the client does not say. member
// reads a member of the request's _meta that is a string.
func CallID(member func(key string) (string, bool)) string {
	for _, key := range callIDs {
		if id, ok := member(key); ok {
			return id
		}
	}
	return ""
}

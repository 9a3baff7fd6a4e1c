package mcpserver

import (
	"errors"
	"strconv"

	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// limits bound a frame: a memory of the greatest length fits in, however it is escaped.
var limits = strictjson.Limits{MaxBytes: 4 << 20, MaxDepth: 64}

// fault is why a frame goes no further, as an error of JSON-RPC.
type fault struct {
	id   []byte // of the request; nil where it could not be read
	code int64
	text string
}

// reply is the frame that says so.
func (f *fault) reply() []byte { return wire.ReplyError(f.id, f.code, f.text) }

// inspect checks a frame. The library behind takes the first of several readings of what
// is ambiguous, silently; so nothing ambiguous reaches it.
func inspect(b []byte) (strictjson.Frame, wire.Message, *fault) {
	f, err := limits.Frame(b)
	if err != nil {
		return f, wire.Malformed, &fault{nil, wire.CodeParse, "the frame was not read: " + err.Error()}
	}
	if f.Kind == strictjson.KindArray {
		return f, wire.Malformed, &fault{nil, wire.CodeInvalid, "batches are not read: send one message at a time"}
	}
	kind := wire.Classify(f)
	switch {
	case kind == wire.Malformed:
		return f, kind, &fault{nil, wire.CodeInvalid, "the frame is no message of JSON-RPC 2.0: it needs a method and, where it asks, an id that is a string or a number"}
	case kind == wire.Request && !exactID(f.ID):
		return f, wire.Malformed, &fault{nil, wire.CodeInvalid, "the id is neither a string nor a whole number of at most 15 digits"}
	case kind == wire.Response || f.Params == nil:
		return f, kind, nil
	}
	id := f.ID
	if kind != wire.Request {
		id = nil
	}
	params, err := limits.Parse(f.Params)
	if err == nil && params.Kind() != strictjson.KindObject {
		err = errors.New("params is not an object")
	}
	if err == nil {
		err = strictjson.CheckReserved(params, "name", "arguments", "uri", "_meta", "inputResponses", "requestState")
	}
	if err != nil {
		return f, wire.Malformed, &fault{id, wire.CodeInvalid, err.Error()}
	}
	return f, kind, nil
}

// exactID reports whether an id comes back as it was sent: the library keeps a number as
// an integer, and read it as a double before.
func exactID(raw []byte) bool {
	if len(raw) > 0 && raw[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return err == nil && n > -1e15 && n < 1e15
}

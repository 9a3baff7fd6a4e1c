package mcp

import (
	"github.com/hearsay-memory/hearsay/internal/mcp/wire"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// limits bound a frame.
var limits = strictjson.Limits{MaxBytes: 64 << 20, MaxDepth: 128}

// codeUpstream is a code of ours, from the range that JSON-RPC leaves to servers.
const codeUpstream = -32010 // the server behind does not answer, or not in a form that is let through

// reply encodes a result. id is the raw id of the request.
func reply(id []byte, result strictjson.Value) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"result":`...)
	return append(strictjson.AppendValue(b, result), '}')
}

// request encodes a request.
func request(id []byte, method string, params strictjson.Value) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"method":`...)
	b = strictjson.AppendValue(b, strictjson.String(method))
	b = append(b, `,"params":`...)
	return append(strictjson.AppendValue(b, params), '}')
}

// passable returns the bytes of a frame that may go on: as they came, or re-encoded
// where some reader of lines would find more than one line in them.
func passable(f strictjson.Frame) ([]byte, error) {
	if f.OneLine {
		return f.Raw, nil
	}
	v, err := limits.Parse(f.Raw)
	if err != nil {
		return nil, err
	}
	return strictjson.AppendValue(nil, v), nil
}

// withID puts the client's id on an answer that came under another.
func withID(f strictjson.Frame, id []byte) []byte {
	v, err := limits.Parse(f.Raw)
	if err != nil {
		return wire.ReplyError(id, codeUpstream, err.Error())
	}
	if e, ok := v.Get("error"); ok {
		b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
		return append(strictjson.AppendValue(append(b, `,"error":`...), e), '}')
	}
	result, _ := v.Get("result")
	return reply(id, result)
}

package wire

import "github.com/hearsay-memory/hearsay/internal/strictjson"

// Codes of JSON-RPC 2.0 errors.
const (
	CodeParse    = -32700
	CodeInvalid  = -32600
	CodeInternal = -32603
)

// ReplyError encodes an error. text is ours and never foreign. A nil id is null.
func ReplyError(id []byte, code int64, text string) []byte {
	if id == nil {
		id = []byte("null")
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"error":`...)
	e := strictjson.Object(
		strictjson.Member{Key: "code", Value: strictjson.Int(code)},
		strictjson.Member{Key: "message", Value: strictjson.String("hearsay: " + text)})
	return append(strictjson.AppendValue(b, e), '}')
}

package wire

import "github.com/hearsay-memory/hearsay/internal/strictjson"

// Message says what a frame is.
type Message uint8

// The kinds of messages. The zero value is none.
const (
	Malformed Message = iota
	Request
	Notification
	Response // a result or an error
)

// Classify sorts a frame. A frame that is two of these would be taken for one here and
// for the other by somebody else, so it is none.
func Classify(f strictjson.Frame) Message {
	version, _ := strictjson.Text(f.JSONRPC)
	switch {
	case f.Kind != strictjson.KindObject || version != "2.0":
	case f.Method != nil && (f.Result != nil || f.Error != nil), f.Result != nil && f.Error != nil:
	case f.Method != nil:
		if _, ok := f.MethodName(); !ok {
			return Malformed
		}
		if f.ID == nil {
			return Notification
		}
		if _, ok := IDKey(f.ID); ok {
			return Request
		}
	case f.Result != nil || f.Error != nil:
		// An error can answer a message whose id nobody could read.
		if _, ok := IDKey(f.ID); ok || string(f.ID) == "null" && f.Error != nil {
			return Response
		}
	}
	return Malformed
}

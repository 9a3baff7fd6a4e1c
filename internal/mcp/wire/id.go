package wire

import (
	"math"
	"strconv"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// IDKey is what a request's id is matched by; false for what is no id. A server reads
// an id and writes it again, and most keep numbers as doubles: 1.50 comes back as 1.5,
// "\u0061" as "a". Ids that such a server cannot tell apart are one here too, and the
// second of them is refused while the first is open.
func IDKey(raw []byte) (string, bool) {
	if text, ok := strictjson.Text(raw); ok {
		return "s" + text, true
	}
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return "", false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(n, 0) {
		return "", false
	}
	return "n" + strconv.FormatFloat(n+0, 'g', -1, 64), true
}

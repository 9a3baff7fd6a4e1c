package guard

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// Spoken is what the content of a write says: the texts in it, as somebody reads them,
// without the names that every such call has in common. What is no JSON, or not wholly, is
// taken as it is.
func Spoken(content []byte) string {
	if t := bytes.TrimSpace(content); len(t) == 0 || t[0] != '{' && t[0] != '[' {
		return string(content)
	}
	var b strings.Builder
	dec := json.NewDecoder(bytes.NewReader(content))
	dec.UseNumber()
	var open []bool // of each object or list: whether a name is next
	var lists []bool
	for {
		tok, err := dec.Token()
		if err == io.EOF && len(open) == 0 {
			return b.String()
		}
		if err != nil {
			return string(content)
		}
		top := len(open) - 1
		switch t := tok.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				if top >= 0 {
					open[top] = !lists[top]
				}
				open, lists = append(open, t == '{'), append(lists, t == '[')
			} else {
				open, lists = open[:top], lists[:top]
			}
			continue
		case string:
			if top >= 0 && open[top] {
				open[top] = false // it was the name
				continue
			}
			b.WriteString(t)
			b.WriteByte('\n')
		}
		if top >= 0 {
			open[top] = !lists[top]
		}
	}
}

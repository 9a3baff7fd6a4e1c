package mcp

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// schemaDigest names the form of a tool's arguments and results: the first 16 bytes
// of SHA-256 over its input schema, a zero byte and its output schema, each as
// [strictjson.AppendValue] writes it.
func schemaDigest(tool strictjson.Value) string {
	in, _ := tool.Get("inputSchema")
	out, _ := tool.Get("outputSchema")
	b := append(strictjson.AppendValue(nil, in), 0)
	sum := sha256.Sum256(strictjson.AppendValue(b, out))
	return hex.EncodeToString(sum[:16])
}

// checkTools compares a list of tools with what the profile expects, and tells the
// log, once a tool. Nothing depends on it: a tool that is not in the profile is a
// write, whether it was ever listed or not, and so is one that reads when it is called
// with arguments that the profile does not name.
func (p *proxy) checkTools(f strictjson.Frame) {
	result, err := limits.Parse(f.Result)
	if err != nil {
		return
	}
	list, _ := result.Get("tools")
	for _, t := range list.Elements() {
		name, _ := t.Get("name")
		tool, known := p.Profile.Tools[name.String()]
		switch {
		case !known:
			p.warn("tool "+name.String(), "the memory server has a tool that its profile does not know: its calls are decided as writes", "tool", name.String())
		case tool.Schema != "" && tool.Schema != schemaDigest(t):
			p.warn("tool "+name.String(), "a tool of the memory server is not what its profile was written for: check that its texts still stand where the profile looks, or install the version named there",
				"tool", name.String(), "profile", p.Profile.Name, "digest", schemaDigest(t))
		}
	}
}

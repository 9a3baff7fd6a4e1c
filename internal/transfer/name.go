package transfer

import "fmt"

// MemoriesName is the file of an export of ours that says everything.
const MemoriesName = "memories.jsonl"

// exportPart names the files of an export's JSON lines, from 1.
func exportPart(n int) string {
	if n == 1 {
		return MemoriesName
	}
	return fmt.Sprintf("memories-%d.jsonl", n)
}

// Files of an export of memories beside the Markdown and [MemoriesName].
const (
	AttestName = "provenance.intoto.json"
	ProvName   = "provenance.prov.json"
)

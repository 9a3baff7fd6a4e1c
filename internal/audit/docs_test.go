package audit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hearsay-memory/hearsay/internal/detect"
)

// TestDocs holds docs/audit.md against the rules and their lines.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/audit.md")
	check(t, err)
	var want []string
	for _, d := range detect.Rules() {
		want = append(want, fmt.Sprintf("| `%s` | %s | %s |", d.Rule, d.Level, d.About))
	}
	want = append(want, strings.Join(want, "\n"),
		fmt.Sprintf("%d memories of external or unverified origin within 24 hours, %d of tools", detect.BurstExternal, detect.BurstTool),
		fmt.Sprintf("%d of agents and known people", detect.BurstAgent),
		fmt.Sprintf("%d memories that share two tags", detect.TagClique),
		fmt.Sprintf("%d memories that share a passage", detect.TextClique),
		fmt.Sprintf("%d memories that name each other as parents", detect.EchoFamily),
		fmt.Sprintf("%d sessions took it in", detect.ReinforcedRecalls),
		fmt.Sprintf("in %d days and on %d different ones", detect.DripWindow/detect.Day, detect.DripDays),
		fmt.Sprintf("At most %d a run", detect.MaxApplied),
	)
	for _, line := range want {
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/audit.md does not say: %s", line)
		}
	}
}

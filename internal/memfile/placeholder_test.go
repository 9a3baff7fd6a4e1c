package memfile

import (
	"strings"
	"testing"
)

func TestPlaceholder(t *testing.T) {
	for line := range strings.Lines(`[rest of file unchanged]
... existing content ...
<!-- unchanged -->
<!-- rest of the file remains unchanged -->
// ... existing code ...
# ... rest of file ...
(rest of the file unchanged)
… existing notes …
...
[...]
- ...
Rest of file unchanged.
**The rest of the file is unchanged**
[Remaining content unchanged]
[118 lines omitted]
<!-- 118 more lines -->
[truncated for brevity]
{existing entries}
/* existing content */
[... rest of MEMORY unchanged ...]
[Existing content remains as is]
> [Same as before]
`) {
		if line = strings.TrimSuffix(line, "\n"); !placeholder(line) && line != "" {
			t.Errorf("%q is no placeholder", line)
		}
	}
	for line := range strings.Lines(`- the rest of the file format is described in docs/formats.md
unchanged
# Rest
---
***
- Content
- keep the rest of the budget unchanged for 2027
Existing notes
- Deploys: no change since May.
etc.
- [ ] existing content moves to the wiki
[link](rest-of-file.md)
`) {
		if line = strings.TrimSuffix(line, "\n"); placeholder(line) {
			t.Errorf("%q is a placeholder", line)
		}
	}
}

func FuzzPlaceholder(f *testing.F) {
	f.Add("[rest of file unchanged]")
	f.Add("… \xff <!-- 不变 -->")
	f.Fuzz(func(t *testing.T, line string) {
		if placeholder(line) && len(line) > maxPlaceholder {
			t.Errorf("%d bytes", len(line))
		}
	})
}

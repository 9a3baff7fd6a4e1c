package hosts

import (
	"slices"
	"strings"
)

// The lines of a patch that are not text of a file.
const (
	beginPatch  = "*** Begin Patch"
	endPatch    = "*** End Patch"
	endOfFile   = "*** End of File"
	environment = "*** Environment ID: "
	addFile     = "*** Add File: "
	deleteFile  = "*** Delete File: "
	updateFile  = "*** Update File: "
	moveTo      = "*** Move to: "
)

// patchMarks are what readers of patches look for at the beginning of a line, some of
// them only after taking the white space around it away.
var patchMarks = []string{beginPatch, endPatch, endOfFile, environment, addFile, deleteFile, updateFile, moveTo}

// parsePatch reads the patch format of Codex:
//
//	*** Begin Patch
//	*** Add File: PATH          then lines with "+"
//	*** Delete File: PATH
//	*** Update File: PATH       then perhaps *** Move to: PATH,
//	@@ …                        then lines with " ", "+" or "-", perhaps *** End of File
//	*** End Patch
//
// It returns one edit a hunk, in order, and every path that is touched, each once.
// The error is "" or says what is wrong, without a word of the patch.
//
// Versions of Codex read more loosely, and differ in how: some take a context line
// that holds a mark behind a blank for that mark, so that one patch touches one file
// here and two there. Only what all of them read alike is accepted.
func parsePatch(text string) ([]Edit, []string, string) {
	if len(text) > mostPatch {
		return nil, nil, "is too long a patch"
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		if lines[i] = strings.TrimSuffix(l, "\r"); strings.HasSuffix(lines[i], "\r") {
			return nil, nil, "is a patch that can be read in two ways"
		}
	}
	last := len(lines) - 1
	if last < 1 || lines[0] != beginPatch || lines[last] != endPatch {
		return nil, nil, "is not a whole patch"
	}
	p := patcher{lines: lines[1:last]}
	if id, ok := p.mark(environment); ok && id == "" {
		p.fault = "names no environment"
	}
	for p.fault == "" && len(p.lines) > 0 {
		p.file()
	}
	switch {
	case p.fault != "":
		return nil, nil, p.fault
	case len(p.edits) == 0:
		return nil, nil, "is a patch of nothing"
	}
	return p.edits, p.paths, ""
}

// patcher reads the lines between the first and the last.
type patcher struct {
	lines []string
	edits []Edit
	paths []string
	seen  map[string]bool
	fault string
}

func (p *patcher) fail(reason string) {
	if p.fault == "" {
		p.fault = reason
	}
}

// mark takes a line that begins with a mark off, and returns what follows it.
func (p *patcher) mark(m string) (string, bool) {
	if len(p.lines) == 0 {
		return "", false
	}
	rest, ok := strings.CutPrefix(p.lines[0], m)
	if !ok {
		return "", false
	}
	p.lines = p.lines[1:]
	return rest, true
}

// path checks a path and notes it.
func (p *patcher) path(s string) string {
	if s == "" || len(s) > mostPath || strings.TrimSpace(s) != s || strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f }) >= 0 {
		p.fail("is a patch of a file whose name cannot be read")
		return ""
	}
	if !p.seen[s] {
		if p.seen == nil {
			p.seen = make(map[string]bool)
		}
		p.seen[s] = true
		p.paths = append(p.paths, s)
	}
	return s
}

func (p *patcher) edit(e Edit) {
	if len(p.edits) == mostEdits {
		p.fail("is a patch of too many parts")
		return
	}
	p.edits = append(p.edits, e)
}

// file reads the part of one file.
func (p *patcher) file() {
	if name, ok := p.mark(addFile); ok {
		p.add(p.path(name))
	} else if name, ok := p.mark(deleteFile); ok {
		p.edit(Edit{Path: p.path(name), Delete: true})
	} else if name, ok := p.mark(updateFile); ok {
		p.update(p.path(name))
	} else {
		p.fail("is a patch with a line that belongs to no file")
	}
}

func (p *patcher) add(path string) {
	var b strings.Builder
	for len(p.lines) > 0 && strings.HasPrefix(p.lines[0], "+") {
		b.WriteString(p.lines[0][1:])
		b.WriteByte('\n')
		p.lines = p.lines[1:]
	}
	p.edit(Edit{Path: path, New: b.String(), Whole: true})
}

// update reads the hunks of one file. A file that is only moved has one edit without
// text.
func (p *patcher) update(path string) {
	target, moved := p.mark(moveTo)
	if moved {
		target = p.path(target)
	}
	before := len(p.edits)
	for p.fault == "" && len(p.lines) > 0 && !strings.HasPrefix(p.lines[0], "***") {
		p.hunk(Edit{Path: path, MoveTo: target})
	}
	if len(p.edits) == before {
		if !moved {
			p.fail("is a patch that changes nothing of a file")
		}
		p.edit(Edit{Path: path, MoveTo: target})
	}
}

// hunk reads one or more lines that say where, and the lines that change.
func (p *patcher) hunk(e Edit) {
	for len(p.lines) > 0 && (p.lines[0] == "@@" || strings.HasPrefix(p.lines[0], "@@ ")) {
		p.lines = p.lines[1:]
	}
	var old, now strings.Builder
	n := 0
	for ; len(p.lines) > 0; n++ {
		l := p.lines[0]
		sign := byte(' ')
		if l != "" {
			sign, l = l[0], l[1:]
		}
		switch sign {
		case '+':
			now.WriteString(l)
			now.WriteByte('\n')
		case '-':
			old.WriteString(l)
			old.WriteByte('\n')
		case ' ':
			if marked(l) {
				p.fail("is a patch that can be read in two ways")
				return
			}
			old.WriteString(l)
			old.WriteByte('\n')
			now.WriteString(l)
			now.WriteByte('\n')
		default:
			if n == 0 {
				p.fail("is a patch with a line that belongs to no hunk")
				return
			}
			if p.lines[0] == endOfFile {
				p.lines = p.lines[1:]
				if len(p.lines) > 0 && !strings.HasPrefix(p.lines[0], "@@") && !strings.HasPrefix(p.lines[0], "***") {
					p.fail("is a patch that goes on behind the end of a file")
				}
			}
			e.Old, e.New = old.String(), now.String()
			p.edit(e)
			return
		}
		p.lines = p.lines[1:]
	}
	if n == 0 {
		p.fail("is a patch with an empty hunk")
		return
	}
	e.Old, e.New = old.String(), now.String()
	p.edit(e)
}

// marked reports whether a line is a mark to a reader that takes white space off.
func marked(l string) bool {
	l = strings.TrimSpace(l)
	return slices.ContainsFunc(patchMarks, func(m string) bool { return strings.HasPrefix(l, strings.TrimSpace(m)) })
}

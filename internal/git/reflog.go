package git

import (
	"path/filepath"
	"strconv"
	"strings"
)

// reflog is the end of the log of HEAD, oldest first.
type reflog struct {
	moves []move
	whole bool // it is all of the log
}

// move is one entry: HEAD came to be at another commit.
type move struct {
	to   string // the commit, in hex
	at   int64  // UTC ms, as the one who moved it says
	text string // what Git wrote: an operation and words of anybody's
}

// log reads the log of HEAD.
func (p *repo) log() *reflog {
	if p.logged == nil {
		p.logged = readLog(filepath.Join(p.dir, "logs", "HEAD"))
	}
	return p.logged
}

func readLog(name string) *reflog {
	data, whole := tail(name, maxLog)
	l := &reflog{whole: whole}
	text := string(data)
	if !whole {
		_, text, _ = strings.Cut(text, "\n")
	}
	for line := range strings.SplitSeq(text, "\n") {
		if m, ok := parseMove(line); ok {
			l.moves = append(l.moves, m)
		}
	}
	return l
}

// parseMove reads "OLD NEW NAME <MAIL> SECONDS ZONE\tTEXT".
func parseMove(line string) (m move, ok bool) {
	who, text, _ := strings.Cut(line, "\t")
	ids := strings.SplitN(who, " ", 3)
	if len(ids) < 3 || !isName(ids[0]) || !isName(ids[1]) {
		return m, false
	}
	stamp := strings.Fields(ids[2][strings.LastIndexByte(ids[2], '>')+1:])
	if len(stamp) == 0 {
		return m, false
	}
	seconds, err := strconv.ParseInt(stamp[0], 10, 64)
	if err != nil || seconds < 0 || seconds > 1<<40 {
		return m, false
	}
	return move{to: ids[1], at: seconds * 1000, text: text}, true
}

// last is the newest entry; nil where there is none.
func (l *reflog) last() *move {
	if len(l.moves) == 0 {
		return nil
	}
	return &l.moves[len(l.moves)-1]
}

// verbs are the operations that are named.
var verbs = map[string]bool{
	"am": true, "checkout": true, "cherry-pick": true, "clone": true, "commit": true, "merge": true, "pull": true, "rebase": true, "reset": true, "revert": true,
}

// verb is the operation of an entry; empty where it is not a known one.
func (m *move) verb() string {
	if m.text == "initial pull" {
		return "pull"
	}
	end := strings.IndexAny(m.text, ": (")
	if end < 0 || !verbs[m.text[:end]] {
		return ""
	}
	return m.text[:end]
}

// verb is the newest operation.
func (l *reflog) verb() string {
	if m := l.last(); m != nil {
		return m.verb()
	}
	return ""
}

// foreignTree reports whether a whole tree came from elsewhere, and nobody has made it
// their own by a commit.
func (l *reflog) foreignTree() bool {
	came := false
	for _, m := range l.moves {
		switch m.verb() {
		case "commit":
			return false
		case "clone", "pull":
			came = true
		}
	}
	return came && l.whole
}

// foreign reports whether somebody else's commits were brought in since a time, UTC ms.
func (l *reflog) foreign(since int64, p *repo) bool {
	for _, m := range l.moves {
		if m.at >= since && m.foreign(p) {
			return true
		}
	}
	return false
}

// foreign reports whether an entry brought in somebody else's commits: Git took them from
// elsewhere, or HEAD moved to a branch of elsewhere.
func (m *move) foreign(p *repo) bool {
	verb := m.verb()
	op, rest, _ := strings.Cut(m.text, ": ")
	switch verb {
	case "am", "clone", "pull":
		return true
	case "merge":
		for name := range strings.FieldsSeq(strings.TrimPrefix(op, "merge")) {
			if p.remote(name) {
				return true
			}
		}
	case "checkout", "rebase", "reset":
		to := rest[strings.LastIndexByte(rest, ' ')+1:]
		return p.remote(to) || p.fromElsewhere(to)
	}
	return false
}

// fromElsewhere reports whether a branch here is one of elsewhere to which nothing was
// added.
func (p *repo) fromElsewhere(branch string) bool {
	ref := "refs/heads/" + branch
	if !plainRef(ref) {
		return false
	}
	m := readLog(filepath.Join(p.common, "logs", filepath.FromSlash(ref))).last()
	if m == nil {
		return false
	}
	from, ok := strings.CutPrefix(m.text, "branch: Created from ")
	return ok && p.remote(from)
}

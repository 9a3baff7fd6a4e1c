// Package git tells from a repository as it lies on disk whether Git brought the bytes of
// a file, by which operation and of whose commits.
//
// It runs no program and reads no configuration, so there is nothing by which a hostile
// repository could have something run: no hook, no filter, no file system monitor, no
// alternate. It reads the index, the log of HEAD, the names of objects and the names of
// references; never a word of a file, a message or a branch goes out. All reads are
// bounded, and what cannot be read is no explanation.
//
// An explanation is for people. It raises no trust: who can write a file can write a
// repository too. It can only lower it, where the bytes came with somebody else's commits.
package git

import (
	"path/filepath"
	"strings"
)

// Kept is where a repository has the bytes of a file. The zero value is nowhere.
type Kept uint8

const (
	Nowhere Kept = iota
	Stored       // as an object of any name: a stash, an older commit, something that was added
	Indexed      // as the file's own entry of the index, which is what was checked out
)

// Account is what a repository says of the bytes of a file. The zero value says nothing.
type Account struct {
	Kept    Kept
	Ends    bool   // what is kept has other line ends
	Foreign bool   // somebody else's commits were brought in since
	Verb    string // the last operation on HEAD, of a fixed list; empty: another one, or not known
	Commit  string // the commit of HEAD, in hex; empty: none
}

// Explained reports whether Git has the bytes.
func (a Account) Explained() bool { return a.Kept != Nowhere }

// shortCommit is how much of a commit's name is shown.
const shortCommit = 7

// String says where the bytes are, in words that have nothing of the repository's own but
// a hexadecimal number: "as in git (checkout, commit 0123abc)".
func (a Account) String() string {
	var at []string
	where := "as in git"
	switch a.Kept {
	case Nowhere:
		return ""
	case Stored:
		where = "kept by git in a stash or another version"
	case Indexed:
		if a.Verb != "" {
			at = append(at, a.Verb)
		}
		if len(a.Commit) >= shortCommit {
			at = append(at, "commit "+a.Commit[:shortCommit])
		}
	}
	if a.Ends {
		at = append(at, "but for line ends")
	}
	if len(at) == 0 {
		return where
	}
	return where + " (" + strings.Join(at, ", ") + ")"
}

// Reader reads repositories, each once: it is for one look at files. The zero value is
// ready. It is not for concurrent use.
type Reader struct {
	repos map[string]*repo // by the folder of a file; nil: it lies in none
}

// Explain says what the repository that a file lies in says of its bytes. The name is
// absolute and slash separated, with links resolved. Since is when the file was last
// known, UTC ms; 0 asks only whether a whole tree came from elsewhere: a clone in which
// nothing was committed.
func (r *Reader) Explain(name string, data []byte, since int64) Account {
	p := r.repo(filepath.Dir(filepath.FromSlash(name)))
	if p == nil || data == nil {
		return Account{}
	}
	log := p.log()
	if since == 0 && !log.foreignTree() {
		return Account{}
	}
	a := Account{Verb: log.verb(), Commit: p.head()}
	e, tracked := p.entry(name)
	for i, form := range ends(data) {
		id := p.hash(form)
		if tracked && e.id == id {
			a.Kept, a.Ends = Indexed, i > 0
			break
		}
		if since > 0 && a.Kept == Nowhere && p.has(id) {
			a.Kept, a.Ends = Stored, i > 0
		}
	}
	switch {
	case since == 0:
		a.Foreign = tracked
	case tracked && (a.Kept == Indexed || e.written >= since-slack):
		a.Foreign = log.foreign(since-slack, p)
	}
	return a
}

// slack is by how much clocks and file systems round, in ms.
const slack = 2000

// ends are the bytes as they are and, where that differs, with every line end changed as
// core.autocrlf does it.
func ends(data []byte) [][]byte {
	s := string(data)
	forms := [][]byte{data}
	if lf := strings.ReplaceAll(s, "\r\n", "\n"); lf != s {
		return append(forms, []byte(lf))
	} else if crlf := strings.ReplaceAll(s, "\n", "\r\n"); crlf != s {
		return append(forms, []byte(crlf))
	}
	return forms
}

package hosts

import (
	"strings"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// cursorTools are the tools of Cursor by the names that its hooks show, the names of
// Claude Code for the entries of its settings, and those that its models know them by.
// Their arguments are not documented and differ between versions and models, so each
// is read under the names that are known; a call that names no file or says nothing of
// what it writes is refused, because a guarded file could be meant.
var cursorTools = []tool{
	{"Read", Read, readAnyFile},
	{"ReadFile", Read, readAnyFile},
	{"Grep", Search, readAnySearch},
	{"Glob", Search, readAnySearch},
	{"List", Search, readAnySearch},
	{"LS", Search, readAnySearch},
	{"SemanticSearch", Search, readAnySearch},
	{"ReadLints", Search, nil},
	{"Write", Write, readAnyWrite},
	{"Edit", EditFile, readAnyWrite},
	{"StrReplace", EditFile, readAnyWrite},
	{"MultiEdit", EditFile, readAnyWrite},
	{"Delete", Write, readDelete},
	{"ApplyPatch", Patch, readAnyPatch},
	{"EditNotebook", Notebook, readAnyNotebook},
	{"NotebookEdit", Notebook, readNotebook},
	{"Shell", Shell, readAnyShell},
	{"Bash", Shell, readAnyShell},
	{"WriteShellStdin", ShellIO, readStdin},
	{"WebFetch", Web, readURL},
	{"Fetch", Web, readURL},
	{"WebSearch", WebSearch, readAnyQuery},
	{"FetchMcpResource", MCPResource, readResource},
	{"ListMcpResources", MCPResource, readResourceList},
	{"Task", SubAgent, readInvoke},
	{"AskQuestion", Question, nil},
	{"TodoWrite", Plan, nil},
	{"SwitchMode", Plan, nil},
	{"CreatePlan", Plan, nil},
}

// one returns the name under which one of several fields stands; the first where none
// does. Two that differ are two readings of one call.
func (r *reader) one(keys ...string) string {
	found, first := "", strictjson.Value{}
	for _, key := range keys {
		v, ok := r.get(key, optional)
		switch {
		case !ok:
		case found == "":
			found, first = key, v
		case string(canonical(v)) != string(canonical(first)):
			r.fail(key, "stands beside "+found+" and says something else")
		}
	}
	if found == "" {
		return keys[0]
	}
	return found
}

// anyPath is the name under which the file of a call stands.
func (r *reader) anyPath() string {
	return r.one("file_path", "path", "target_file", "filePath", "target_notebook")
}

func readAnyFile(r *reader, t *Tool) { t.Paths = r.paths(r.anyPath(), required) }

func readAnySearch(r *reader, t *Tool) {
	t.Paths = r.paths(r.one("path", "target_directory", "dir_path", "directory"), optional)
	t.Query = r.text(r.one("pattern", "glob_pattern", "query"), optional)
}

func readAnyQuery(r *reader, t *Tool) { t.Query = r.text(r.one("query", "search_term"), required) }

// readAnyWrite reads a whole file, one replacement or a list of them.
func readAnyWrite(r *reader, t *Tool) {
	key := r.anyPath()
	t.Paths = r.paths(key, required)
	path := r.path(key, required)
	whole := r.one("content", "contents", "old_string", "edits")
	switch v, ok := r.get(whole, required); {
	case !ok:
	case whole == "old_string":
		t.Edits = []Edit{oneEdit(r, path)}
	case whole != "edits":
		t.Edits = []Edit{{Path: path, New: r.text(whole, required), Whole: true}}
	case v.Kind() != strictjson.KindArray || v.Len() == 0 || v.Len() > mostEdits:
		r.fail("edits", "is not a list of edits, an empty one, or too long a one")
	default:
		for _, e := range v.Elements() {
			in := newReader(e, r.prefix+"edits.")
			t.Edits = append(t.Edits, oneEdit(in, path))
			r.join(in)
		}
	}
}

func readDelete(r *reader, t *Tool) {
	readAnyFile(r, t)
	for _, path := range t.Paths {
		t.Edits = []Edit{{Path: path, Delete: true}}
	}
}

func readAnyPatch(r *reader, t *Tool) {
	key := r.one("patch", "input", "command")
	edits, paths, err := parsePatch(r.text(key, required))
	if err != "" {
		r.fail(key, err)
		return
	}
	t.Edits, t.Paths = edits, paths
}

func readAnyNotebook(r *reader, t *Tool) {
	readAnyFile(r, t)
	text := r.text(r.one("new_string", "new_source"), required)
	for _, path := range t.Paths {
		t.Edits = []Edit{{Path: path, Old: r.text("old_string", optional), New: text}}
	}
}

// readAnyShell reads a command that runs in a directory of its own.
func readAnyShell(r *reader, t *Tool) {
	dir := r.path(r.one("working_directory", "cwd"), optional)
	t.Command = inDir(dir, r.text("command", required))
	if windowsPath(strings.TrimPrefix(dir, "/")) {
		t.Shell = PowerShell
	}
}

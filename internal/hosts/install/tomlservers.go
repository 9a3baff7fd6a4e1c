package install

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// splice replaces data[start:end].
type splice struct {
	start, end int
	text       string
}

// tomlEdit collects what changes in a TOML file.
type tomlEdit struct {
	*toml
	splices []splice
}

func (e *tomlEdit) put(start, end int, text string) {
	e.splices = append(e.splices, splice{start, end, text})
}

// apply returns the edited file.
func (e *tomlEdit) apply() []byte {
	slices.SortStableFunc(e.splices, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	out := []byte{} // never nil: nil would take an empty file away
	at := 0
	for _, s := range e.splices {
		out = append(out, e.data[at:s.start]...)
		out = append(out, s.text...)
		at = s.end
	}
	return append(out, e.data[at:]...)
}

// servers finds the servers of [mcp_servers.NAME], in the order of the file.
func (e *tomlEdit) servers() ([]server, error) {
	type found struct{ command, args, url *tomlEntry }
	all := make(map[string]*found)
	var names []string
	for i := range e.entries {
		entry := &e.entries[i]
		if entry.path[0] != "mcp_servers" {
			continue
		}
		if len(entry.path) < 3 {
			if entry.value.kind != '{' {
				return nil, e.fail(entry.value.start, quote(strings.Join(entry.path, "."))+" is not a table")
			}
			continue
		}
		name := entry.path[1]
		f := all[name]
		if f == nil {
			f = new(found)
			all[name] = f
			names = append(names, name)
		}
		if len(entry.path) > 3 {
			continue
		}
		switch entry.path[2] {
		case "command":
			f.command = entry
		case "args":
			f.args = entry
		case "url":
			f.url = entry
		}
	}
	var out []server
	for _, name := range names {
		f := all[name]
		if f.command == nil {
			if f.url != nil {
				out = append(out, server{name: name, remote: true})
			}
			continue
		}
		if f.command.value.kind != '"' {
			return nil, e.fail(f.command.value.start, `"command" of server `+quote(name)+" is not a string")
		}
		argv := []string{f.command.value.text}
		if f.args != nil {
			if f.args.value.kind != '[' {
				return nil, e.fail(f.args.value.start, `"args" of server `+quote(name)+" is not an array")
			}
			for _, item := range f.args.value.items {
				if item.kind != '"' {
					return nil, e.fail(item.start, `"args" of server `+quote(name)+" is not an array of strings")
				}
				argv = append(argv, item.text)
			}
		}
		out = append(out, server{name: name, argv: argv, edit: tomlServer{e, f.command, f.args}})
	}
	return out, nil
}

// tomlServer edits a server in place, as jsonServer does.
type tomlServer struct {
	e             *tomlEdit
	command, args *tomlEntry
}

func (s tomlServer) raw(v tomlValue) string { return string(s.e.data[v.start:v.end]) }

func (s tomlServer) setCommand(raw string) {
	s.e.put(s.command.value.start, s.command.value.end, raw)
}

func (s tomlServer) wrap(gateway []string) {
	var front []string
	for _, w := range gateway[1:] {
		front = append(front, tomlString(w))
	}
	list := strings.Join(append(front, s.raw(s.command.value)), ", ")
	s.setCommand(tomlString(gateway[0]))
	switch {
	case s.args == nil:
		// A blank after the bracket tells that there was no list. It goes before the
		// command, whose line may end with a comment.
		prefix := string(s.e.data[s.command.key:s.command.last])
		s.e.put(s.command.key, s.command.key, prefix+"args = [ "+list+" ]"+s.separator())
	case len(s.args.value.items) == 0:
		at := s.args.value.start + 1
		s.e.put(at, at, list)
	default:
		at := s.args.value.items[0].start
		s.e.put(at, at, list+", ")
	}
}

// separator is what wrap writes between the list that it makes and the command.
func (s tomlServer) separator() string {
	if s.command.inline {
		return ", "
	}
	newline := "\n"
	if i := bytes.IndexByte(s.e.data, '\n'); i > 0 && s.e.data[i-1] == '\r' {
		newline = "\r\n"
	}
	line := bytes.LastIndexByte(s.e.data[:s.command.key], '\n') + 1
	if line == 0 && bytes.HasPrefix(s.e.data, []byte(bom)) {
		line = len(bom)
	}
	return newline + string(s.e.data[line:s.command.key])
}

func (s tomlServer) unwrap(n int) {
	v := s.args.value
	s.setCommand(s.raw(v.items[n-1]))
	if len(v.items) > n {
		s.e.put(v.items[0].start, v.items[n].start, "")
		return
	}
	if v.end <= s.command.key && s.e.data[v.start+1] == ' ' && string(s.e.data[v.end:s.command.key]) == s.separator() {
		s.e.put(s.args.key, s.command.key, "")
		return
	}
	end := v.items[n-1].end
	if tail := bytes.TrimLeft(s.e.data[end:v.end], " \t\r\n"); len(tail) > 0 && tail[0] == ',' {
		end = v.end - len(tail) + 1
	}
	s.e.put(v.start+1, end, "")
}

func (s tomlServer) replace(n int, by []string) {
	var front []string
	for _, w := range by[1:] {
		front = append(front, tomlString(w))
	}
	s.setCommand(tomlString(by[0]))
	items := s.args.value.items
	s.e.put(items[0].start, items[n-2].end, strings.Join(front, ", "))
}

// tomlString renders a basic string.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

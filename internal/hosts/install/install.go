package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
)

// Change is one file and what becomes of it.
type Change struct {
	File   string
	Before []byte
	After  []byte // nil: the file goes away, because we made it and nothing else is in it
	Exists bool   // whether there was a file; an empty one is not nil
	Within string // the directory that the real file must lie in, after symbolic links; "" is any
	Notes  []string
}

// Changed reports whether the file becomes another. A Change that only bears notes does not.
func (c Change) Changed() bool {
	return c.Exists != (c.After != nil) || !bytes.Equal(c.Before, c.After)
}

// Install says how the host's settings come to have our hooks, and its servers the
// gateway. Read returns a file's bytes or an error that is fs.ErrNotExist; nothing else
// is read or written. Files that stay as they are give no Change, unless there is
// something to note. An [*Error] names a file that a person has to correct.
func (h Host) Install(read func(path string) ([]byte, error), s Scope, home, project string, o Options) ([]Change, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	settings, servers, err := h.files(s, home, project)
	if err != nil {
		return nil, err
	}
	var out changes
	if err := out.edit(read, settings, within(s, project), func(name string, data []byte) ([]byte, []string, error) {
		d, err := parse(name, data)
		if err != nil {
			return nil, nil, err
		}
		if err := h.installHooks(d, o); err != nil {
			return nil, nil, err
		}
		after := d.pack()
		if _, err := parse(name, after); err != nil {
			return nil, nil, broken(name, after, err)
		}
		var notes []string
		if h.note != "" && !bytes.Equal(data, after) {
			notes = []string{h.note}
		}
		return after, notes, nil
	}); err != nil {
		return nil, err
	}
	if o.Gateway == nil {
		return out, nil
	}
	met := make(map[string]bool)
	if err := out.edit(read, servers, within(s, project), func(name string, data []byte) ([]byte, []string, error) {
		var notes []string
		after, err := h.editServers(name, data, func(list []server) { notes, met = h.wrapServers(list, s, o) })
		return after, append(notes, h.alikeNotes(name, after, s, o)...), err
	}); err != nil {
		return nil, err
	}
	if err := checkOnly(o.Only, met, servers); err != nil {
		return nil, err
	}
	return out, nil
}

// Remove says how the host's settings lose what Install put in, and nothing else.
func (h Host) Remove(read func(path string) ([]byte, error), s Scope, home, project string) ([]Change, error) {
	settings, servers, err := h.files(s, home, project)
	if err != nil {
		return nil, err
	}
	var out changes
	if err := out.edit(read, settings, within(s, project), func(name string, data []byte) ([]byte, []string, error) {
		if data == nil {
			return nil, nil, nil
		}
		d, err := parse(name, data)
		if err != nil {
			return nil, nil, err
		}
		if d.blank {
			return data, nil, nil
		}
		h.removeHooks(d)
		return d.pack(), nil, nil
	}); err != nil {
		return nil, err
	}
	if err := out.edit(read, servers, within(s, project), func(name string, data []byte) ([]byte, []string, error) {
		after, err := h.editServers(name, data, unwrapServers)
		return after, nil, err
	}); err != nil {
		return nil, err
	}
	return out, nil
}

func within(s Scope, project string) string {
	if s == Project {
		return project
	}
	return ""
}

// editServers edits the servers of a file, if there are any.
func (h Host) editServers(name string, data []byte, edit func([]server)) ([]byte, error) {
	if data == nil {
		return nil, nil
	}
	if h.toml {
		t, err := parseTOML(name, data)
		if err != nil {
			return nil, err
		}
		e := &tomlEdit{toml: t}
		list, err := e.servers()
		if err != nil {
			return nil, err
		}
		edit(list)
		after := e.apply()
		if _, err := parseTOML(name, after); err != nil {
			return nil, broken(name, after, err)
		}
		return after, nil
	}
	d, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	if d.blank {
		return data, nil
	}
	list, err := d.jsonServers(h.nested)
	if err != nil {
		return nil, err
	}
	edit(list)
	after := d.pack()
	if _, err := parse(name, after); err != nil {
		return nil, broken(name, after, err)
	}
	return after, nil
}

// broken is a refusal of our own work: it is read again before anybody writes it.
func broken(name string, after []byte, err error) error {
	if len(after) > MaxFile {
		return &Error{File: name, Problem: fmt.Sprintf("with our entries it would have more than %d bytes", MaxFile), Advice: "make it smaller and run the command again; nothing was written"}
	}
	return fmt.Errorf("install: the edited file would be broken: %w", err)
}

// changes are collected one file at a time.
type changes []Change

func (c *changes) edit(read func(string) ([]byte, error), name, within string, edit func(string, []byte) ([]byte, []string, error)) error {
	for i := range *c {
		if before := &(*c)[i]; before.File == name {
			// A file that holds hooks and servers is one change.
			after, notes, err := edit(name, before.After)
			before.After, before.Notes = after, append(before.Notes, notes...)
			return err
		}
	}
	data, err := load(read, name)
	if err != nil {
		return err
	}
	after, notes, err := edit(name, data)
	if err != nil {
		return err
	}
	change := Change{File: name, Before: data, After: after, Exists: data != nil, Within: within, Notes: notes}
	if change.Changed() || len(notes) > 0 {
		*c = append(*c, change)
	}
	return nil
}

// load reads a file; nil is one that does not exist.
func load(read func(string) ([]byte, error), name string) ([]byte, error) {
	data, err := read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("install: cannot read %s: %w", name, err)
	case data == nil:
		return []byte{}, nil
	}
	return data, nil
}

package install

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// State is what a host's settings say of us. Its zero value is a host without hooks.
type State struct {
	Hooks    []Hook   // ours, in the order of the file
	Missing  []string // events that the guard needs and no hook of ours hears of
	Doubled  []string // events that more than one of ours hears of: each tells the guard
	Switches []Switch // settings that keep hooks from running
	Servers  []Server
	Memories bool   // the host writes memories by itself, also of sessions that read from outside
	Variable string // what the variable that keeps @file mentions guarded is set to; "" is not
}

// Hook is one entry of ours.
type Hook struct {
	File, Event string
	Matcher     string   // of its group; it may be shared with others
	Command     string   // the program in the exec form, else the shell's command line
	Args        []string // of the program; in a shell's command line up to its first operator
	Program     string   // the path of the program, for a look whether it is there
	ExecForm    bool
	Gate        bool // its event is one that must not go on where the hook fails
	Blocks      bool // a failure of the hook blocks, as far as its entry can say so
	Narrow      bool // its group matches only some of what the event tells
	Stale       bool // it is not what Install would write: another path, home or form
}

// Flag returns the value of a flag in the hook's arguments; "" where it has none.
func (h Hook) Flag(name string) string { return flagOf(h.Args, name) }

// Flag returns the value of a flag of the server's gateway; "" where it has none.
func (s Server) Flag(name string) string { return flagOf(s.Gateway, name) }

// Home is the home that the server's gateway, or our own server, is told of; empty: the
// default one, or there is neither.
func (s Server) Home() string {
	if s.Own {
		return flagOf(s.Command, "home")
	}
	return flagOf(s.Gateway, "home")
}

// Sources reports whether its gateway observes what it returns and decides nothing.
func (s Server) Sources() bool {
	return s.Gateway != nil && cmp.Or(s.Flag("profile"), sourceProfile) == sourceProfile
}

// Switch is a setting that keeps hooks from running.
type Switch struct {
	File, Key string
}

// Server is one MCP server.
type Server struct {
	File, Name string
	Scope      Scope
	Project    string   // the directory that it is for, where the file has several
	Remote     bool     // it is reached over the network, where no gateway can stand
	Gateway    []string // what stands before it; nil: it is not wrapped
	Stale      bool     // the gateway is not the wanted one
	Hidden     bool     // its gateway decides writes, and the hook cannot find it by its name
	Profile    string   // by which a proxy reads what its command starts; empty: nobody knows it
	Unknown    bool     // it looks like a memory server, and nobody knows it
	Decides    bool     // what is written there is decided behind that name
	Own        bool     // it is our own memory server; Hidden: the hook cannot find it by its name
	Command    []string // its own command line
}

// Covered reports whether every event that the guard needs reaches it, by a hook as
// Install writes it, and nothing that was found keeps hooks from running.
func (s State) Covered() bool {
	bad := func(h Hook) bool { return h.Stale || h.Narrow }
	return len(s.Hooks) > 0 && len(s.Missing) == 0 && len(s.Switches) == 0 && !slices.ContainsFunc(s.Hooks, bad)
}

// State reads what is installed. Options say what should be; with the zero ones
// nothing is stale. A file that cannot be read is part of the error, which joins one
// for each; the State is of the others.
func (h Host) State(read func(path string) ([]byte, error), s Scope, home, project string, o Options) (State, error) {
	settings, servers, err := h.files(s, home, project)
	if err != nil {
		return State{}, err
	}
	if o.Binary != "" {
		if err := o.check(); err != nil {
			return State{}, err
		}
	}
	var st State
	var errs []error
	if d, err := readDocument(read, settings); err != nil {
		errs = append(errs, err)
	} else if d != nil {
		h.hookState(&st, d, o)
	}
	for _, e := range h.events {
		n := 0
		for _, k := range st.Hooks {
			if k.Event == e.name && !k.Narrow {
				n++
			}
		}
		if n == 0 {
			st.Missing = append(st.Missing, e.name)
		} else if n > 1 {
			st.Doubled = append(st.Doubled, e.name)
		}
	}
	if err := h.serverState(&st, read, s, servers, o); err != nil {
		errs = append(errs, err)
	}
	for _, name := range h.switches(home, project) {
		if !filepath.IsAbs(name) { // of another system, or of no project
			continue
		}
		if err := h.switchState(&st, read, name); err != nil && name != settings && name != servers {
			errs = append(errs, err)
		}
	}
	return st, errors.Join(errs...)
}

func readDocument(read func(string) ([]byte, error), name string) (*document, error) {
	data, err := load(read, name)
	if err != nil || data == nil {
		return nil, err
	}
	return parse(name, data)
}

func (h Host) hookState(st *State, d *document, o Options) {
	lists := h.eventLists(d)
	own := variableIsOurs(lists)
	for _, l := range lists {
		i := slices.IndexFunc(h.events, func(e event) bool { return e.name == l.name })
		for _, p := range l.ours {
			group := &l.groups.Elements[p.group]
			v := l.at(p)
			k := Hook{File: d.name, Event: l.name, Command: text(commandOf(v).Value), Program: handlerProgram(v), Narrow: !matchesAll(group), Gate: i >= 0 && h.events[i].gate}
			if m := member(group, "matcher"); m != nil {
				k.Matcher = text(m.Value)
			}
			if k.Args, k.ExecForm = texts(member(v, "args")); !k.ExecForm {
				k.Args = restWords(k.Command)
			}
			if f := member(v, "onFailure"); f != nil {
				k.Blocks = text(f.Value) == "block"
			}
			if f := member(v, "failClosed"); f != nil {
				k.Blocks = literal(f) == "true"
			}
			for _, answer := range []string{copilotDeny, copilotBlock} {
				k.Blocks = k.Blocks || strings.HasSuffix(k.Command, " || echo '"+answer+"'")
			}
			k.Blocks = k.Blocks || !k.ExecForm && (strings.HasSuffix(k.Command, shellBlock) || strings.HasSuffix(k.Command, powerBlock))
			if o.Binary != "" {
				k.Stale = i < 0 || !same(v, h.fields(o, h.events[i], own && i == 0))
			}
			st.Hooks = append(st.Hooks, k)
		}
	}
	if env := member(&d.root, "env"); env != nil && h.variable != "" {
		if v := member(env, h.variable); v != nil {
			st.Variable = text(v.Value)
		}
	}
}

func (h Host) serverState(st *State, read func(string) ([]byte, error), s Scope, name string, o Options) error {
	data, err := load(read, name)
	if err != nil || data == nil {
		return err
	}
	var list []server
	if h.toml {
		t, err := parseTOML(name, data)
		if err != nil {
			return err
		}
		st.Memories = t.literal("features", "memories") == "true" && t.literal("memories", "generate_memories") != "false" &&
			t.literal("memories", "disable_on_external_context") != "true"
		if list, err = (&tomlEdit{toml: t}).servers(); err != nil {
			return err
		}
	} else {
		d, err := parse(name, data)
		if err != nil {
			return err
		}
		if h.memories != nil {
			st.Memories = h.memories(d)
		}
		if list, err = d.jsonServers(h.nested); err != nil {
			return err
		}
	}
	for _, v := range list {
		n := gatewayLen(v.argv)
		server := Server{File: name, Name: v.name, Scope: s, Project: v.project, Remote: v.remote, Command: v.argv[n:]}
		server.Profile = o.profileOf(server.Command)
		server.Unknown = server.Profile == "" && looksLikeMemory(v.name, server.Command)
		if server.Own = own(s, v.argv, o.Gateway); server.Own {
			server.Hidden = cmp.Or(flagOf(v.argv, "name"), ownName) != spelt(v.name)
		}
		if n > 0 {
			server.Gateway = v.argv[:n]
			server.Hidden = h.hides(v.name, server.Gateway)
			server.Stale = o.Gateway != nil && !keeps(s, server.Gateway, o.gatewayFor(v.name, server.Command))
		}
		server.Decides = !server.Hidden && (server.Own || n > 0 && !server.Sources())
		st.Servers = append(st.Servers, server)
	}
	return nil
}

// switchState looks for settings that keep hooks from running.
func (h Host) switchState(st *State, read func(string) ([]byte, error), name string) error {
	if strings.HasSuffix(name, ".toml") {
		data, err := load(read, name)
		if err != nil || data == nil {
			return err
		}
		t, err := parseTOML(name, data)
		if err != nil {
			return err
		}
		for _, e := range t.entries {
			switch key := strings.Join(e.path, "."); {
			case key == "features.hooks" && e.value.text != "true",
				key == "allow_managed_hooks_only" && e.value.text != "false":
				st.Switches = append(st.Switches, Switch{name, key})
			}
		}
		return nil
	}
	d, err := readDocument(read, name)
	if err != nil || d == nil {
		return err
	}
	if h.off != nil {
		for _, key := range h.off(h, d) {
			st.Switches = append(st.Switches, Switch{name, key})
		}
		return nil
	}
	for _, key := range []string{"disableAllHooks", "allowManagedHooksOnly"} {
		v := member(&d.root, key)
		if v == nil {
			continue
		}
		if lit, ok := v.Value.(hujson.Literal); !ok || string(lit) != "false" {
			st.Switches = append(st.Switches, Switch{name, key})
		}
	}
	return nil
}

package install

import (
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// server is one MCP server in a host's settings.
type server struct {
	name    string
	project string // the directory that it is for, where the file has several
	argv    []string
	remote  bool // it is reached over the network; argv is empty
	edit    edits
}

// edits change a server where it stands. Both are right only for the state in which it
// was read.
type edits interface {
	wrap(gateway []string)
	unwrap(words int)               // takes that many words off the front
	replace(words int, by []string) // replaces them
}

// label names a server for people.
func (s server) label() string {
	if s.project == "" {
		return "server " + quote(s.name)
	}
	return "server " + quote(s.name) + " of " + quote(s.project)
}

// wrapServers puts the gateway before the servers that are to have it. Wanted are the
// names in Options.Only that were met.
func (h Host) wrapServers(servers []server, s Scope, o Options) (notes []string, met map[string]bool) {
	met = make(map[string]bool)
	for _, v := range servers {
		if o.Only != nil && !slices.Contains(o.Only, v.name) {
			continue
		}
		if v.remote {
			note := v.label() + " is reached over the network: no gateway was put before it"
			if looksLikeMemory(v.name, nil) {
				note += ", so what is saved there is not kept apart by who said it; a bridge that speaks stdio can stand behind one"
			}
			notes = append(notes, note)
			continue
		}
		met[v.name] = true
		if own(s, v.argv, o.Gateway) {
			continue
		}
		n := gatewayLen(v.argv)
		want := o.gatewayFor(v.name, v.argv[n:])
		switch {
		case n == 0:
			v.edit.wrap(want)
		case slices.Equal(v.argv[:n], want):
		case keeps(s, v.argv[:n], want):
			notes = append(notes, v.label()+" keeps its own flags of the gateway")
		default:
			v.edit.replace(n, want)
			notes = append(notes, v.label()+" had another gateway, which was replaced")
		}
		if n == 0 && flagOf(want, "profile") == sourceProfile && looksLikeMemory(v.name, v.argv) {
			notes = append(notes, v.label()+" looks like a memory server, and no profile says that it is one: what is saved there is not kept apart by who said it; "+learnAdvice(v.name))
		}
		if n == 0 && h.hides(v.name, want) {
			advice := adviceName
			if h.joined {
				advice = adviceJoin
			}
			notes = append(notes, v.label()+" has a name under which the hook does not find its gateway, so what is written there is held: "+advice)
		}
	}
	return notes, met
}

func unwrapServers(servers []server) {
	for _, v := range servers {
		if n := gatewayLen(v.argv); n > 0 {
			v.edit.unwrap(n)
		}
	}
}

// jsonServers finds the servers of a document: mcpServers at the top and, where nested,
// in projects.<path>.
func (d *document) jsonServers(nested bool) ([]server, error) {
	out, err := d.serversIn(&d.root, "")
	if err != nil || !nested {
		return out, err
	}
	projects := member(&d.root, "projects")
	if projects == nil {
		return out, nil
	}
	obj, ok := projects.Value.(*hujson.Object)
	if !ok {
		return nil, d.wrongType(projects, `"projects"`, "an object")
	}
	for i := range obj.Members {
		more, err := d.serversIn(&obj.Members[i].Value, text(obj.Members[i].Name.Value))
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

func (d *document) serversIn(v *hujson.Value, project string) ([]server, error) {
	list := member(v, "mcpServers")
	if list == nil {
		return nil, nil
	}
	obj, ok := list.Value.(*hujson.Object)
	if !ok {
		return nil, d.wrongType(list, `"mcpServers"`, "an object")
	}
	var out []server
	for i := range obj.Members {
		s, err := d.serverOf(text(obj.Members[i].Name.Value), &obj.Members[i].Value)
		if err != nil {
			return nil, err
		}
		s.project = project
		out = append(out, s)
	}
	return out, nil
}

func (d *document) serverOf(name string, v *hujson.Value) (server, error) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return server{}, d.wrongType(v, "server "+quote(name), "an object")
	}
	kind, command := member(v, "type"), member(v, "command")
	if command == nil || kind != nil && remoteKinds[text(kind.Value)] {
		return server{name: name, remote: true}, nil
	}
	if !isText(command.Value) {
		return server{}, d.wrongType(command, `"command" of server `+quote(name), "a string")
	}
	argv := []string{text(command.Value)}
	if args := member(v, "args"); args != nil {
		list, ok := texts(args)
		if !ok {
			return server{}, d.wrongType(args, `"args" of server `+quote(name), "a list of strings")
		}
		argv = append(argv, list...)
	}
	return server{name: name, argv: argv, edit: jsonServer{d, obj}}, nil
}

// remoteKinds are the types of servers whose command, if they have one, is not run. Any
// other type is taken for stdio: a gateway too many harms less than one too few.
var remoteKinds = map[string]bool{"http": true, "sse": true, "ws": true, "streamable-http": true}

// jsonServer edits a server in place. The words of its own command line stay the bytes
// that they were.
type jsonServer struct {
	d   *document
	obj *hujson.Object
}

func (j jsonServer) command() *hujson.Value { return &j.obj.Members[index(j.obj, "command")].Value }

func (j jsonServer) args() *hujson.Array {
	i := index(j.obj, "args")
	if i < 0 {
		return nil
	}
	return j.obj.Members[i].Value.Value.(*hujson.Array)
}

// words renders words that follow each other in a list; the first has nothing before it.
func words(list []string) []hujson.Value {
	var out []hujson.Value
	for i, w := range list {
		v := hujson.Value{Value: hujson.String(w)}
		if i > 0 {
			v.BeforeExtra = hujson.Extra(" ")
		}
		out = append(out, v)
	}
	return out
}

func (j jsonServer) wrap(gateway []string) {
	command := j.command()
	front := words(gateway[1:])
	front = append(front, hujson.Value{BeforeExtra: hujson.Extra(" "), Value: command.Value})
	command.Value = hujson.String(gateway[0])
	if args := j.args(); args != nil {
		if len(args.Elements) > 0 {
			front[0].BeforeExtra = args.Elements[0].BeforeExtra
			args.Elements[0].BeforeExtra = hujson.Extra(" ")
		}
		args.Elements = append(front, args.Elements...)
		return
	}
	// A space after the bracket tells that there was no list.
	front[0].BeforeExtra = hujson.Extra(" ")
	i := index(j.obj, "command")
	_, blank := splitBlank(j.obj.Members[i].Name.BeforeExtra)
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: slices.Clone(blank), Value: hujson.String("args")},
		Value: hujson.Value{BeforeExtra: hujson.Extra(j.d.layout.space), Value: &hujson.Array{Elements: front, AfterExtra: hujson.Extra(" ")}, AfterExtra: command.AfterExtra},
	}
	command.AfterExtra = hujson.Extra{}
	j.obj.Members = slices.Insert(j.obj.Members, i+1, m)
}

func (j jsonServer) unwrap(n int) {
	args := j.args()
	before := args.Elements[0].BeforeExtra
	j.command().Value = args.Elements[n-1].Value
	if len(args.Elements) > n {
		args.Elements = args.Elements[n:]
		args.Elements[0].BeforeExtra = before
		return
	}
	if len(before) == 0 {
		args.Elements = nil
		return
	}
	i, c := index(j.obj, "args"), index(j.obj, "command")
	if i == c+1 {
		j.obj.Members[c].Value.AfterExtra = j.obj.Members[i].Value.AfterExtra
		j.obj.Members = slices.Delete(j.obj.Members, i, i+1)
		return
	}
	j.d.dropMembers(j.obj, func(k int) bool { return k == i })
}

func (j jsonServer) replace(n int, by []string) {
	args := j.args()
	j.command().Value = hujson.String(by[0])
	front := words(by[1:])
	front[0].BeforeExtra = args.Elements[0].BeforeExtra
	args.Elements = append(front, args.Elements[n-1:]...)
}

// checkOnly refuses a name that no server has: the person believes it guarded.
func checkOnly(only []string, met map[string]bool, file string) error {
	for _, name := range only {
		if !met[name] {
			return &Error{File: file, Problem: fmt.Sprintf("it has no stdio server named %s", quote(name)), Advice: "give the name as the file has it; nothing was written"}
		}
	}
	return nil
}

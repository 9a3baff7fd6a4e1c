package doctor

import (
	"os/exec"

	"github.com/hearsay-memory/hearsay/internal/hosts/install"
	"github.com/hearsay-memory/hearsay/internal/hosts/setup"
	"github.com/hearsay-memory/hearsay/internal/tell"
)

// servers looks which MCP servers have the proxy before them.
func (e *hostExam) servers() {
	for s, st := range e.states {
		if len(st.Servers) > 0 {
			e.serversOf(install.Scope(s), st.Servers)
		}
	}
	e.alike()
}

// alike looks for servers that one can take for another by their names.
func (e *hostExam) alike() {
	var all []install.Server
	for _, st := range e.states {
		for _, v := range st.Servers {
			if v.Project == "" || v.Project == e.at.Project {
				all = append(all, v)
			}
		}
	}
	var names []string
	for _, v := range e.host.Alike(all) {
		names = append(names, v.Name+" in "+v.File)
	}
	if names != nil {
		e.add("servers", Warn, "rename all but one of them, so that they differ in letters or digits, and put each memory server behind a gateway",
			"by its name one can be taken for another, so the hook leaves none of their calls to a gateway, and what is written there is held: %s", tell.Few(names))
	}
}

// serversOf sorts the servers of one scope by how they are guarded. Every one is named
// in exactly one line, the worst, and once more where its name is the trouble.
func (e *hostExam) serversOf(s install.Scope, all []install.Server) {
	again := e.initLine(s, " --servers")
	groups := map[string][]string{}
	for _, v := range all {
		name := v.Name
		if v.Project != "" {
			name += " of " + v.Project
		}
		kind := serverKind(v, e.own)
		groups[kind] = append(groups[kind], name)
	}
	say := func(kind string, st State, do, format string) {
		if names := groups[kind]; len(names) > 0 {
			e.add("servers", st, do, format, tell.Few(names))
		}
	}
	// Where the hook hears of each call, what a server returns taints as a stranger's.
	unseen, hookDo, gatewayDo := Warn, e.initLine(s, "")+": then the hook sees them", again
	if e.installed() {
		unseen, hookDo, gatewayDo = OK, "", ""
	}
	say("absent", Fail, again, "the gateway's program cannot be run, so these servers do not start: %s")
	say("memory", Warn, again, "a memory server without a gateway, so what is saved there is not kept apart by who said it: %s")
	profile := "write --profile and its name in place of --profile=source, in your own settings"
	say("unprofiled", Warn, profile, "a memory server behind a gateway that does not know what it is, so what is saved there is not kept apart by who said it: %s")
	say("unknown", Warn, "if docs/profiles.md has its profile, "+profile+"; else `hearsay mcp --learn --name NAME -- COMMAND` drafts one from its own command line",
		"looks like a memory server, and no profile says that it is one, so what is saved there is not kept apart by who said it: %s")
	say("home", Warn, again, "behind a gateway of another home: %s")
	name := "give it a name of at most 64 small letters, digits, - and _, then "
	if e.host.Name == "copilot" {
		name = "give it a name of at most 64 small letters, digits and _, without -, then "
	}
	say("hidden", Warn, name+again, "the hook does not find the gateway by this name, so all that is written there is held: %s")
	say("own hidden", Warn, "start it with --name and the key that it has in the settings", "Hearsay's own memory, which the hook does not find by this name, so all that is written there is held: %s")
	say("own", OK, "", "Hearsay's own memory: %s")
	say("stale", Warn, again, "behind a gateway of an older form or another path: %s")
	say("wrapped", OK, "", "behind a gateway: %s")
	say("remote memory", Warn, "put a bridge that speaks stdio into its place, which can stand behind a gateway: see docs/profiles.md",
		"looks like a memory server and is reached over the network, where no gateway stands, so what is saved there is not kept apart by who said it: %s")
	say("remote", unseen, hookDo, "reached over the network, where no gateway stands: %s")
	say("bare", unseen, gatewayDo, "without a gateway: %s")
}

// serverKind is the line that a server is named in.
func serverKind(v install.Server, own string) string {
	switch {
	case v.Remote && v.Unknown:
		return "remote memory"
	case v.Remote:
		return "remote"
	case v.Own && v.Hidden:
		return "own hidden"
	case v.Own:
		return "own"
	case v.Gateway == nil && v.Profile != "":
		return "memory"
	case v.Gateway == nil && v.Unknown:
		return "unknown"
	case v.Gateway == nil:
		return "bare"
	case !runs(v.Gateway[0]):
		return "absent"
	case v.Flag("home") != "" && v.Flag("home") != own && !setup.SameFile(v.Flag("home"), own):
		return "home"
	case v.Hidden:
		return "hidden"
	case v.Stale:
		return "stale"
	case v.Sources() && v.Profile != "":
		return "unprofiled"
	case v.Sources() && v.Unknown:
		return "unknown"
	}
	return "wrapped"
}

// runs reports whether a host finds the program of a gateway.
func runs(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

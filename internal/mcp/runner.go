package mcp

import (
	"path"
	"slices"
	"strings"
)

// runner is a program that starts another one, and how its command line is read: words
// that have to come first, flags that do not change what is started, and what then starts
// the server.
type runner struct {
	program string
	words   []string
	flags   []string // without a value
	valued  []string // with one
	starts  func(s Starts, rest []string) bool
}

var (
	npmFlags = []string{"-y", "--yes", "-q", "--quiet", "--prefer-offline", "--"}
	uvFlags  = []string{"-q", "--quiet", "-n", "--no-cache", "--offline", "--isolated", "--refresh"}
	runFlags = []string{"-i", "-t", "-it", "-ti", "--interactive", "--tty", "--rm", "--init", "-q", "--quiet"}
	// What is mounted and set in a container is the word of who wrote the command line, as
	// the variables of any other server are. --entrypoint is not here.
	runValued = []string{"-e", "--env", "--env-file", "-v", "--volume", "--mount", "--name", "--network", "--net", "-p", "--publish", "--add-host",
		"-u", "--user", "-w", "--workdir", "-m", "--memory", "--cpus", "--platform", "--pull", "-l", "--label", "-h", "--hostname"}
)

// runners are the runners that are known. A program can be there more than once.
var runners = []runner{
	{"npx", nil, npmFlags, nil, byNPM},
	{"bunx", nil, npmFlags, nil, byNPM},
	{"npm", []string{"exec"}, npmFlags, nil, byNPM},
	{"npm", []string{"x"}, npmFlags, nil, byNPM},
	{"pnpm", []string{"dlx"}, npmFlags, nil, byNPM},
	{"yarn", []string{"dlx"}, npmFlags, nil, byNPM},
	{"node", nil, nil, nil, byNode},
	{"uvx", nil, uvFlags, nil, byPyPI},
	{"uvx", []string{"--from"}, nil, nil, byPyPIFrom},
	{"uv", []string{"tool", "run"}, uvFlags, nil, byPyPI},
	{"uv", []string{"tool", "run", "--from"}, nil, nil, byPyPIFrom},
	{"pipx", []string{"run"}, uvFlags, nil, byPyPI},
	{"pipx", []string{"run", "--spec"}, nil, nil, byPyPIFrom},
	{"python", nil, []string{"-u", "-B"}, nil, byModule},
	{"python3", nil, []string{"-u", "-B"}, nil, byModule},
	{"py", nil, []string{"-3", "-u", "-B"}, nil, byModule},
	{"docker", []string{"run"}, runFlags, runValued, byImage},
	{"podman", []string{"run"}, runFlags, runValued, byImage},
}

// byRunner reports whether a command line starts the server by a runner.
func (s Starts) byRunner(argv []string) bool {
	// python3.12 is python3.
	program := argv[0]
	if whole := strings.TrimRight(program, "0123456789"); strings.HasSuffix(whole, "python3.") && whole != program {
		program = strings.TrimSuffix(whole, ".")
	}
	return slices.ContainsFunc(runners, func(r runner) bool {
		if !isProgram(program, r.program) || len(argv) <= len(r.words) || !slices.Equal(argv[1:len(r.words)+1], r.words) {
			return false
		}
		rest := r.skip(argv[len(r.words)+1:])
		return len(rest) > 0 && r.starts(s, rest)
	})
}

// skip leaves out the flags that do not change what is started.
func (r runner) skip(args []string) []string {
	for len(args) > 0 {
		name, _, joined := strings.Cut(args[0], "=")
		switch {
		case slices.Contains(r.flags, args[0]), joined && slices.Contains(r.valued, name):
			args = args[1:]
		case slices.Contains(r.valued, args[0]) && len(args) > 1:
			args = args[2:]
		default:
			return args
		}
	}
	return nil
}

// byNPM reads a package, or a bridge to where the server is hosted.
func byNPM(s Starts, rest []string) bool {
	bridge := Starts{NPM: []string{"mcp-remote"}}
	return s.isNPM(rest[0]) || len(rest) > 1 && bridge.isNPM(rest[0]) && slices.Contains(s.URLs, rest[1])
}

// byNode reads a file of a package that is installed.
func byNode(s Starts, rest []string) bool {
	file := path.Clean(strings.ReplaceAll(rest[0], `\`, "/"))
	return slices.ContainsFunc(s.NPM, func(name string) bool { return strings.Contains(file, "/node_modules/"+name+"/") })
}

func byPyPI(s Starts, rest []string) bool { return s.isPyPI(rest[0]) }

// byPyPIFrom reads a package and a program in it.
func byPyPIFrom(s Starts, rest []string) bool {
	return s.isPyPI(rest[0]) && (s.inEnvironment(rest[1:]) || len(rest) > 1 && s.isPyPI(rest[1]))
}

func byModule(s Starts, rest []string) bool {
	return len(rest) > 1 && rest[0] == "-m" && slices.Contains(s.Modules, rest[1])
}

// byImage reads an image. What is run in it is what it says itself, or the server.
func byImage(s Starts, rest []string) bool {
	return s.isImage(rest[0]) && (len(rest) == 1 || strings.HasPrefix(rest[1], "-") || s.inEnvironment(rest[1:]))
}

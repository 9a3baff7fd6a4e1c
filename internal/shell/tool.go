package shell

import (
	"slices"
	"strings"
)

// tool runs a program with subcommands.
func (w *walker) tool(c *call) stream {
	p := parse(c.args, c.takes, c.long)
	out := stream{there: true, web: c.does&shellNetwork != 0 || w.in.web}
	if rest := runsCommand(c); len(rest) > 0 {
		return w.apart(func() stream {
			if dirs := p.values(dirOptions...); len(dirs) > 0 {
				w.cd(dirs)
			}
			return w.invoke(rest)
		})
	}
	does := deedsOf(c.name, p)
	if len(p.args) > 0 && p.args[0].open() {
		w.opaque()
	}
	w.does(does)
	if does&shellNetwork != 0 && c.does&shellNetwork == 0 {
		w.web(w.remoteOf(c))
		out.web = true
	}
	return w.inDir(p, func() stream {
		if slices.Contains(runningTools, c.name) {
			w.runsHere()
		}
		w.targets(p.args)
		if (does|c.does)&(shellInstall|shellNetwork) != 0 {
			w.installed(c, p)
		}
		w.containers(c, p)
		w.toolFiles(c, p)
		return out
	})
}

// dirOptions are options of tools that say where they work.
var dirOptions = []string{"-C", "--directory", "--prefix", "--cwd", "--dir", "-d", "--working-dir", "-chdir", "--working-directory", "--project"}

func (w *walker) inDir(p parsed, run func() stream) stream {
	dirs := p.values(dirOptions...)
	for _, v := range p.values("--manifest-path", "-f", "--file", "--makefile") {
		if i := strings.LastIndexByte(v.s, '/'); i > 0 {
			dirs = append(dirs, literal(v.s[:i]))
		}
	}
	if len(dirs) == 0 {
		return run()
	}
	return w.apart(func() stream {
		before := w.env.dirs
		w.cd(dirs)
		w.setDirs(union(before, w.env.dirs))
		return run()
	})
}

// runningTools run code of the directory whatever the subcommand.
var runningTools = []string{"npm", "pnpm", "yarn", "bun", "npx", "go", "cargo", "bundle", "composer", "mvn", "mvnw", "mix", "poetry", "uv", "pipenv", "hatch", "pdm", "docker-compose", "vagrant", "skaffold", "cdk", "sam", "serverless", "sls", "pulumi", "dotnet", "swift", "pre-commit", "husky", "lefthook"}

// runner runs a program that runs code of the directory.
func (w *walker) runner(c *call) stream {
	p := parse(c.args, c.takes, c.long)
	return w.inDir(p, func() stream {
		w.runsHere()
		w.targets(p.args)
		for _, v := range p.args {
			if strings.Contains(v.s, "/") && !v.open() {
				for _, f := range w.paths(v) {
					if w.untrusted(f) {
						w.does(shellUntrusted)
						w.source("dependency", f)
					}
				}
			}
		}
		return stream{there: true}
	})
}

// runsHere says that code of the current directory runs.
func (w *walker) runsHere() {
	if w.away > 0 {
		return
	}
	for _, dir := range w.env.dirs {
		if absolute(dir) && w.untrusted(dir) {
			w.does(shellUntrusted)
		}
		if !absolute(dir) {
			w.unsure()
		}
	}
}

// targets looks for names of targets that deploy.
func (w *walker) targets(args []value) {
	for _, v := range args {
		for part := range strings.FieldsFuncSeq(strings.ToLower(v.s), func(r rune) bool { return r < 'a' || r > 'z' }) {
			switch part {
			case "deploy", "release", "publish", "ship", "rollout", "promote":
				w.does(deployRun)
			}
		}
	}
}

// runsCommand returns the command that a tool is given to run; there may be none.
func runsCommand(c *call) []value {
	for i, v := range c.args {
		if v.option() {
			continue
		}
		if !commandRunners[c.name+" "+v.s] {
			return nil
		}
		rest, _ := leading(c.args[i+1:], c.takes, c.long, 0)
		return rest
	}
	return nil
}

// commandRunners are subcommands whose arguments are a command of the workspace.
var commandRunners = map[string]bool{
	"poetry run": true, "pipenv run": true, "uv run": true, "pdm run": true, "hatch run": true, "rye run": true, "conda run": true, "bundle exec": true,
	"pnpm exec": true, "yarn exec": true, "mise exec": true, "mise x": true, "asdf exec": true, "pyenv exec": true, "rbenv exec": true, "nvm exec": true,
}

// containers reads what docker, kubectl and their like run elsewhere, and what of
// this machine they give it.
func (w *walker) containers(c *call, p parsed) {
	switch c.name {
	case "docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc":
	default:
		return
	}
	for _, v := range p.values("-v", "--volume", "--mount") {
		host, _, _ := strings.Cut(strings.TrimPrefix(v.s, "type=bind,source="), ":")
		host, _, _ = strings.Cut(host, ",")
		if strings.ContainsAny(host, "/.~") || strings.IndexByte(host, unknownByte) >= 0 {
			w.writeAll([]value{w.lit(value{}, host, true)})
			w.readAll([]value{w.lit(value{}, host, true)})
			w.unsure()
		}
	}
	if p.has("--privileged") || slices.ContainsFunc(p.opts, func(o option) bool { return strings.HasPrefix(o.val.s, "host") }) {
		w.unsure()
	}
	args := p.args
	for len(args) > 0 && (args[0].s == "compose" || args[0].s == "container") {
		args = args[1:]
	}
	if len(args) == 0 || args[0].s != "exec" && args[0].s != "run" && args[0].s != "debug" {
		return
	}
	if args[0].s == "run" {
		w.unsure()
	}
	if i := slices.IndexFunc(c.args, func(v value) bool { return v.s == "exec" || v.s == "run" || v.s == "debug" }); i >= 0 {
		rest, q := leading(c.args[i+1:], c.takes, c.long, 1)
		if len(rest) > 0 && rest[0].s == "--" {
			rest = rest[1:]
		}
		if q.has("-d", "--detach") {
			w.found.Background = true
		}
		if len(rest) > 0 {
			interactive, in := w.found.Interactive, w.in
			w.elsewhere(func() { w.invoke(rest) })
			w.in = in
			w.found.Interactive = interactive || w.found.Interactive && !w.in.there
		}
	}
}

// toolFiles reads the files that a tool is given by name.
func (w *walker) toolFiles(c *call, p parsed) {
	w.readAll(p.values("--input", "--values", "-var-file", "--env-file", "-in", "--body-file"))
	w.writeAll(p.values("-o", "-out", "-coverprofile"))
	switch c.name {
	case "go":
		for _, o := range p.opts {
			if o.has && (o.name == "-exec" || o.name == "-toolexec" || o.name == "-vettool") {
				w.runText(o.val.s, stream{there: true})
			}
		}
		if len(p.args) > 1 && p.args[0].s == "run" {
			for _, v := range p.args[1:] {
				if strings.HasSuffix(v.s, ".go") {
					for _, f := range w.paths(v) {
						w.runFile(f, nil, stream{there: true})
					}
				}
			}
		}
	case "npx", "npm", "pnpm":
		for _, v := range p.values("-c", "--call", "--script-shell") {
			w.runText(v.s, stream{there: true})
		}
	case "crontab":
		if !p.has("-l") {
			w.does(fileAutorun)
			w.readAll(p.args)
		}
	case "aws", "gsutil", "s3cmd", "s5cmd", "mc", "azcopy":
		w.cloudCopy(p)
	case "kubectl", "oc":
		if files := p.values("-f", "-k", "--filename"); len(files) > 0 {
			for _, v := range files {
				if !address(v.s) && v.s != "-" {
					w.readAll([]value{v})
				}
			}
		}
	case "bun":
		for _, v := range p.values("-e", "--eval") {
			w.code("node", v.s)
		}
		if len(p.args) > 0 && strings.Contains(p.args[0].s, ".") {
			for _, f := range w.paths(p.args[0]) {
				w.runFile(f, nil, stream{there: true})
			}
		}
	}
}

// cloudCopy tells what a copy to or from a bucket does.
func (w *walker) cloudCopy(p parsed) {
	i := slices.IndexFunc(p.args, func(v value) bool {
		switch v.s {
		case "cp", "mv", "sync", "put", "get", "copy", "mirror", "rsync":
			return true
		}
		return false
	})
	if i < 0 || len(p.args) < i+3 {
		return
	}
	from, to := p.args[i+1:len(p.args)-1], p.args[len(p.args)-1]
	if strings.Contains(to.s, "://") || to.open() {
		w.does(dataExport)
	} else {
		for _, f := range w.writeAll([]value{to}) {
			w.fetch(f)
		}
	}
	for _, v := range from {
		if !strings.Contains(v.s, "://") {
			w.readAll([]value{v})
		}
	}
	if p.has("--delete") {
		w.does(shellDestroy)
	}
}

package shell

import (
	"slices"
	"strings"
)

// toolPrograms have subcommands, which deeds holds, or run code of the directory.
var toolPrograms = map[string]program{
	"git":  {kind: kindGit, takes: " -C -c --git-dir --work-tree --exec-path --namespace -m -F --message --file -b --branch --depth -o --origin -u --upload-pack --receive-pack --template --reference -s --strategy -X -n --author --date -S "},
	"make": {kind: kindRunner, takes: " -C -f -j -I -o -W --directory --file --makefile --jobs "}, "gmake": {kind: kindRunner, takes: " -C -f -j --directory --file "}, "just": {kind: kindRunner, takes: " -f -d --justfile --working-directory "}, "task": {kind: kindRunner, takes: " -d -t --dir "}, "mage": {kind: kindRunner, takes: " -d -C "}, "ninja": {kind: kindRunner, takes: " -C -f -j "}, "cmake": {kind: kindRunner, takes: " -S -B -G -D --build -P --target "}, "ctest": {kind: kindRunner}, "meson": {kind: kindRunner, takes: " -C "}, "bazel": {kind: kindRunner}, "buck2": {kind: kindRunner}, "scons": {kind: kindRunner}, "rake": {kind: kindRunner, takes: " -f "}, "invoke": {kind: kindRunner}, "nox": {kind: kindRunner, takes: " -s "}, "tox": {kind: kindRunner, takes: " -e "},
	"pytest": {kind: kindRunner, takes: " -k -m -p -n -c -o --rootdir "}, "unittest": {kind: kindRunner}, "jest": {kind: kindRunner, takes: " -t -c --config "}, "vitest": {kind: kindRunner}, "mocha": {kind: kindRunner}, "playwright": {kind: kindTool}, "cypress": {kind: kindRunner}, "rspec": {kind: kindRunner}, "phpunit": {kind: kindRunner}, "eslint": {kind: kindRunner, takes: " -c --config "}, "prettier": {kind: kindRunner}, "tsc": {kind: kindRunner, takes: " -p --project "}, "vite": {kind: kindRunner}, "webpack": {kind: kindRunner}, "rollup": {kind: kindRunner}, "esbuild": {kind: kindRunner}, "next": {kind: kindRunner}, "turbo": {kind: kindRunner}, "nx": {kind: kindRunner}, "lerna": {kind: kindTool}, "gulp": {kind: kindRunner}, "grunt": {kind: kindRunner}, "mypy": {kind: kindRunner}, "ruff": {kind: kindRunner}, "black": {kind: kindRunner}, "flake8": {kind: kindRunner}, "pylint": {kind: kindRunner}, "isort": {kind: kindRunner}, "golangci-lint": {kind: kindRunner}, "staticcheck": {kind: kindRunner}, "clang": {kind: kindReads, takes: " -o -I -L -D -l "}, "gcc": {kind: kindReads, takes: " -o -I -L -D -l "}, "g++": {kind: kindReads, takes: " -o -I -L -D -l "}, "cc": {kind: kindReads, takes: " -o -I -L -D -l "}, "javac": {kind: kindReads, long: true, takes: " -d -cp "}, "rustc": {kind: kindReads, takes: " -o "}, "ansible": {kind: kindTool, does: shellNetwork},
	"npm": {kind: kindTool, takes: " --prefix -C -w --workspace --registry --tag --script-shell ", host: "registry.npmjs.org"}, "pnpm": {kind: kindTool, takes: " -C --dir --prefix -F --filter --registry ", host: "registry.npmjs.org"}, "yarn": {kind: kindTool, takes: " --cwd --registry ", host: "registry.npmjs.org"}, "npx": {kind: kindTool, takes: " -p --package -c --call ", host: "registry.npmjs.org"}, "pnpx": {kind: kindTool, host: "registry.npmjs.org"}, "bunx": {kind: kindTool, host: "registry.npmjs.org"}, "corepack": {kind: kindTool, host: "registry.npmjs.org"},
	"pip": {kind: kindTool, takes: " -t -r -c -i -f --target --prefix --root --index-url --extra-index-url -e --editable --requirement -d --dest ", host: "pypi.org"}, "pipx": {kind: kindTool, host: "pypi.org"}, "uv": {kind: kindTool, takes: " -p --python --with --directory --project --target --index-url ", host: "pypi.org"}, "uvx": {kind: kindTool, takes: " --from --with ", host: "pypi.org"}, "poetry": {kind: kindTool, takes: " -C --directory ", host: "pypi.org"}, "pipenv": {kind: kindTool, host: "pypi.org"}, "pdm": {kind: kindTool, host: "pypi.org"}, "hatch": {kind: kindTool, host: "pypi.org"}, "rye": {kind: kindTool, host: "pypi.org"}, "conda": {kind: kindTool, takes: " -n -p -c ", host: "conda.anaconda.org"}, "mamba": {kind: kindTool, takes: " -n -p -c ", host: "conda.anaconda.org"}, "easy_install": {kind: kindTool, does: shellInstall | shellNetwork, host: "pypi.org"}, "twine": {kind: kindTool, host: "pypi.org"}, "python-build": {kind: kindRunner},
	"go": {kind: kindTool, takes: " -C -o -run -tags -mod -modfile -count -timeout -bench -race-log -ldflags -gcflags -exec -toolexec -vettool -coverprofile -p ", long: true, host: "proxy.golang.org"}, "cargo": {kind: kindTool, takes: " --manifest-path -p --package --features --target --git --path --bin --example --registry -j --config --root ", host: "crates.io"}, "rustup": {kind: kindTool, host: "static.rust-lang.org"}, "gem": {kind: kindTool, host: "rubygems.org"}, "bundle": {kind: kindTool, host: "rubygems.org"}, "composer": {kind: kindTool, takes: " -d --working-dir ", host: "packagist.org"}, "mvn": {kind: kindTool, takes: " -f -pl -P -s ", host: "repo.maven.apache.org"}, "mvnw": {kind: kindTool, takes: " -f ", host: "repo.maven.apache.org"}, "gradle": {kind: kindRunner, takes: " -p -b "}, "gradlew": {kind: kindRunner, takes: " -p -b "}, "sbt": {kind: kindRunner}, "mix": {kind: kindTool, host: "hex.pm"}, "luarocks": {kind: kindTool, host: "luarocks.org"}, "cpan": {kind: kindTool, does: shellInstall | shellNetwork, host: "cpan.org"}, "cpanm": {kind: kindTool, does: shellInstall | shellNetwork, host: "cpan.org"}, "nuget": {kind: kindTool, host: "api.nuget.org"}, "cabal": {kind: kindTool, host: "hackage.haskell.org"}, "stack": {kind: kindTool, host: "hackage.haskell.org"}, "opam": {kind: kindTool, host: "opam.ocaml.org"}, "pod": {kind: kindTool, host: "cdn.cocoapods.org"},
	"apt": {kind: kindTool, takes: " -o -t "}, "apt-get": {kind: kindTool, takes: " -o -t "}, "aptitude": {kind: kindTool}, "dpkg": {kind: kindTool}, "rpm": {kind: kindTool}, "yum": {kind: kindTool}, "dnf": {kind: kindTool}, "zypper": {kind: kindTool}, "pacman": {kind: kindTool}, "yay": {kind: kindTool}, "apk": {kind: kindTool}, "brew": {kind: kindTool, host: "formulae.brew.sh"}, "port": {kind: kindTool}, "snap": {kind: kindTool}, "flatpak": {kind: kindTool}, "nix-env": {kind: kindTool}, "nix": {kind: kindTool}, "choco": {kind: kindTool}, "winget": {kind: kindTool}, "scoop": {kind: kindTool}, "asdf": {kind: kindTool}, "mise": {kind: kindTool}, "nvm": {kind: kindTool}, "pyenv": {kind: kindTool}, "rbenv": {kind: kindTool}, "fnm": {kind: kindTool}, "volta": {kind: kindTool}, "sdk": {kind: kindTool}, "helm": {kind: kindTool, does: shellNetwork, takes: " -n -f --namespace --values --set --version "}, "krew": {kind: kindTool},
	"gh": {kind: kindTool, does: shellNetwork, takes: " -R --repo -H -X -F -f -b -t --title --body -B --json -q --jq -L --hostname --input ", host: "github.com"}, "glab": {kind: kindTool, does: shellNetwork, takes: " -R --repo ", host: "gitlab.com"}, "hub": {kind: kindTool, does: shellNetwork, host: "github.com"}, "aws": {kind: kindTool, does: shellNetwork, takes: " --profile --region --output --query --endpoint-url ", host: "amazonaws.com"}, "gcloud": {kind: kindTool, does: shellNetwork, takes: " --project --account --format --zone --region ", host: "googleapis.com"}, "bq": {kind: kindTool, does: shellNetwork, host: "googleapis.com"}, "az": {kind: kindTool, does: shellNetwork, takes: " -g -n -o ", host: "azure.com"}, "heroku": {kind: kindTool, does: shellNetwork, takes: " -a --app ", host: "heroku.com"}, "fly": {kind: kindTool, does: shellNetwork, takes: " -a -c ", host: "fly.io"}, "flyctl": {kind: kindTool, does: shellNetwork, takes: " -a -c ", host: "fly.io"}, "vercel": {kind: kindTool, does: shellNetwork, takes: " -t --token --cwd ", host: "vercel.com"}, "netlify": {kind: kindTool, does: shellNetwork, host: "netlify.com"}, "wrangler": {kind: kindTool, does: shellNetwork, host: "cloudflare.com"}, "railway": {kind: kindTool, does: shellNetwork, host: "railway.app"}, "render": {kind: kindTool, does: shellNetwork, host: "render.com"}, "firebase": {kind: kindTool, does: shellNetwork, host: "firebase.google.com"}, "supabase": {kind: kindTool, does: shellNetwork, host: "supabase.com"}, "doctl": {kind: kindTool, does: shellNetwork, host: "digitalocean.com"}, "eb": {kind: kindTool, does: shellNetwork, host: "amazonaws.com"}, "sam": {kind: kindTool}, "cdk": {kind: kindTool}, "serverless": {kind: kindTool}, "sls": {kind: kindTool}, "pulumi": {kind: kindTool, takes: " -s -C "}, "terraform": {kind: kindTool, takes: " -chdir -var -var-file ", long: true}, "tofu": {kind: kindTool, takes: " -chdir -var ", long: true}, "terragrunt": {kind: kindTool, long: true}, "ansible-playbook": {does: deployRun | shellNetwork}, "cap": {does: deployRun | shellNetwork}, "kamal": {kind: kindTool, does: shellNetwork}, "goreleaser": {kind: kindTool}, "semantic-release": {does: deployRun | shellNetwork}, "skaffold": {kind: kindTool}, "argocd": {kind: kindTool, does: shellNetwork}, "flux": {kind: kindTool, does: shellNetwork}, "vault": {kind: kindTool, does: shellNetwork}, "kubectl": {kind: kindTool, does: shellNetwork, takes: " -n -f -l -o -c -k --namespace --context --kubeconfig --filename "}, "oc": {kind: kindTool, does: shellNetwork, takes: " -n -f -l -o -c "}, "kustomize": {kind: kindTool}, "docker": {kind: kindTool, takes: " -H -c --context -f --file -t --tag -v --volume -e --env -p --publish -w --workdir -u --user --name --network --entrypoint --mount --platform --build-arg --env-file -l --rm-after ", host: "docker.io"}, "podman": {kind: kindTool, takes: " -v --volume -e -p -w -u --name --entrypoint --mount -t -f ", host: "docker.io"}, "docker-compose": {kind: kindTool, takes: " -f -p "}, "nerdctl": {kind: kindTool, takes: " -v -e -p "}, "skopeo": {kind: kindTool, does: shellNetwork}, "crane": {kind: kindTool, does: shellNetwork}, "vagrant": {kind: kindTool}, "svn": {kind: kindTool}, "hg": {kind: kindTool}, "jj": {kind: kindTool}, "fossil": {kind: kindTool}, "repo": {kind: kindTool}, "degit": {kind: kindTool, does: shellNetwork}, "crontab": {kind: kindTool, takes: " -u "}, "systemctl": {kind: kindTool}, "launchctl": {kind: kindTool}, "service": {kind: kindTool}, "update-rc.d": {does: fileAutorun}, "schtasks": {kind: kindTool}, "pre-commit": {kind: kindTool}, "husky": {kind: kindTool}, "lefthook": {kind: kindTool}, "claude": {kind: kindTool, does: shellNetwork}, "codex": {kind: kindTool, does: shellNetwork}, "gemini": {kind: kindTool, does: shellNetwork}, "opencode": {kind: kindTool, does: shellNetwork}, "cursor-agent": {kind: kindTool, does: shellNetwork}, "aider": {kind: kindTool, does: shellNetwork}, "ollama": {kind: kindTool},
}

// tool runs a program with subcommands.
func (w *walker) tool(c *call) stream {
	p := parse(c.args, c.takes, c.long)
	out := stream{there: true, web: c.does&shellNetwork != 0 || w.in.web}
	if run, rest, ok := w.runsCommand(c, &p); ok {
		return w.apart(func() stream {
			if dirs := p.values(dirOptions...); len(dirs) > 0 {
				w.cd(dirs)
			}
			w.does(run)
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
		if does&(shellInstall|shellNetwork) != 0 {
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

// runsCommand returns the command that a tool is given to run.
func (w *walker) runsCommand(c *call, p *parsed) (action, []value, bool) {
	for i, v := range c.args {
		if v.option() {
			continue
		}
		if !commandRunners[c.name+" "+v.s] {
			return 0, nil, false
		}
		rest, _ := leading(c.args[i+1:], c.takes, c.long, 0)
		if c.name == "direnv" && len(rest) > 0 {
			rest = rest[1:]
		}
		_ = p
		return 0, rest, len(rest) > 0
	}
	return 0, nil, false
}

// commandRunners are subcommands whose arguments are a command of the workspace.
var commandRunners = map[string]bool{
	"poetry run": true, "pipenv run": true, "uv run": true, "pdm run": true, "hatch run": true, "rye run": true, "conda run": true, "bundle exec": true,
	"pnpm exec": true, "yarn exec": true, "mise exec": true, "mise x": true, "asdf exec": true, "direnv exec": true, "pyenv exec": true, "rbenv exec": true, "nvm exec": true, "rustup run": false,
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
	case "gh", "glab":
		for _, v := range p.args {
			if len(p.args) > 2 && (v.s == "create" || v.s == "upload") {
				break
			}
		}
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

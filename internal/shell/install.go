package shell

import "strings"

// installed says where packages that a tool installs or fetches come to lie.
func (w *walker) installed(c *call, p parsed) {
	sub := ""
	if len(p.args) > 0 {
		sub = p.args[0].s
	}
	global := p.has("-g", "--global", "--location")
	local := func(names ...string) {
		for _, v := range literals(names...) {
			for _, f := range w.paths(v) {
				w.fetch(f)
			}
		}
	}
	home := func(name string) {
		if w.ctx.Home != "" {
			w.fetch(w.ctx.Home + name)
		}
	}
	switch c.name {
	case "npm", "pnpm", "yarn", "bun":
		if deedsOf(c.name, p)&shellInstall == 0 {
			return
		}
		if !global {
			local("node_modules")
		}
	case "pip", "uv", "poetry", "pipenv", "pdm", "rye", "hatch":
		if targets := p.values("-t", "--target", "--prefix", "--root", "-d", "--dest"); len(targets) > 0 {
			for _, f := range w.writeAll(targets) {
				w.fetch(f)
			}
			return
		}
		if deedsOf(c.name, p)&shellInstall != 0 {
			local(".venv/lib", "venv/lib")
			home("/.local/lib")
		}
		w.readAll(p.values("-r", "--requirement", "-c"))
	case "pipx":
		home("/.local/share/pipx")
	case "go":
		switch {
		case sub == "mod" && len(p.args) > 1 && p.args[1].s == "vendor":
			local("vendor")
		default:
			home("/go/pkg/mod")
		}
	case "cargo":
		home("/.cargo/registry")
		if sub == "vendor" {
			if len(p.args) > 1 {
				local(p.args[1].s)
			} else {
				local("vendor")
			}
		}
	case "bundle":
		local("vendor/bundle")
	case "composer":
		local("vendor")
	case "pod":
		local("Pods")
	case "mix":
		local("deps")
	case "svn", "hg", "degit", "fossil":
		if len(p.args) == 0 {
			return
		}
		switch sub {
		case "checkout", "co", "export", "clone":
			w.cloned(p.args[1:])
		default:
			if c.name == "degit" {
				w.cloned(p.args)
				return
			}
			local(".")
		}
	case "gh", "glab":
		switch {
		case len(p.args) > 2 && p.args[0].s == "repo" && p.args[1].s == "clone":
			w.cloned(p.args[2:])
		case len(p.args) > 1 && (p.args[1].s == "download" || p.args[1].s == "checkout"):
			w.unpackTo(p.values("-D", "--dir"))
		}
	}
}

// cloned says where a clone of an address comes to lie: where the second operand
// says, or in a directory named after it.
func (w *walker) cloned(args []value) {
	if len(args) == 0 {
		w.unsure()
		return
	}
	into := literal(cloneName(args[0].s))
	switch {
	case len(args) > 1:
		into = args[1]
	case into.open():
		into = literal("./" + unknownText)
	}
	for _, f := range w.writeAll([]value{into}) {
		w.fetch(f)
	}
}

// cloneName returns the directory that git makes for an address.
func cloneName(url string) string {
	s := strings.TrimRight(url, "/")
	s = strings.TrimSuffix(s, "/.git")
	s = strings.TrimSuffix(s, ".git")
	s = s[strings.LastIndexAny(s, "/:")+1:]
	if s == "" {
		return "."
	}
	return s
}

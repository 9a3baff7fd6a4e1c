package shell

import "strings"

// wrapperPrograms run the command that their arguments are. texts are options
// whose value is a command as text; skip is how many operands come first.
func wrapperPrograms() map[string]program {
	return map[string]program{
		"env": {kind: kindWraps, takes: " -u -C -S --unset --chdir --split-string ", texts: " -S --split-string "}, "sudo": {kind: kindWraps, takes: " -u -g -h -p -C -r -t -T -U -D --user --group --host --prompt --chdir "},
		"doas": {kind: kindWraps, takes: " -u -C "}, "nohup": {kind: kindWraps}, "setsid": {kind: kindWraps}, "time": {kind: kindWraps, takes: " -f -o "}, "timeout": {kind: kindWraps, takes: " -s -k --signal --kill-after ", skip: 1}, "gtimeout": {kind: kindWraps, takes: " -s -k ", skip: 1},
		"command": {kind: kindWraps}, "builtin": {kind: kindWraps}, "exec": {kind: kindWraps, takes: " -a "}, "nice": {kind: kindWraps, takes: " -n --adjustment "}, "ionice": {kind: kindWraps, takes: " -c -n -p "}, "chrt": {kind: kindWraps, skip: 1},
		"stdbuf": {kind: kindWraps, takes: " -i -o -e --input --output --error "}, "unbuffer": {kind: kindWraps}, "taskset": {kind: kindWraps, takes: " -c -p ", skip: 1}, "numactl": {kind: kindWraps}, "setarch": {kind: kindWraps, skip: 1},
		"strace": {kind: kindWraps, takes: " -e -o -p -s "}, "ltrace": {kind: kindWraps, takes: " -e -o -p "}, "gdb": {kind: kindWraps}, "valgrind": {kind: kindWraps}, "perf": {kind: kindWraps, skip: 1}, "hyperfine": {kind: kindWraps, takes: " -w -r -m ", texts: " "},
		"flock": {kind: kindWraps, takes: " -w -E -c ", skip: 1, texts: " -c "}, "su": {kind: kindWraps, takes: " -c -s -g -G --command --shell ", texts: " -c --command "}, "runuser": {kind: kindWraps, takes: " -c -u -s ", texts: " -c "}, "script": {kind: kindWraps, takes: " -c ", texts: " -c ", skip: 1},
		"chroot": {kind: kindWraps, skip: 1, takes: " --userspec "}, "unshare": {kind: kindWraps}, "nsenter": {kind: kindWraps, takes: " -t "}, "fakeroot": {kind: kindWraps}, "proot": {kind: kindWraps, takes: " -r -b -w "}, "firejail": {kind: kindWraps}, "bwrap": {kind: kindWraps},
		"xvfb-run": {kind: kindWraps, takes: " -s -n "}, "dbus-run-session": {kind: kindWraps}, "systemd-run": {kind: kindWraps, takes: " -p -u --unit "}, "caffeinate": {kind: kindWraps, takes: " -t -w "}, "rlwrap": {kind: kindWraps}, "busybox": {kind: kindWraps}, "toybox": {kind: kindWraps}, "chronic": {kind: kindWraps},
		"watch": {kind: kindWraps, takes: " -n -d ", texts: " "}, "watchexec": {kind: kindWraps, takes: " -e -w -i "}, "entr": {kind: kindWraps}, "nodemon": {kind: kindWraps, takes: " -e -w -x --exec ", texts: " -x --exec "}, "concurrently": {kind: kindWraps, texts: " "}, "dotenv": {kind: kindWraps, takes: " -e -f "}, "cross-env": {kind: kindWraps},
		"noglob": {kind: kindWraps}, "nocorrect": {kind: kindWraps}, "-": {kind: kindWraps}, "coproc": {kind: kindWraps}, "arch": {kind: kindWraps}, "tini": {kind: kindWraps}, "dumb-init": {kind: kindWraps}, "gosu": {kind: kindWraps, skip: 1}, "su-exec": {kind: kindWraps, skip: 1}, "winpty": {kind: kindWraps}, "start": {kind: kindWraps}, "cmd": {kind: kindWraps, texts: " "},
		"screen": {kind: kindWraps, takes: " -S -t -c "}, "tmux": {kind: kindWraps, takes: " -L -S -f ", texts: " "}, "at": {kind: kindWraps, does: fileAutorun, takes: " -f -q -t "}, "batch": {kind: kindWraps, does: fileAutorun, takes: " -f "}, "nix-shell": {kind: kindWraps, takes: " -p --run --command ", texts: " --run --command "}, "direnv": {kind: kindWraps, skip: 2},
		"xargs": {kind: kindXargs, takes: " -I -J -n -P -L -d -s -a -E --max-args --max-procs --delimiter --arg-file "}, "parallel": {kind: kindXargs, takes: " -j -I -a --jobs "},
	}
}

// leading parses the options before a command and returns the command, without so
// many operands before it.
func leading(args []value, takes string, long bool, skip int) ([]value, parsed) {
	i := 0
	for i < len(args) {
		v := args[i]
		if v.s == "--" {
			i++
			break
		}
		if !v.option() {
			break
		}
		i++
		if v.s[1] != '-' && !long { // the last letter of a cluster may take the next word
			for j := 1; j < len(v.s); j++ {
				if valued(takes, "-"+v.s[j:j+1]) {
					if j+1 == len(v.s) {
						i++
					}
					break
				}
			}
		} else if valued(takes, v.s) {
			i++
		}
	}
	i = min(i, len(args))
	p := parse(args[:i], takes, long)
	return args[min(i+skip, len(args)):], p
}

// wraps runs a command that is given as the arguments of another.
func (w *walker) wraps(c *call) stream {
	rest, p := leading(c.args, c.takes, c.long, c.skip)
	switch {
	case c.name == "command" && p.has("-v", "-V"):
		return stream{there: true}
	case c.name == "at" || c.name == "batch": // the command flows in
		for _, v := range p.values("-f") {
			for _, f := range w.paths(v) {
				w.runFile(f, nil, w.in)
			}
		}
		return w.apart(func() stream { return w.interpret("", w.in) })
	}
	if c.name == "tmux" || c.name == "nohup" || c.name == "setsid" || c.name == "systemd-run" || c.name == "start" || c.name == "screen" && p.has("-d") {
		w.found.Background = true
	}
	run := func() stream {
		for len(rest) > 0 { // assignments, as env and sudo take them
			name, val, ok := strings.Cut(rest[0].s, "=")
			if !ok || name == "" || strings.ContainsAny(name, "/-.") {
				break
			}
			w.set(name, []string{val})
			w.steering(name, []string{val})
			rest = rest[1:]
		}
		if dirs := p.values("-C", "--chdir", "-D"); len(dirs) > 0 && (c.name == "env" || c.name == "sudo") {
			w.cd(dirs)
		}
		var out stream
		for _, o := range p.opts {
			if o.has && c.texts != "" && valued(c.texts, o.name) {
				out = out.then(w.runText(o.val.s+" "+quoteAll(rest), w.in))
			}
		}
		if len(rest) == 0 {
			if c.name == "sudo" && p.has("-i", "-s") || c.name == "su" && !p.has("-c", "--command") || c.name == "screen" || c.name == "script" && !p.has("-c") {
				w.found.Interactive = true
			}
			return out
		}
		if c.texts == " " {
			w.textsOf(c, rest)
			return stream{there: true}
		}
		if c.name == "su" || c.name == "runuser" { // user, and arguments of the shell
			for i, v := range rest {
				if v.s == "-c" && i+1 < len(rest) {
					return w.runText(rest[i+1].s, w.in)
				}
			}
			w.found.Interactive = w.found.Interactive || c.name == "su"
			return out
		}
		if c.name == "flock" || c.name == "script" {
			for i, v := range rest {
				if v.s == "-c" && i+1 < len(rest) {
					return w.runText(rest[i+1].s, w.in)
				}
			}
		}
		return w.invoke(rest)
	}
	if c.name == "exec" || c.name == "command" || c.name == "builtin" || c.name == "-" || c.name == "noglob" || c.name == "nocorrect" {
		return run()
	}
	return w.apart(run)
}

// textsOf runs arguments that are texts of commands, each or all together.
func (w *walker) textsOf(c *call, args []value) {
	if c.name == "cmd" {
		for len(args) > 0 && strings.HasPrefix(args[0].s, "/") && len(args[0].s) <= 3 {
			args = args[1:]
		}
		w.runText(strings.ReplaceAll(join(args), `\`, "/"), stream{there: true})
		return
	}
	if c.name != "watch" {
		for _, v := range args {
			if c.name != "tmux" || strings.ContainsAny(v.s, " /;|&$`") || known(v) {
				w.runText(v.s, stream{there: true})
			}
		}
		return
	}
	w.runText(join(args), stream{there: true})
}

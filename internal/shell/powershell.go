package shell

import "strings"

// cmdlet is what a command of PowerShell does.
type cmdlet struct {
	does   action
	reads  bool // its operands and -Path are read
	writes bool
	copies bool // the last operand, or -Destination, is written
	moves  bool
	drops  bool // its operands are deleted
	text   bool // its operand is a program
	cd     bool
	starts bool // its operand is a program that is started
	opaque bool
}

// cmdlets are the commands of PowerShell, in lower case.
var cmdlets = map[string]cmdlet{
	"invoke-webrequest": {does: shellNetwork}, "invoke-restmethod": {does: shellNetwork}, "start-bitstransfer": {does: shellNetwork}, "test-netconnection": {does: shellNetwork}, "test-connection": {does: shellNetwork}, "resolve-dnsname": {does: shellNetwork}, "send-mailmessage": {does: shellNetwork | dataExport},
	"invoke-command": {does: shellNetwork, opaque: true}, "enter-pssession": {does: shellNetwork}, "new-pssession": {does: shellNetwork},
	"invoke-expression": {text: true}, "start-process": {starts: true}, "start-job": {opaque: true}, "invoke-item": {starts: true}, "add-type": {opaque: true}, "import-module": {reads: true}, "set-executionpolicy": {does: fileOutside},
	"get-content": {reads: true}, "get-childitem": {reads: true}, "select-string": {reads: true}, "import-csv": {reads: true}, "get-filehash": {reads: true}, "get-item": {reads: true},
	"set-content": {writes: true}, "add-content": {writes: true}, "out-file": {writes: true}, "tee-object": {writes: true}, "new-item": {writes: true}, "export-csv": {writes: true}, "clear-content": {writes: true}, "export-clixml": {writes: true}, "set-itemproperty": {writes: true}, "new-itemproperty": {writes: true},
	"copy-item": {copies: true}, "move-item": {copies: true, moves: true}, "rename-item": {copies: true, moves: true}, "remove-item": {drops: true},
	"set-location": {cd: true}, "push-location": {cd: true}, "expand-archive": {copies: true}, "compress-archive": {copies: true},
	"install-module": {does: shellInstall | shellNetwork}, "install-package": {does: shellInstall | shellNetwork}, "install-script": {does: shellInstall | shellNetwork}, "update-module": {does: shellInstall | shellNetwork}, "save-module": {does: shellNetwork},
	"register-scheduledtask": {does: fileAutorun}, "new-scheduledtask": {does: fileAutorun}, "new-service": {does: fileAutorun}, "set-service": {does: fileAutorun}, "format-volume": {does: shellDestroy}, "clear-disk": {does: shellDestroy}, "invoke-sqlcmd": {does: dbQuery | dbWrite}, "invoke-wmimethod": {opaque: true}, "invoke-cimmethod": {opaque: true},
}

// cmdletNames are the short names of PowerShell's commands.
var cmdletNames = map[string]string{
	"iwr": "invoke-webrequest", "curl": "invoke-webrequest", "wget": "invoke-webrequest", "irm": "invoke-restmethod", "iex": "invoke-expression", "icm": "invoke-command", "saps": "start-process", "start": "start-process", "ii": "invoke-item", "sajb": "start-job",
	"gc": "get-content", "cat": "get-content", "type": "get-content", "gci": "get-childitem", "ls": "get-childitem", "dir": "get-childitem", "sls": "select-string", "sc": "set-content", "ac": "add-content", "tee": "tee-object", "ni": "new-item", "md": "new-item", "mkdir": "new-item", "epcsv": "export-csv", "clc": "clear-content",
	"cp": "copy-item", "copy": "copy-item", "cpi": "copy-item", "mv": "move-item", "move": "move-item", "mi": "move-item", "ren": "rename-item", "rni": "rename-item", "rm": "remove-item", "ri": "remove-item", "del": "remove-item", "erase": "remove-item", "rd": "remove-item", "rmdir": "remove-item",
	"cd": "set-location", "sl": "set-location", "chdir": "set-location", "pushd": "push-location", "ipmo": "import-module", "sp": "set-itemproperty",
}

// powerShell reads a text of PowerShell by its words.
func (w *walker) powerShell(text string) {
	text = w.clean(text)
	if w.depth >= maxDepth || !w.spend(8*len(text)) {
		w.opaque()
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	w.unsure()
	lower := strings.ToLower(strings.ReplaceAll(text, "`", ""))
	for _, sign := range powerShellSigns {
		if strings.Contains(lower, sign.text) {
			w.does(sign.does)
			if sign.does&shellNetwork != 0 {
				w.source("web", "")
			}
			if sign.opaque {
				w.opaque()
			}
		}
	}
	if strings.Contains(text, "[") || strings.Contains(text, "&") {
		r := codeReader{w: w, lang: "powershell"}
		r.scan(strings.ReplaceAll(text, `\`, "/"))
		r.marks &^= markRun | markDynamic
		r.conclude()
	}
	var flow stream
	for _, c := range clauses(strings.ReplaceAll(text, `\`, "/"), true) {
		if !c.piped {
			flow = stream{}
		}
		flow = w.cmdlet(c, flow)
		if w.work < 0 {
			return
		}
	}
}

// powerShellSigns are texts that give away what the words alone do not.
var powerShellSigns = []struct {
	text   string
	does   action
	opaque bool
}{
	{"net.webclient", shellNetwork, false}, {"downloadstring", shellNetwork | shellUntrusted, true}, {"downloadfile", shellNetwork, false}, {"httpclient", shellNetwork, false}, {"net.sockets", shellNetwork, false}, {"uploadstring", shellNetwork | dataExport, false}, {"uploadfile", shellNetwork | dataExport, false},
	{"frombase64string", 0, true}, {"-enc", 0, true}, {"scriptblock]::create", 0, true}, {"-comobject", 0, true}, {"reflection.assembly", 0, true}, {"dllimport", 0, true}, {"-join", 0, true}, {"[char]", 0, true}, {"invoke(", 0, true}, {"currentversion/run", fileAutorun, false}, {`currentversion\run`, fileAutorun, false}, {"$profile", fileAutorun, false},
}

// cmdlet runs one clause of PowerShell.
func (w *walker) cmdlet(c clause, in stream) stream {
	for _, t := range c.targets {
		w.output(t)
	}
	in.there = in.there || c.piped
	words := c.words
	for len(words) > 2 && words[0].s == unknownText && words[1].s == "=" {
		words = words[2:]
	}
	if len(words) == 0 {
		return in
	}
	if words[0].s == "." && len(words) > 1 {
		words = words[1:]
	}
	name := strings.ToLower(words[0].s)
	name = strings.TrimPrefix(name, "microsoft.powershell.utility/")
	name = strings.TrimPrefix(name, "microsoft.powershell.management/")
	if long, ok := cmdletNames[name]; ok {
		name = long
	}
	m, ok := cmdlets[name]
	if !ok {
		if words[0].s == unknownText && !c.piped && len(words) == 1 || strings.HasPrefix(words[0].s, "-") || strings.HasPrefix(words[0].s, "[") || strings.HasPrefix(words[0].s, "@") || keyword(words[0].s) {
			return in
		}
		outer := w.in
		w.in = in
		out := w.perhaps(func() stream { return w.invoke(words) })
		w.in = outer
		out.known, out.web = false, out.web || in.web
		return out
	}
	w.does(m.does)
	out := stream{there: true, web: in.web || m.does&shellNetwork != 0}
	if m.opaque {
		w.opaque()
	}
	p := parse(foldOptions(words[1:]), " -value -encoding -itemtype -name -filter -include -exclude -method -headers -contenttype -useragent -verb -argument -propertytype -body -uri -outfile -infile -depth -first -last -pattern ", true)
	if m.starts || m.text {
		p = parse(words[1:], " -Verb -WorkingDirectory ", true)
	}
	values := cmdletValues(words[1:])
	if m.does&shellNetwork != 0 {
		w.webCmdlet(p, values)
	}
	w.fileCmdlet(m, p, values)
	switch {
	case m.text:
		if in.web || in.there || len(p.args) == 0 {
			w.does(shellUntrusted)
			w.opaque()
			if in.web {
				w.does(shellInstall)
			}
		}
		for _, v := range p.args {
			if v.open() {
				w.opaque()
			}
			w.apart(func() stream { w.powerShell(strings.ReplaceAll(v.s, unknownText, " ")); return stream{} })
		}
	case m.starts && len(p.args) > 0:
		w.found.Background = true
		var rest []value
		for _, v := range p.args {
			if strings.Contains(v.s, " ") {
				for f := range strings.FieldsSeq(v.s) {
					rest = append(rest, literal(f))
				}
				continue
			}
			rest = append(rest, v)
		}
		w.perhaps(func() stream { return w.apart(func() stream { return w.invoke(rest) }) })
	}
	return out
}

// foldOptions returns the words with the names of parameters in lower case.
func foldOptions(words []value) []value {
	out := make([]value, len(words))
	for i, v := range words {
		if v.option() {
			v.s = strings.ToLower(v.s)
		}
		out[i] = v
	}
	return out
}

// cmdletValues returns the words behind parameters, by the parameter's name.
func cmdletValues(words []value) map[string]value {
	out := make(map[string]value)
	for i, v := range words {
		if v.option() && i+1 < len(words) && !words[i+1].option() {
			name, after, ok := strings.Cut(strings.ToLower(v.s), ":")
			if ok && after != "" {
				out[name] = literal(after)
			} else {
				out[name] = words[i+1]
			}
		}
	}
	return out
}

func (w *walker) webCmdlet(p parsed, values map[string]value) {
	found := false
	for _, v := range p.args {
		if address(v.s) {
			w.web(v.s)
			found = true
		}
	}
	if v, ok := values["-uri"]; ok || !found {
		w.web(v.s)
	}
	for _, name := range []string{"-outfile", "-destination", "-o", "-out"} {
		if v, ok := values[name]; ok {
			for _, f := range w.writeAll([]value{v}) {
				w.fetch(f)
			}
		}
	}
	for _, name := range []string{"-body", "-infile", "-form"} {
		if v, ok := values[name]; ok {
			w.does(dataExport)
			if name == "-infile" {
				w.readAll([]value{v})
			}
		}
	}
}

func (w *walker) fileCmdlet(m cmdlet, p parsed, values map[string]value) {
	recurse := false
	for _, o := range p.opts {
		name := strings.ToLower(o.name)
		recurse = recurse || len(name) > 1 && strings.HasPrefix("-recurse", name) || name == "/s"
	}
	switch {
	case m.reads:
		w.readAll(p.args)
	case m.writes:
		w.writeAll(p.args)
	case m.copies:
		if len(p.args) < 2 {
			w.readAll(p.args)
			return
		}
		last := len(p.args) - 1
		w.readAll(p.args[:last])
		if m.moves {
			for _, v := range p.args[:last] {
				for _, f := range w.paths(v) {
					w.remove(f)
				}
			}
		}
		w.copyTo(p.args[:last], p.args[last], false, false)
	case m.drops:
		for _, v := range p.args {
			paths := w.paths(v)
			for _, f := range paths {
				w.remove(f)
			}
			if recurse {
				w.removesProject(v, paths)
			}
		}
		if recurse {
			w.does(shellDestroy)
		}
	case m.cd:
		w.cd(p.args)
	}
}

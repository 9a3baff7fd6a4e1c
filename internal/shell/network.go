package shell

import (
	"slices"
	"strings"
)

// networkPrograms reach other machines.
func networkPrograms() map[string]program {
	return map[string]program{
		"curl": {kind: kindFetch, does: shellNetwork, takes: " -o -d -F -T -H -X -A -b -c -e -u -x -K -m -w -Y -y -z -C -D -E -P -Q -r -t -U --output --data --data-binary --data-raw --data-urlencode --data-ascii --json --form --form-string --upload-file --header --request --user-agent --cookie --cookie-jar --referer --user --proxy --config --max-time --connect-timeout --write-out --retry --retry-delay --output-dir --dump-header --cert --key --cacert --range --resolve --url --trace --trace-ascii --stderr --limit-rate --url-query "},
		"wget": {kind: kindFetch, does: shellNetwork, takes: " -O -P -o -a -i -U -e -t -T -Q -A -R -D -l -B --output-document --directory-prefix --output-file --post-data --post-file --body-data --body-file --header --user-agent --input-file --method --execute --tries --timeout --user --password "},
		"http": {kind: kindFetch, does: shellNetwork, takes: " -o -a -s -p --output --auth --session --print "}, "https": {kind: kindFetch, does: shellNetwork, takes: " -o -a --output "}, "xh": {kind: kindFetch, does: shellNetwork, takes: " -o -a "}, "xhs": {kind: kindFetch, does: shellNetwork}, "aria2c": {kind: kindFetch, does: shellNetwork, takes: " -o -d -i -x -s --out --dir "}, "axel": {kind: kindFetch, does: shellNetwork, takes: " -o -n "},
		"scp": {kind: kindCopiesAway, does: shellNetwork, takes: " -i -P -o -F -J -l -c -S "}, "rsync": {kind: kindCopiesAway, takes: " -e -f --rsh --exclude --include --files-from --exclude-from --rsync-path --backup-dir --chmod --bwlimit "}, "sftp": {kind: kindCopiesAway, does: shellNetwork, takes: " -b -i -P -o "}, "rclone": {kind: kindCopiesAway, does: shellNetwork}, "mosh": {kind: kindRemote, does: shellNetwork},
		"ssh": {kind: kindRemote, does: shellNetwork, takes: " -i -p -o -F -J -l -L -R -D -W -b -c -E -e -I -m -O -Q -S -w -B "}, "sshpass": {kind: kindWraps, takes: " -p -f "}, "autossh": {kind: kindRemote, does: shellNetwork, takes: " -M -i -p -o -L -R -D "}, "ssh-copy-id": {does: shellNetwork},
		"nc": {does: shellNetwork}, "ncat": {does: shellNetwork}, "netcat": {does: shellNetwork}, "telnet": {does: shellNetwork}, "socat": {does: shellNetwork}, "ftp": {does: shellNetwork}, "lftp": {does: shellNetwork}, "tftp": {does: shellNetwork}, "smbclient": {does: shellNetwork},
		"dig": {does: shellNetwork}, "nslookup": {does: shellNetwork}, "host": {does: shellNetwork}, "whois": {does: shellNetwork}, "drill": {does: shellNetwork}, "ping": {does: shellNetwork}, "ping6": {does: shellNetwork}, "traceroute": {does: shellNetwork}, "mtr": {does: shellNetwork}, "nmap": {does: shellNetwork}, "arping": {does: shellNetwork},
		"mail": {does: shellNetwork | dataExport}, "mailx": {does: shellNetwork | dataExport}, "sendmail": {does: shellNetwork | dataExport}, "mutt": {does: shellNetwork | dataExport}, "msmtp": {does: shellNetwork | dataExport}, "swaks": {does: shellNetwork | dataExport}, "ldapsearch": {does: shellNetwork}, "snmpwalk": {does: shellNetwork},
		"lynx": {does: shellNetwork}, "w3m": {does: shellNetwork}, "links": {does: shellNetwork}, "elinks": {does: shellNetwork}, "yt-dlp": {kind: kindFetch, does: shellNetwork, takes: " -o -P -f "}, "youtube-dl": {kind: kindFetch, does: shellNetwork, takes: " -o -f "}, "chromium": {does: shellNetwork}, "google-chrome": {does: shellNetwork}, "websocat": {does: shellNetwork}, "wscat": {does: shellNetwork}, "grpcurl": {does: shellNetwork}, "ngrok": {does: shellNetwork}, "cloudflared": {does: shellNetwork}, "tailscale": {does: shellNetwork}, "openssl": {kind: kindTool, takes: " -in -out -connect -inkey -keyout ", long: true}, "gpg": {kind: kindTool, takes: " -o --output -r --recv-keys ", long: false}, "mosquitto_pub": {does: shellNetwork | dataExport}, "mosquitto_sub": {does: shellNetwork}, "kcat": {does: shellNetwork},
		"s3cmd": {kind: kindTool, does: shellNetwork}, "s5cmd": {kind: kindTool, does: shellNetwork}, "gsutil": {kind: kindTool, does: shellNetwork}, "mc": {kind: kindTool, does: shellNetwork}, "azcopy": {kind: kindTool, does: shellNetwork},
	}
}

// Options of curl and its like by what their value means.
var (
	bodyOptions   = []string{"-d", "--data", "--data-binary", "--data-raw", "--data-urlencode", "--data-ascii", "--json", "-F", "--form", "--form-string", "-T", "--upload-file", "--post-data", "--post-file", "--body-data", "--body-file", "--url-query"}
	fileOptions   = []string{"-T", "--upload-file", "--post-file", "--body-file", "-i", "--input-file"}
	saveOptions   = []string{"-o", "--output", "-O", "--output-document", "-D", "--dump-header", "-c", "--cookie-jar", "-a", "--output-file", "--trace", "--trace-ascii", "--stderr", "--out"}
	folderOptions = []string{"-P", "--directory-prefix", "--output-dir", "-d", "--dir"}
)

// fetches runs curl, wget and their like.
func (w *walker) fetches(c *call) stream {
	p := parse(c.args, c.takes, false)
	urls := append(p.values("--url"), p.args...)
	for _, v := range urls {
		w.web(v.s)
	}
	if len(urls) == 0 {
		w.web("")
	}
	for _, o := range p.opts {
		switch {
		case !o.has:
		case c.name == "curl" && o.name == "-O", c.name != "curl" && (o.name == "-d" || o.name == "-c" || o.name == "-D" || o.name == "-F" || o.name == "-T"):
		case slices.Contains(bodyOptions, o.name):
			w.does(dataExport)
			w.uploads(o)
		}
		if o.name == "-K" || o.name == "--config" || o.name == "-e" && c.name == "wget" || o.name == "--execute" {
			w.unsure()
			if o.name != "-e" && o.name != "--execute" {
				w.readAll([]value{o.val})
			}
		}
	}
	if c.name == "http" || c.name == "https" || c.name == "xh" {
		for _, v := range p.args {
			if strings.Contains(v.s, "=") || strings.Contains(v.s, "@") || v.s == "POST" || v.s == "PUT" {
				w.does(dataExport)
				if _, file, ok := strings.Cut(v.s, "@"); ok && !address(v.s) {
					w.readAll([]value{literal(file)})
				}
			}
		}
		if w.in.there && w.in.file != "" {
			w.does(dataExport)
		}
	}
	return w.saves(c, p, urls)
}

// uploads reads the files that the body of a request is made of.
func (w *walker) uploads(o option) {
	s := o.val.s
	if slices.Contains(fileOptions, o.name) {
		if s != "-" && s != "." {
			w.readAll([]value{o.val})
		}
		return
	}
	if i := strings.IndexByte(s, '@'); i >= 0 && o.name != "--data-raw" && o.name != "--form-string" {
		name, _, _ := strings.Cut(s[i+1:], ";")
		if name != "-" {
			w.readAll([]value{literal(name)})
		}
	} else if _, file, ok := strings.Cut(s, "=<"); ok {
		w.readAll([]value{literal(file)})
	}
}

// saves says into which files a download goes.
func (w *walker) saves(c *call, p parsed, urls []value) stream {
	var files, folders []value
	for _, o := range p.opts {
		switch {
		case !o.has:
		case c.name == "curl" && (o.name == "-O" || o.name == "-a" || o.name == "-d" || o.name == "-P"):
		case c.name == "wget" && (o.name == "-c" || o.name == "-D" || o.name == "-d"), c.name == "http" && o.name == "-a":
		case slices.Contains(saveOptions, o.name):
			files = append(files, o.val)
		case slices.Contains(folderOptions, o.name):
			folders = append(folders, o.val)
		}
	}
	out := stream{there: true, web: true}
	named := false
	switch c.name {
	case "curl":
		named = p.has("-O", "--remote-name", "--remote-name-all", "-J")
	case "wget", "aria2c", "axel", "yt-dlp", "youtube-dl":
		named = len(files) == 0 && !p.has("--spider")
	}
	if named {
		files = append(files, remoteNames(urls)...)
	}
	if len(folders) > 0 {
		for _, d := range folders {
			for _, dir := range w.paths(d) {
				w.write(dir)
				w.fetch(dir)
			}
		}
	}
	for _, f := range files {
		if f.s == "-" {
			continue
		}
		w.wrote(w.writeAll([]value{f}), stream{there: true, web: true})
	}
	return out
}

// remoteNames are the names under which files of these addresses are saved.
func remoteNames(urls []value) []value {
	var out []value
	for _, v := range urls {
		s, _, _ := strings.Cut(v.s, "?")
		s, _, _ = strings.Cut(s, "#")
		i := strings.LastIndexByte(s, '/')
		name := s[i+1:]
		if i < 0 || name == "" || strings.HasSuffix(s[:i+1], "://") {
			name = "index.html"
		}
		out = append(out, literal("./"+name))
	}
	return out
}

// remoteName reports whether an operand of scp or rsync lies on another machine.
func remoteName(s string) bool {
	if address(s) {
		return true
	}
	i := strings.IndexByte(s, ':')
	return i > 0 && !strings.Contains(s[:i], "/") && (i > 1 || !drive(s))
}

// copiesAway runs scp, rsync and their like between machines, or within one.
func (w *walker) copiesAway(c *call) stream {
	p := parse(c.args, c.takes, false)
	args := p.args
	if c.name == "rclone" && len(args) > 0 {
		args = args[1:]
	}
	for _, v := range p.values("-e", "--rsh", "--rsync-path", "-S") {
		w.perhaps(func() stream { return w.apart(func() stream { return w.runText(v.s, stream{there: true}) }) })
	}
	if c.name == "sftp" {
		w.readAll(p.values("-b"))
		w.unsure()
		w.found.Interactive = w.found.Interactive || !w.in.there && !p.has("-b")
		return stream{there: true, web: true}
	}
	if len(args) < 2 {
		w.readAll(args)
		return stream{there: true}
	}
	from, to := args[:len(args)-1], args[len(args)-1]
	away := false
	for _, v := range from {
		if remoteName(v.s) {
			w.web(v.s)
			away = true
		} else {
			w.readAll([]value{v})
			if p.has("--remove-source-files") {
				for _, f := range w.paths(v) {
					w.remove(f)
				}
			}
		}
	}
	switch {
	case remoteName(to.s):
		w.web(to.s)
		w.does(dataExport)
	case to.open() && !strings.HasPrefix(to.s, "/"):
		w.does(dataExport | shellNetwork)
		fallthrough
	default:
		w.copyTo(from, to, false, away)
		if p.has("--delete", "--delete-after", "--delete-before", "--delete-excluded") {
			w.does(shellDestroy)
			for _, f := range w.paths(to) {
				w.remove(f)
			}
		}
	}
	return stream{there: true}
}

// remote runs ssh: what follows the host runs there.
func (w *walker) remote(c *call) stream {
	rest, p := leading(c.args, c.takes, false, 0)
	if len(rest) > 0 {
		w.web(rest[0].s)
		rest = rest[1:]
	} else {
		w.web("")
	}
	for _, v := range p.values("-o") {
		key, val, _ := strings.Cut(v.s, "=")
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "proxycommand", "localcommand", "knownhostscommand":
			w.runText(val, stream{there: true})
		}
	}
	if p.has("-f") || p.has("-N") {
		w.found.Background = true
	}
	if len(rest) == 0 {
		if w.in.there {
			w.elsewhere(func() { w.interpret("", w.in) })
			w.does(dataExport)
		} else if !p.has("-N", "-V", "-O", "-Q", "-G") {
			w.found.Interactive = true
		}
		return stream{there: true, web: true}
	}
	if rest[0].s == "--" {
		rest = rest[1:]
	}
	if p.has("-t") {
		w.found.Interactive = true
	}
	if w.in.there {
		w.does(dataExport)
	}
	w.elsewhere(func() { w.runText(join(rest), stream{there: w.in.there}) })
	return stream{there: true, web: true}
}

// elsewhere reads a command that runs on another machine or in a container: it
// touches no file here.
func (w *walker) elsewhere(run func()) {
	w.away++
	w.apart(func() stream { run(); return stream{} })
	w.away--
}

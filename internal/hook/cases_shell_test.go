package hook_test

import (
	"strings"
	"testing"
)

// A command of a tainted session does not change memory files, however it is spelt, as
// long as it can be read. What cannot be read (a program's own code, a script) is of
// guarded files, which see after a command what changed.
func TestMC108ShellWritesMemory(t *testing.T) {
	c := day(t)
	c.file("memory/f.md", "a line\n")
	c.file("x.md", "another\n")
	each(t, `
		printf x >> MEMORY.md
		echo x >| MEMORY.md
		echo x &>> MEMORY.md
		: > MEMORY.md
		printf x 5>MEMORY.md
		exec 3>>MEMORY.md; echo x >&3
		{ echo x; } > MEMORY.md
		(echo x) > MEMORY.md
		if true; then echo x; fi > MEMORY.md
		while true; do echo x; break; done > MEMORY.md
		f() { echo x; } > MEMORY.md; f
		echo x | tee -a MEMORY.md
		tee >(cat >> MEMORY.md) < x.md
		cat <<'E' > MEMORY.md␤x␤E
		cat > MEMORY.md <<< x
		sed -i s/a/b/ MEMORY.md
		sed -n 'w MEMORY.md' x.md
		awk -i inplace '{print}' MEMORY.md
		awk '{print > "MEMORY.md"}' x.md
		cp x.md MEMORY.md
		cp x.md memory/
		cp -t memory x.md
		cp src/*.md memory/
		mv x.md memory
		mv memory m2
		install x.md MEMORY.md
		ln -sf x.md MEMORY.md
		dd of=MEMORY.md if=x.md
		truncate -s0 MEMORY.md
		rsync x.md MEMORY.md
		curl -o MEMORY.md https://a.example.test
		patch -p0 < x.patch
		git apply x.patch
		git mv x.md MEMORY.md
		git rm MEMORY.md
		git diff --output=MEMORY.md
		git -c core.pager='tee MEMORY.md' log -1
		GIT_EDITOR='tee MEMORY.md' git commit
		sort -o MEMORY.md x.md
		# deletions
		rm MEMORY.md
		rm -rf memory
		rm memory/*
		rm -rf .
		unlink MEMORY.md
		find . -name 'MEM*' -delete
		# spellings of the name
		echo x >> ./MEMORY.md
		echo x >> $PWD/MEMORY.md
		echo x >> memory/../MEMORY.md
		echo x >> mEmOrY.Md
		echo x >> M"EMORY".md
		echo x >> M\EMORY.md
		echo x >> $'\x4dEMORY.md'
		echo x >> MEM*.md
		echo x >> MEM{ORY,}.md
		f=MEMORY; echo x >> $f.md
		f=(a MEMORY.md); echo x >> ${f[1]}
		set -- MEMORY.md; tee "$1"
		for f in MEMORY.md; do echo x >> $f; done
		for f in *.md; do echo x >> $f; done
		echo x >> $(echo MEMORY.md)
		echo x >> "$(printf MEM)ORY.md"
		echo x >> ${nope:-MEMORY.md}
		cd memory && echo x > f.md
		(cd memory; tee f.md < x.md)
		pushd memory; echo x > f.md
		cd src && echo x > ../MEMORY.md
		env -C memory tee f.md
		echo x >> ~/.claude/projects/-work/memory/a.md
		cat x.md >> ~/.claude/CLAUDE.md
		# shells and programs in between
		bash -c 'echo x >> MEMORY.md'
		sh -c 'echo x > "$0"' MEMORY.md
		eval 'echo x >> MEMORY.md'
		sh <<< 'echo x >> MEMORY.md'
		echo 'echo x >> MEMORY.md' | sh
		echo MEMORY.md | xargs tee -a
		ls | xargs -I{} sh -c 'echo x >> MEMORY.md'
		find . -name 'MEM*' -exec sed -i s/a/b/ {} +
		sudo tee MEMORY.md
		nohup tee MEMORY.md &
		timeout 5 tee MEMORY.md
		/usr/bin/env tee MEMORY.md
		busybox tee MEMORY.md
		coproc tee MEMORY.md
		trap 'echo x >> MEMORY.md' EXIT
		t() { tee "$1"; }; t MEMORY.md
		perl -pi -e 's/a/b/' MEMORY.md
		python3 -c "open('MEMORY.md','a').write('x')"
		python3 -c "import shutil;shutil.copy('x.md','MEMORY.md')"
		node -e "require('fs').appendFileSync('MEMORY.md','x')"
		ruby -e "File.write('MEMORY.md','x')"
		ex -sc 'a|x' -cx MEMORY.md
		watch -n1 'echo x >> MEMORY.md'
		flock x.md tee MEMORY.md
	`, func(t *testing.T, line string) {
		c := *c
		w := *c.world
		w.t, c.world = t, &w
		c.id, c.calls = "s1", c.calls+len(line)
		c.wants("the command", c.before("Bash", input{"command": strings.ReplaceAll(line, "␤", "\n")}), "deny")
		if said := string(c.last.Stdout); !strings.Contains(said, "may not change memory files") && !strings.Contains(said, "Refused:") {
			t.Errorf("it is denied for something else: %s", said)
		}
	})
	// Nothing of it was stored, and a session that nobody tainted may.
	if n := len(c.records()); n != 0 {
		t.Errorf("%d records", n)
	}
	c.process = "proc-2"
	clean := c.world.chat("s2")
	clean.wants("a clean session", clean.run("printf x >> MEMORY.md"), "")
}

// Honest commands that only look like writes go on, in any session.
func TestMC109ShellReadsMemory(t *testing.T) {
	c := day(t)
	c.process = "proc-2"
	clean := c.world.chat("s2")
	each(t, `
		echo done >&2
		grep 'a>b' MEMORY.md
		grep "x >> MEMORY.md" src/a.go
		cat MEMORY.md > /dev/null
		cat MEMORY.md 2>/dev/null
		cat MEMORY.md | head -3
		wc -l < MEMORY.md
		diff MEMORY.md x.md
		echo "append it to MEMORY.md"
		echo 'cp x MEMORY.md'
		git diff -- MEMORY.md
		git log --oneline -- MEMORY.md
		ls memory/ > files.txt
		sed -n 1,5p MEMORY.md
		test -f MEMORY.md && echo there
		[[ a > b ]]
		git commit -m "note: tee MEMORY.md"
		# cat MEMORY.md > x
	`, func(t *testing.T, line string) {
		for _, c := range []*chat{clean, c} {
			c, w := *c, *c.world
			w.t, c.world = t, &w
			c.calls += len(line)
			c.wants("in "+c.id, c.before("Bash", input{"command": line}), "")
		}
	})
}

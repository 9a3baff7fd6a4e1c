package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/hearsay-memory/hearsay"
)

// update is one transaction that brings memories in line with their records.
type update struct {
	s      *Store
	ctx    context.Context
	c      *sqlite.Conn
	canvas canvas
	fresh  bool // files can be there that no row knows of
	erased bool // words were taken out that a person erased
	embeds bool // an embedder made vectors for this index
	counts map[set]map[string]int64
	texts  map[set][]passage // not in the full-text index yet
	size   int               // bytes of them
}

func (u *update) close() { u.canvas.close() }

// sync brings one record in line, and what it replaces or did.
func (u *update) sync(m *Memory) error {
	id := m.ID
	var was, now []hearsay.RecordID
	if err := each(u.c, "SELECT id FROM replaced WHERE by = ?", func(st *sqlite.Stmt) error {
		was = append(was, columnID(st, 0))
		return nil
	}, id[:]); err != nil {
		return err
	}
	if m.Standing.Visible() || m.Standing == hearsay.Erased {
		now = m.Replaces
	}
	if err := u.date(m); err != nil {
		return err
	}
	if err := u.place(m); err != nil {
		return err
	}
	for _, old := range was {
		if !slices.Contains(now, old) {
			if err := run(u.c, "DELETE FROM replaced WHERE id = ? AND by = ?", old[:], id[:]); err != nil {
				return err
			}
		}
	}
	for _, old := range now {
		if err := run(u.c, "INSERT OR IGNORE INTO replaced VALUES(?, ?)", old[:], id[:]); err != nil {
			return err
		}
	}
	for _, old := range append(was, now...) {
		if slices.Contains(was, old) && slices.Contains(now, old) {
			continue
		}
		m, err := u.load(old)
		if err != nil {
			return err
		}
		if err := u.place(m); err != nil {
			return err
		}
	}
	return nil
}

// date notes since when a memory that a run of the engine made counts as written: as the
// newest of what it was made of that has its kind and form, so that it is no fresher than
// that would be. The log alone decides, and not what was learnt from use, which can be lost.
func (u *update) date(m *Memory) error {
	if m.Source.Type != SleepSource || !m.served() {
		return nil
	}
	like, any := int64(0), int64(math.MaxInt64)
	for _, id := range m.Replaces {
		p, err := u.load(id)
		if err != nil {
			return err
		}
		at, err := u.written(p)
		if err != nil {
			return err
		}
		if p.Kind == m.Kind && p.Form == m.Form {
			like = max(like, at)
		}
		any = min(any, at)
	}
	if like == 0 {
		like = min(any, m.Created)
	}
	return run(u.c, "INSERT OR REPLACE INTO made VALUES(?, ?)", m.ID[:], like)
}

// written returns since when a memory counts as written, UTC ms.
func (u *update) written(m *Memory) (at int64, err error) {
	at = m.Created
	if m.Source.Type == SleepSource {
		err = each(u.c, "SELECT written FROM made WHERE id = ?", func(st *sqlite.Stmt) error { at = st.ColumnInt64(0); return nil }, m.ID[:])
	}
	return at, err
}

// place puts a memory into the index and the folder where it is served and nothing that
// is served replaces it, and takes it out otherwise.
func (u *update) place(m *Memory) error {
	visible := m.served()
	if visible {
		if err := each(u.c, "SELECT 1 FROM replaced WHERE id = ? LIMIT 1", func(*sqlite.Stmt) error {
			visible = false
			return nil
		}, m.ID[:]); err != nil {
			return err
		}
	}
	p := partOf(m)
	for _, s := range []set{trustedSet, restSet} {
		if visible && s == p.of {
			continue
		}
		if err := u.drop(s, m); err != nil {
			return err
		}
	}
	if m.Standing == hearsay.Erased {
		u.erased = true
	}
	if !visible {
		if u.fresh {
			u.s.warn(m.ID, u.canvas.dropAny(u.s.vault, m))
		}
		return nil
	}
	return u.put(p, m)
}

// put puts a memory into its part of the index. What was sealed of it never changes; whether
// it is pinned or was looked at does.
func (u *update) put(p part, m *Memory) error {
	of := p.of
	var doc int64
	var drawn []byte
	if err := each(u.c, fmt.Sprintf("SELECT doc, drawn FROM %s WHERE id = ?", of), func(st *sqlite.Stmt) error {
		doc, drawn = st.ColumnInt64(0), blob(st, 1)
		return nil
	}, m.ID[:]); err != nil {
		return err
	}
	sum, err := u.canvas.put(u.s.vault, m, drawn)
	if err != nil {
		// A picture that cannot be made must not cost the memory.
		u.s.warn(m.ID, err)
	} else {
		drawn = sum
	}
	if drawn == nil {
		drawn = []byte{}
	}
	vetted := m.Standing == hearsay.Released
	if doc != 0 {
		if m.Standing == hearsay.Released { // it may be what kept it from an embedder
			if err := run(u.c, fmt.Sprintf("UPDATE %s_bare SET again = 0 WHERE doc = ?", p.name), doc); err != nil {
				return err
			}
		}
		return run(u.c, fmt.Sprintf("UPDATE %s SET pinned=?, stable=?, vetted=?, weight=?, drawn=? WHERE doc=?", of),
			m.Claims.Pin, m.Claims.Stable, vetted, m.Weight, drawn, doc)
	}
	written, err := u.written(m)
	if err != nil {
		return err
	}
	said := words(strings.Join(m.Texts(), "\n"))
	tags := []byte("[]")
	if len(m.Tags) > 0 {
		if tags, err = json.Marshal(m.Tags); err != nil {
			return err
		}
	}
	links := make([]byte, 0, len(m.Links)*len(hearsay.RecordID{}))
	for _, id := range m.Links {
		links = append(links, id[:]...)
	}
	if err := run(u.c, fmt.Sprintf(`INSERT INTO %[1]s(doc, id, kind, form, created, origin, taint, salience, confidence, weight, pinned, stable, vetted,
		namespace, project, tags, links, name, drawn, words)
		VALUES((SELECT 1 + coalesce(max(doc), ?) FROM %[1]s WHERE doc BETWEEN ? AND ?),?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, of),
		p.first-1, p.first, p.last, m.ID[:], int(m.Kind), int(m.Form), written, int(m.Label.Origin), strings.Join(m.Label.Taint.Tags(), ","),
		m.Claims.Salience, m.Claims.Confidence, m.Weight, m.Claims.Pin, m.Claims.Stable, vetted,
		packNamespace(m.Namespace), m.Project, string(tags), links, m.Name(), drawn, said); err != nil {
		return err
	}
	doc = u.c.LastInsertRowID()
	u.texts[of] = append(u.texts[of], passage{doc, said})
	if u.size += len(said); u.size > maxPassages {
		if err := u.enterAll(); err != nil {
			return err
		}
	}
	u.count(of, said, 1)
	if u.embeds {
		if err := p.want(u.c, doc); err != nil {
			return err
		}
	}
	for _, pair := range pairs(m.Tags) {
		if err := run(u.c, fmt.Sprintf("INSERT OR IGNORE INTO %s_pair VALUES(?, ?)", of), pair, doc); err != nil {
			return err
		}
	}
	for _, id := range m.Links {
		if err := run(u.c, fmt.Sprintf("INSERT OR IGNORE INTO %s_link VALUES(?, ?)", of), id[:], doc); err != nil {
			return err
		}
	}
	return nil
}

// drop takes a memory out of a half of the index, and its file out of the folder.
func (u *update) drop(of set, m *Memory) error {
	id := m.ID
	var drawn []byte
	var doc int64
	var text, name string
	var tags []string
	var links []hearsay.RecordID
	if err := each(u.c, fmt.Sprintf("SELECT doc, words, name, tags, links, drawn FROM %s WHERE id = ?", of), func(st *sqlite.Stmt) (err error) {
		doc, text, name = st.ColumnInt64(0), st.ColumnText(1), st.ColumnText(2)
		if tags, err = unpackTags(st.ColumnText(3)); err != nil {
			return err
		}
		links, drawn = unpackIDs(blob(st, 4)), blob(st, 5)
		return nil
	}, id[:]); err != nil || doc == 0 {
		return err
	}
	u.s.warn(id, u.canvas.drop(u.s.vault, name, drawn, m.Standing == hearsay.Erased))
	if err := u.enter(of); err != nil {
		return err
	}
	if err := run(u.c, fmt.Sprintf("INSERT INTO %[1]s_text(%[1]s_text, rowid, words) VALUES('delete', ?, ?)", of), doc, text); err != nil {
		return err
	}
	u.count(of, text, -1)
	for _, p := range parts {
		if p.of != of {
			continue
		}
		if err := p.drop(u.c, doc); err != nil {
			return err
		}
	}
	for _, p := range pairs(tags) {
		if err := run(u.c, fmt.Sprintf("DELETE FROM %s_pair WHERE pair = ? AND doc = ?", of), p, doc); err != nil {
			return err
		}
	}
	for _, to := range links {
		if err := run(u.c, fmt.Sprintf("DELETE FROM %s_link WHERE target = ? AND doc = ?", of), to[:], doc); err != nil {
			return err
		}
	}
	return run(u.c, fmt.Sprintf("DELETE FROM %s WHERE doc = ?", of), doc)
}

package shell

import "strings"

// databasePrograms talk to databases. texts are options whose value is a statement.
func databasePrograms() map[string]program {
	return map[string]program{
		"psql": {kind: kindDatabase, takes: " -c -f -d -h -p -U -v -o -L --command --file --dbname --host --username --output ", texts: " -c --command "}, "mysql": {kind: kindDatabase, takes: " -e -h -P -u -D --execute --host --user --database ", texts: " -e --execute "}, "mariadb": {kind: kindDatabase, takes: " -e -h -P -u -D --execute ", texts: " -e --execute "},
		"sqlite3": {kind: kindDatabase, takes: " -cmd -init ", long: true, texts: " -cmd "}, "sqlite": {kind: kindDatabase, long: true}, "duckdb": {kind: kindDatabase, takes: " -c -s ", texts: " -c -s "}, "mongosh": {kind: kindDatabase, takes: " --eval --host --port -u -p ", texts: " --eval "}, "mongo": {kind: kindDatabase, takes: " --eval --host --port -u -p ", texts: " --eval "},
		"redis-cli": {kind: kindDatabase, takes: " -h -p -a -n -u --user --pass "}, "valkey-cli": {kind: kindDatabase, takes: " -h -p -a -n -u "}, "clickhouse-client": {kind: kindDatabase, takes: " -q --query -h ", texts: " -q --query "}, "clickhouse": {kind: kindDatabase, takes: " -q --query ", texts: " -q --query "}, "cqlsh": {kind: kindDatabase, takes: " -e -f -u -p ", texts: " -e "}, "sqlcmd": {kind: kindDatabase, takes: " -Q -q -S -d -U -P -i ", texts: " -Q -q "}, "usql": {kind: kindDatabase, takes: " -c -f ", texts: " -c "}, "pgcli": {kind: kindDatabase}, "mycli": {kind: kindDatabase}, "litecli": {kind: kindDatabase}, "sqlplus": {kind: kindDatabase}, "bsqldb": {kind: kindDatabase}, "snowsql": {kind: kindDatabase, takes: " -q -f ", texts: " -q ", does: shellNetwork}, "influx": {kind: kindDatabase}, "cockroach": {kind: kindDatabase, takes: " -e --execute ", texts: " -e --execute "}, "turso": {kind: kindDatabase, does: shellNetwork}, "etcdctl": {kind: kindDatabase},
		"dropdb": {does: dbDrop}, "createdb": {does: dbWrite}, "dropuser": {does: dbDrop}, "createuser": {does: dbWrite}, "mysqladmin": {kind: kindDatabase}, "pg_restore": {kind: kindReads, does: dbWrite, takes: " -d -h -U -p -f -j "}, "mongorestore": {does: dbWrite}, "mongoimport": {does: dbWrite}, "mysqlimport": {does: dbWrite}, "pg_ctl": {}, "vacuumdb": {does: dbWrite}, "reindexdb": {does: dbWrite}, "initdb": {does: dbWrite},
		"pg_dump": {kind: kindReads, does: dataExport | dbQuery, takes: " -d -h -U -p -f -t -n -F -j "}, "pg_dumpall": {kind: kindReads, does: dataExport | dbQuery, takes: " -h -U -p -f -d -l "}, "mysqldump": {does: dataExport | dbQuery}, "mariadb-dump": {does: dataExport | dbQuery}, "mongodump": {does: dataExport | dbQuery}, "mongoexport": {does: dataExport | dbQuery}, "redis-dump": {does: dataExport | dbQuery},
		"alembic": {kind: kindRunner, does: 0}, "prisma": {kind: kindRunner}, "flyway": {kind: kindRunner, does: dbWrite}, "liquibase": {kind: kindRunner, does: dbWrite}, "dbmate": {kind: kindRunner, does: dbWrite}, "migrate": {kind: kindRunner, does: dbWrite}, "sqlx": {kind: kindRunner}, "diesel": {kind: kindRunner}, "goose": {kind: kindRunner, does: dbWrite}, "atlas": {kind: kindRunner}, "knex": {kind: kindRunner}, "rails": {kind: kindRunner},
	}
}

// database runs a client of a database: on statements, or waiting for them.
func (w *walker) database(c *call) stream {
	p := parse(c.args, c.takes, c.long)
	statements := false
	for _, o := range p.opts {
		if o.has && valued(c.texts, o.name) {
			w.statement(o.val.s)
			statements = true
		}
	}
	for _, v := range p.values("-f", "-i", "--file", "-init") {
		statements = true
		for _, f := range w.paths(v) {
			w.read(f)
			w.statements(w.contents(f))
		}
	}
	w.writeAll(p.values("-o", "-L", "--output"))
	words := p.args
	switch c.name {
	case "sqlite3", "sqlite", "duckdb", "litecli":
		if len(words) > 0 && words[0].s != ":memory:" {
			for _, f := range w.paths(words[0]) {
				w.read(f)
			}
		}
		words = words[min(1, len(words)):]
	case "psql", "mysql", "mariadb", "mongosh", "mongo", "cqlsh", "sqlcmd", "pgcli", "mycli", "usql":
		for _, v := range words {
			if address(v.s) {
				w.web(v.s)
			}
		}
		words = nil
	}
	for _, host := range p.values("-h", "-H", "--host") {
		if host.s != "localhost" && host.s != "127.0.0.1" && !strings.HasPrefix(host.s, "/") {
			w.web(host.s)
		}
	}
	if len(words) > 0 {
		w.statement(join(words))
		statements = true
	}
	switch {
	case statements:
	case w.in.there:
		w.statements(w.in)
	case p.has("-l", "--list", "--version", "--help", "-V"):
		w.does(dbQuery)
	default:
		w.does(dbQuery)
		w.found.Interactive = true
	}
	return stream{there: true, web: w.in.web}
}

// statements reads the statements that flow in.
func (w *walker) statements(s stream) {
	if s.known {
		w.statement(s.text)
		return
	}
	w.does(dbQuery | dbWrite)
	w.unsure()
}

// statement says what statements do, by their words. Comments and strings are read
// like the rest, which can only add.
func (w *walker) statement(text string) {
	w.does(dbQuery)
	if strings.IndexByte(text, unknownByte) >= 0 {
		w.does(dbWrite)
		w.unsure()
	}
	if !w.spend(len(text)) {
		return
	}
	before := ""
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '!' && r != '.' && r != '\\'
	}) {
		for part := range strings.SplitSeq(word, ".") {
			switch part {
			case "database", "schema", "table", "keyspace", "collection", "user", "role", "tablespace":
				if before == "drop" {
					w.does(dbDrop)
				}
			case "dropdatabase", "flushall", "flushdb", "dropindexes", "dropcollection":
				w.does(dbDrop)
			case "drop", "insert", "update", "delete", "alter", "create", "replace", "truncate", "merge", "upsert", "grant", "revoke", "copy", "load", "vacuum", "call", "exec", "set", "del", "hset", "lpush", "rpush", "sadd", "zadd", "expire", "rename", "incr", "append", "unlink",
				"insertone", "insertmany", "updateone", "updatemany", "deleteone", "deletemany", "replaceone", "remove", "save", "attach", "import", "restore", "put", "eval", "config", "shutdown", "createindex", "bulkwrite":
				w.does(dbWrite)
			}
			if part == "drop" && strings.Contains(word, ".drop") { // db.things.drop()
				w.does(dbDrop)
			}
			before = part
		}
		switch word {
		case "\\", "\\o", "\\w", "\\copy", ".shell", ".system", ".output", ".once", ".import", ".backup", ".save", ".dump", "program", "load_extension", "outfile", "dumpfile", "\\g", "system", "\\i", ".read", ".load", "readfile", "writefile", "lo_export", "pg_read_file":
			// Statements that reach the shell or files.
			w.opaque()
		}
	}
}
